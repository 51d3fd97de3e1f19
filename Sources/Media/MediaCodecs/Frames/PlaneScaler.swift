import CYUV
import MediaTypes

/// Scales the samples of one plane with libyuv.
///
/// Interleaved channels are separated before scaling. libyuv averages the covered samples only in planes of one
/// channel; its scalers for interleaved channels skip samples. Called by one thread at a time.
final class PlaneScaler {
    private var bytes = SampleScaler<UInt8>()
    private var words = SampleScaler<UInt16>()
    private var parts: [UInt8] = []
    private var ownAllocations = 0

    /// The number of allocations from the system.
    var allocationCount: Int { ownAllocations + bytes.allocationCount + words.allocationCount }

    func scale(_ from: SampleRows<UInt8>, to target: WritableSampleRows<UInt8>, channels: Int) {
        if from.columns == target.columns, from.rows == target.rows {
            let length = from.columns * Int32(channels)
            CopyPlane(from.start, from.stride, target.start, target.stride, length, from.rows)
        } else if channels == 1 {
            bytes.scale(from, to: target)
        } else {
            scaleParts(from, target, channels)
        }
    }

    /// Scales ten-bit samples that are stored in sixteen bits.
    func scale(_ from: SampleRows<UInt16>, to target: WritableSampleRows<UInt16>) {
        if from.columns == target.columns, from.rows == target.rows {
            CopyPlane_16(from.start, from.stride, target.start, target.stride, from.columns, from.rows)
        } else {
            words.scale(from, to: target)
        }
    }

    private func scaleParts(_ from: SampleRows<UInt8>, _ target: WritableSampleRows<UInt8>, _ channels: Int) {
        // Row lengths are multiples of 64 bytes, for the vector code.
        let (stride, newStride) = ((from.columns + 63) / 64 * 64, (target.columns + 63) / 64 * 64)
        let (size, newSize) = (Int(stride * from.rows), Int(newStride * target.rows))
        let total = (size + newSize) * channels
        if parts.count < total {
            parts = [UInt8](repeating: 0, count: total)
            ownAllocations += 1
        }
        parts.withUnsafeMutableBufferPointer { parts in
            guard let base = parts.baseAddress else { return }
            let old = (0..<channels).map { base + size * $0 }
            let new = (0..<channels).map { base + size * channels + newSize * $0 }
            if channels == 2 {
                SplitUVPlane(
                    from.start, from.stride, old[0], stride, old[1], stride, from.columns, from.rows)
            } else {
                SplitARGBPlane(
                    from.start, from.stride, old[0], stride, old[1], stride, old[2], stride, old[3], stride,
                    from.columns, from.rows)
            }
            for channel in 0..<channels {
                bytes.scale(
                    SampleRows(
                        start: UnsafePointer(old[channel]), stride: stride, columns: from.columns, rows: from.rows),
                    to: WritableSampleRows(
                        start: new[channel], stride: newStride, columns: target.columns, rows: target.rows))
            }
            if channels == 2 {
                MergeUVPlane(
                    new[0], newStride, new[1], newStride, target.start, target.stride, target.columns, target.rows)
            } else {
                MergeARGBPlane(
                    new[0], newStride, new[1], newStride, new[2], newStride, new[3], newStride, target.start,
                    target.stride, target.columns, target.rows)
            }
        }
    }
}

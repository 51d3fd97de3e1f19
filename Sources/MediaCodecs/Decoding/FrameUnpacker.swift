import CFFmpeg
import MediaTypes

/// Brings decoded frames of sound, planar or not, into one interleaved form. One thread at a time.
final class FrameUnpacker {
    let bytesPerFrame: Int
    private var channels: AVChannelLayout
    private let sampleRate: Int32
    private let sampleFormat: AVSampleFormat
    private var context: OpaquePointer?
    private let scratch = ScratchMemory()

    /// - Parameters:
    ///   - channels: of the result; others are mixed into them.
    ///   - sampleRate: of the result: what the container says. A codec that disagrees is resampled.
    ///   - sampleFormat: of the result, interleaved.
    init(channels: AVChannelLayout, sampleRate: Int, sampleFormat: AVSampleFormat) {
        self.channels = channels
        self.sampleRate = Int32(clamping: sampleRate)
        self.sampleFormat = sampleFormat
        bytesPerFrame = Int(av_get_bytes_per_sample(sampleFormat)) * Int(channels.nb_channels)
    }

    deinit { swr_free(&context) }

    /// - Returns: whole frames, valid until the next call.
    func unpack(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> UnsafeRawBufferPointer {
        let count = frame.pointee.nb_samples
        guard count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        try prepare(frame)
        let room = max(Int(swr_get_out_samples(context, count)), Int(count))
        let bytes = scratch.bytes(room * bytesPerFrame)
        var plane = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = frame.pointee.extended_data.withMemoryRebound(
            to: UnsafePointer<UInt8>?.self, capacity: Int(max(1, frame.pointee.ch_layout.nb_channels))
        ) { swr_convert(context, &plane, Int32(clamping: room), $0, count) }
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot convert sound") }
        return UnsafeRawBufferPointer(rebasing: bytes[..<(Int(result) * bytesPerFrame)])
    }

    /// Sets libswresample up anew where the codec changes its form.
    private func prepare(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
        var layout = frame.pointee.ch_layout
        // Channels that nobody named: the usual ones of that count.
        if layout.order == AV_CHANNEL_ORDER_UNSPEC {
            let count = layout.nb_channels
            if count == channels.nb_channels { layout = channels } else { av_channel_layout_default(&layout, count) }
        }
        let key = Key(
            format: frame.pointee.format, rate: frame.pointee.sample_rate, channels: layout.nb_channels,
            mask: layout.u.mask)
        if context != nil, key == current { return }
        swr_free(&context)
        var result = swr_alloc_set_opts2(
            &context, &channels, sampleFormat, sampleRate, &layout, AVSampleFormat(rawValue: key.format), key.rate, 0,
            nil)
        // Otherwise channels that are mixed come out louder in floating point than in integers.
        if result >= 0, let context { av_opt_set_double(UnsafeMutableRawPointer(context), "rematrix_maxval", 1, 0) }
        if result >= 0 { result = swr_init(context) }
        guard result >= 0 else {
            swr_free(&context)
            throw MediaError(averror: result, .codecFailure, "cannot convert sound")
        }
        current = key
    }

    private struct Key: Equatable {
        var format: Int32
        var rate: Int32
        var channels: Int32
        var mask: UInt64
    }
    private var current: Key?
}

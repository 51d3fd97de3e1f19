import MediaTypes
import RealTime

/// A camera's buffer with one frame, which counts its returns.
final class FakeCameraBuffer: LentBuffer {
    let parts: [DMABuf]
    private let frame: PixelBuffer
    private let returns = Locked(0)

    /// - Parameter descriptor: The descriptor that is claimed to be a dma-buf.
    init(_ frame: PixelBuffer, descriptor: Int32 = -1) {
        self.frame = frame
        parts = [DMABuf(descriptor: descriptor, start: 0, byteCount: frame.data.count)]
    }

    var returnCount: Int { returns.withLock { $0 } }

    func lend() -> PixelBuffer {
        PixelBuffer(
            layout: frame.layout, color: frame.color, data: MediaData(borrowing: frame.data.bytes, from: self))
    }

    func giveBack() { returns.withLock { $0 += 1 } }
}

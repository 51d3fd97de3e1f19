/// A device's buffer that can be lent to frames, one after the other.
///
/// The device creates one object for each of its buffers, so that lending allocates no closure. The object keeps the
/// memory and the dma-bufs valid, even after the device was closed or unplugged.
package protocol LentBuffer: AnyObject, Sendable {
    /// The dma-bufs with the bytes of a frame; empty if the device has none. The dma-bufs are open while this object
    /// lives.
    var parts: [DMABuf] { get }

    /// Takes the buffer back. Called once for each loan, on any thread. Must not block.
    func giveBack()
}

/// A part of a frame's memory that other devices can read without a copy (Linux, "Buffer Sharing and Synchronization").
package struct DMABuf: Sendable, Hashable {
    package var descriptor: Int32
    /// Bytes from the start of the frame's memory to the start of the dma-buf.
    package var start: Int
    package var byteCount: Int

    package init(descriptor: Int32, start: Int, byteCount: Int) {
        self.descriptor = descriptor
        self.start = start
        self.byteCount = byteCount
    }
}

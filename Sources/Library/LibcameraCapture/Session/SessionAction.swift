package import MediaTypes

/// The next step of the owner of a `HelperSession`.
package enum SessionAction: Sendable, Hashable {
    case nothing
    case send(RecorderMessage)
    /// Map the dma-bufs that came with the message, as planned.
    case map(buffer: Int, BufferPlan)
    /// Map the last buffer; the camera is open then, and can be started.
    case mapLast(buffer: Int, BufferPlan)
    /// Report the frames that were lost before this one, and deliver it. Return its buffer after the last use.
    case deliver(CapturedFrame)
    /// Report the frames that were lost before this one, and that it is damaged. Return its buffer.
    case damaged(CapturedFrame)
    /// Return a buffer that the camera did not fill.
    case giveBack(buffer: Int)
    /// Report a refused control. The camera continues.
    case controlRefused(HelperFailure)
    /// End the helper, and report the camera as gone.
    case end(SessionEnd)
}

/// A frame with its judged time.
package struct CapturedFrame: Sendable, Hashable {
    package var buffer: Int
    package var time: MediaTime
    /// The number of frames that were lost before this one.
    package var lost: Int64
    /// The bytes of a compressed frame.
    package var byteCount: Int
    /// The exposure time in microseconds; nil if the camera reports none.
    package var exposure: Int64?
}

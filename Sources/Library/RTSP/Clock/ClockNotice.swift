/// An observation about a camera's clock that its owner should know. Streams are numbered as in `CameraClock`.
///
/// In each of these cases the arrival of packets decides the times.
package enum ClockNotice: Sendable, Hashable {
    /// The RTP times jumped by these seconds: the camera restarted its encoder, or left out a pause.
    case timesJumped(stream: Int, seconds: Double)
    /// The reports of a stream jumped by these seconds: the camera's wall clock was set.
    case reportsJumped(stream: Int, seconds: Double)
    /// A report states an RTP time that differs by these seconds from those of the packets.
    case reportsContradictPackets(stream: Int, seconds: Double)
    /// The response to PLAY places this stream this much after another one; the arrival of the packets contradicts
    /// that.
    case beginningsDisagree(stream: Int, seconds: Double)
    /// The reports place this stream this far from another one; the arrival of the packets contradicts that.
    case streamsDisagree(stream: Int, seconds: Double)
    /// Each report of a stream contradicts the one before.
    case reportsUnsteady(stream: Int)
    /// The wall clock in the reports does not run.
    case reportsStandStill(stream: Int)
    /// The camera reports that it has no wall clock.
    case withoutWallClock(stream: Int)
    /// The camera's date differs from ours by these seconds, e.g. because its clock began in 1970. Only differences
    /// between the camera's times are used.
    case wrongDate(seconds: Int64)
}

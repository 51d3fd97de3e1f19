/// The account of a data output's samples. Video counts frames, audio counts audio frames.
///
/// Every captured sample was delivered, dropped for a reason, or still waits for the delegate.
public struct AVCaptureLedger: Sendable, Hashable {
    /// All samples of the device: those that reached this program, and those that were lost on the way.
    public internal(set) var captured: Int64 = 0
    /// Samples that were passed to the delegate.
    public internal(set) var delivered: Int64 = 0
    /// Frames that were dropped because a newer frame came before the delegate was ready.
    public internal(set) var late: Int64 = 0
    /// Samples that were dropped because too many samples waited for the delegate.
    public internal(set) var full: Int64 = 0
    /// Samples that the device or its driver lost, or that are missing because the device was unplugged.
    public internal(set) var lost: Int64 = 0
    /// Frames that could not be decoded or converted for the delegate.
    public internal(set) var failed: Int64 = 0

    public init() {}

    public var dropped: Int64 { late + full + lost + failed }
    /// Samples that wait for the delegate.
    public var waiting: Int64 { captured - delivered - dropped }
}

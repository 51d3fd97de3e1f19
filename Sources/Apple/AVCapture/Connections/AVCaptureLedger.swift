/// The account of a data output's samples. Video counts frames, audio counts audio frames.
///
/// Every captured sample was delivered, dropped for a reason, or still waits for the delegate.
public struct AVCaptureLedger: Sendable, Hashable {
    /// Samples that the device captured, including those that it lost.
    public internal(set) var captured: Int64 = 0
    /// Samples that the delegate was called with.
    public internal(set) var delivered: Int64 = 0
    /// Frames that were dropped because a newer one came before the delegate had time for them.
    public internal(set) var late: Int64 = 0
    /// Samples that were dropped because too many waited.
    public internal(set) var full: Int64 = 0
    /// Samples that were lost before they reached this program: by the device, its driver, or while it was unplugged.
    public internal(set) var lost: Int64 = 0
    /// Frames that could not be decoded or converted for the delegate.
    public internal(set) var failed: Int64 = 0

    public init() {}

    public var dropped: Int64 { late + full + lost + failed }
    /// Samples that wait for the delegate.
    public var waiting: Int64 { captured - delivered - dropped }
}

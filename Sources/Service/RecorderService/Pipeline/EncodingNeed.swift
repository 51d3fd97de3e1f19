/// Decides when an armed process encodes: while packets are needed, and for some time afterwards. A pure value.
///
/// A recording and each viewer need packets. A pre-roll always needs packets, so the encoders of a process with a
/// pre-roll never rest.
struct EncodingNeed {
    /// Time for which encoders continue after packets were last needed, in nanoseconds.
    static let linger: Int64 = 10_000_000_000

    private let mayRest: Bool
    private(set) var isResting = false
    private var lastNeeded: Int64?

    /// Creates a value for one process.
    ///
    /// - Parameter mayRest: False if packets are always needed.
    init(mayRest: Bool) { self.mayRest = mayRest }

    /// Records that packets are needed from now on.
    ///
    /// - Returns: true if encoders have to begin.
    mutating func require(at nanoseconds: Int64) -> Bool {
        lastNeeded = nanoseconds
        defer { isResting = false }
        return isResting
    }

    /// Checks whether packets are still needed.
    ///
    /// - Parameter isNeeded: True while there is a recording or a viewer.
    /// - Returns: true if encoders have to end.
    mutating func look(isNeeded: Bool, at nanoseconds: Int64) -> Bool {
        guard mayRest, !isResting else { return false }
        guard !isNeeded, let lastNeeded else {
            lastNeeded = nanoseconds
            return false
        }
        isResting = nanoseconds - lastNeeded >= Self.linger
        return isResting
    }
}

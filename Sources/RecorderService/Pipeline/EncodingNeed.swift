/// Decides when an armed process encodes: while somebody needs packets, and for a while after. A pure value.
///
/// A recording needs them, and so does each viewer. A pre-roll needs them always; such a process never rests.
struct EncodingNeed {
    /// How long encoders continue when nobody needs them any more, in nanoseconds.
    static let linger: Int64 = 10_000_000_000

    private let mayRest: Bool
    private(set) var isResting = false
    private var lastNeeded: Int64?

    /// - Parameter mayRest: false: packets are needed all the time.
    init(mayRest: Bool) { self.mayRest = mayRest }

    /// Somebody needs packets from now on.
    ///
    /// - Returns: whether encoders have to begin.
    mutating func require(at nanoseconds: Int64) -> Bool {
        lastNeeded = nanoseconds
        defer { isResting = false }
        return isResting
    }

    /// - Parameter isNeeded: a recording or a viewer is there.
    /// - Returns: whether encoders have to end.
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

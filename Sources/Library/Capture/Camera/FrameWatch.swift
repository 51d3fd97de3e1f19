/// Decides when a stream counts as lost: when no frame arrives any more, or only damaged ones. A plain value; times are
/// nanoseconds of the monotonic clock.
///
/// A USB camera that has lost its place in the stream sends damaged frames until the stream is started again. A camera
/// that sends some undamaged frames is not lost: starting it again would cost more frames.
struct FrameWatch: Sendable {
    private let timeout: Int64
    private var lastFrame: Int64
    /// The time of the first damaged frame after the last undamaged one.
    private var damagedSince: Int64?

    /// - Parameters:
    ///   - timeout: The time without a frame after which the stream counts as lost.
    ///   - start: The start of streaming.
    init(timeout: Int64, start: Int64) {
        self.timeout = timeout
        lastFrame = start
    }

    /// The time for which all frames must be damaged before the stream counts as lost.
    var damageTimeout: Int64 { 2 * timeout }

    mutating func record(isDamaged: Bool, at now: Int64) {
        lastFrame = now
        damagedSince = isDamaged ? damagedSince ?? now : nil
    }

    /// Returns the time until the stream counts as lost if no frame arrives; zero if it counts as lost.
    func timeLeft(at now: Int64) -> Int64 { max(0, timeout - (now - lastFrame)) }

    /// Returns true if the stream counts as lost because all its frames are damaged.
    func isDamaged(at now: Int64) -> Bool { damagedSince.map { now - $0 >= damageTimeout } ?? false }
}

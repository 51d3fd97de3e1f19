/// How much of its time an encoder's thread is busy, to notice one that needs more threads before its queue is full.
///
/// A pure value; times are nanoseconds of one clock.
package struct EncoderLoad: Sendable {
    /// Long enough for a single hard picture not to count, short against what waits in a live queue.
    static let window: Int64 = 400_000_000
    /// The part of a window beyond which the thread is as good as always busy.
    static let most = 0.85

    private var beginning: Int64?
    private var busy: Int64 = 0

    package init() {}

    /// A picture was worked on between two times.
    ///
    /// - Returns: true when the thread has had too little time to spare in the latest window.
    package mutating func isTooMuch(began: Int64, ended: Int64) -> Bool {
        let beginning = beginning ?? began
        busy += ended - began
        self.beginning = beginning
        guard ended - beginning >= Self.window else { return false }
        let isTooMuch = Double(busy) > Double(ended - beginning) * Self.most
        self.beginning = ended
        busy = 0
        return isTooMuch
    }
}

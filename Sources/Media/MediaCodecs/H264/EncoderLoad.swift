/// The load of an encoder's thread. A high load means that the encoder needs more threads, and is detected before the
/// encoder's queue is full.
///
/// A pure value; times are nanoseconds of one clock.
package struct EncoderLoad: Sendable {
    /// The length of a window, in nanoseconds. It is long enough that a single difficult frame does not matter, and
    /// much shorter than a live queue.
    static let window: Int64 = 400_000_000
    /// The maximum share of busy time in a window. Above it, the thread counts as always busy.
    static let most = 0.85

    private var beginning: Int64?
    private var busy: Int64 = 0

    package init() {}

    /// Records that a frame was encoded between two times.
    ///
    /// - Returns: true if the thread had too little spare time in the latest window.
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

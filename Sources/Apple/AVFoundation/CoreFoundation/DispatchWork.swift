public import Dispatch

// Apple's declarations predate `@Sendable`, so in Swift 5 mode the compiler only warns if a closure in a method of the
// main actor uses its object. Linux' declarations make that an error, although the closure runs the same way.
extension DispatchQueue {
    /// Runs the closure on the queue, and returns at once.
    @preconcurrency
    public func async(execute work: @escaping @Sendable () -> Void) { async(group: nil, execute: work) }

    /// Runs the closure on the queue at that time, and returns at once.
    @preconcurrency
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: deadline, qos: .unspecified, execute: work)
    }
}

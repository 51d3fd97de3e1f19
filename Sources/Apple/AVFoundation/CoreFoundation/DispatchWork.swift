public import Dispatch

// Apple's declarations predate `@Sendable`. In Swift 5 mode, the compiler therefore only warns if a closure in a main
// actor's method uses `self`. Dispatch on Linux makes that an error, although the closure runs in the same way. These
// variants behave as on Apple's systems.
extension DispatchQueue {
    /// Runs the closure on the queue, and returns immediately.
    @preconcurrency
    public func async(execute work: @escaping @Sendable () -> Void) { async(group: nil, execute: work) }

    /// Runs the closure on the queue at the deadline, and returns immediately.
    @preconcurrency
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) {
        asyncAfter(deadline: deadline, qos: .unspecified, execute: work)
    }
}

public import Dispatch

/// A queue that runs its work items one after the other, as created by `DispatchQueue(label:)`.
///
/// Apple has a separate class for it, which an actor may use as its executor. Linux' queue cannot be subclassed, so any
/// queue can be an executor here; use a serial one for an actor.
public typealias DispatchSerialQueue = DispatchQueue

extension DispatchQueue: @retroactive SerialExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Stops the program on any other queue, as `assumeIsolated` requires.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}

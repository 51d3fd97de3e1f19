public import Dispatch

/// A queue that runs its work items one after the other, such as one that `DispatchQueue(label:)` creates.
///
/// Apple has a separate class for serial queues, which an actor may use as its executor. On Linux, `DispatchQueue`
/// cannot be subclassed, so every queue can be an executor. Use only a serial queue for an actor.
public typealias DispatchSerialQueue = DispatchQueue

extension DispatchQueue: @retroactive SerialExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Stops the program if the caller does not run on this queue. `assumeIsolated` requires this check.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}

public import Dispatch

/// A queue whose work runs one after the other: what `DispatchQueue(label:)` makes.
///
/// Apple has a class of its own for it, which an actor may use as its executor. Linux' queue cannot be inherited from, so
/// that here any queue can be an executor; give an actor a serial one.
public typealias DispatchSerialQueue = DispatchQueue

extension DispatchQueue: @retroactive SerialExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Stops the program on any other queue, as `assumeIsolated` promises.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}

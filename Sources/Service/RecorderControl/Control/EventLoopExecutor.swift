import NIOCore

/// Runs tasks on the thread of an event loop.
///
/// A task that sends small messages at short intervals to a connection of that loop switches no threads: neither when
/// its wait ends, nor when it writes. Such a task must not block the thread. The loop must last as long as the process.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Waits for some time, such as the interval between two messages of a stream. Unlike `Task.sleep`, it uses the loop's
    /// own timer, and blocks no thread.
    ///
    /// - Throws: `CancellationError` after the wait if the task has been cancelled by then.
    func wait(for time: Duration) async throws {
        try await loop.scheduleTask(in: TimeAmount(time)) {}.futureResult.get()
        try Task.checkCancellation()
    }
}

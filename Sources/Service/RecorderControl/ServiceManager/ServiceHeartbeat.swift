package import RealTime

/// Keeps the service manager informed, from a separate thread, while this object exists.
///
/// It uses a thread instead of a task for two reasons. It continues when all of Swift's few cooperative threads are in
/// use, and only this thread waits for a slow manager.
package final class ServiceHeartbeat: Sendable {
    private let notifier: ServiceNotifier
    private let clock = MonotonicClock()
    private let wakeUp: WakeUp
    private let isOver = Locked(false)
    private let thread: NamedThread

    /// Starts the thread.
    ///
    /// - Parameter facts: Called on the thread, eight times within the watchdog's timeout and at least once per second.
    ///   While this closure blocks, the watchdog is not fed.
    package init(_ notifier: ServiceNotifier, facts: @escaping @Sendable () -> ServiceState) throws(ThreadError) {
        let (clock, wakeUp, isOver) = (clock, WakeUp(), isOver)
        let pause = max(1_000_000, min(1_000_000_000, notifier.watchdogTimeout.map { $0 / 8 } ?? .max))
        thread = try NamedThread("service-manager") {
            var conversation = ServiceConversation(watchdogTimeout: notifier.watchdogTimeout)
            while true {
                let isLast = isOver.withLock { $0 }
                notifier.send(conversation.messages(for: facts(), at: clock.nanoseconds))
                if isLast { return }
                if wakeUp.isFired(before: clock.nanoseconds + pause) { wakeUp.clear() }
            }
        }
        self.notifier = notifier
        self.wakeUp = wakeUp
    }

    /// Makes the thread send a change at once, because the manager waits for it. Thread-safe; never blocks.
    package func wake() { wakeUp.fire() }

    /// Reports to the manager that the configuration is being read again, runs `body`, and then reports that the
    /// service is ready.
    package func reload<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        notifier.send([.reloading(since: clock.nanoseconds)])
        defer { notifier.send([.ready]) }
        return try await body()
    }

    /// Sends the last messages, and returns when they are sent. Called once, at the end.
    package func stop() {
        isOver.withLock { $0 = true }
        wakeUp.fire()
        thread.join()
    }
}

import CommandInterface
import FileSystem
import Foundation
package import Logging
import RealTime

/// Runs the user's commands, one after the other, on a separate thread.
///
/// Thread-safe. Only `finish()` waits for a command.
package final class HookRunner: Sendable {
    private struct Job: Sendable {
        let command: String
        let facts: HookInfo
    }

    private struct State: Sendable {
        var hooks: HookCommands
        var waiting: [Job] = []
        var isRunning = false
        var isFinishing = false
        /// The time at which the last command is killed, in nanoseconds of the monotonic clock.
        var deadline = Int64.max
        var thread: NamedThread?
        var thrownAway = 0
    }

    /// Maximum number of waiting events while a command hangs. Further events are counted and dropped, to limit the
    /// memory.
    static let longestQueue = 32

    private let name: RecordingName
    private let log: Logger
    private let state: Locked<State>
    private let clock = MonotonicClock()
    private let environment: [String: String]

    /// Creates a runner without waiting events.
    ///
    /// - Parameter environment: The environment of the commands, to which the facts are added.
    package init(
        _ hooks: HookCommands, name: RecordingName, log: Logger,
        environment: [String: String] = ProcessText.environment
    ) {
        self.name = name
        self.log = log
        self.environment = HookInfo.removed(from: ServiceVariables.removed(from: environment))
        state = Locked(State(hooks: hooks))
    }

    /// The number of events whose command was never run, because too many were waiting, or because the recorder ended
    /// first.
    package var thrownAway: Int { state.withLock { $0.thrownAway } }

    /// Sets the commands for future events. Events that already wait keep their commands.
    package func update(_ hooks: HookCommands) { state.withLock { $0.hooks = hooks } }

    /// Queues the event's command, if there is one. It runs when the commands before it have ended. Returns at once.
    ///
    /// The first event starts the thread, so capture threads must not call this.
    package func run(_ event: HookCommands.Event, _ facts: HookInfo = HookInfo()) {
        var facts = facts
        facts.event = event
        facts.name = name.description
        facts.time = TimestampText.text(Date())
        let isTaken: Bool? = state.withLock { state in
            guard let command = state.hooks.commands[event], !command.isEmpty, !state.isFinishing else { return nil }
            guard state.waiting.count < Self.longestQueue else {
                state.thrownAway += 1
                return false
            }
            state.waiting.append(Job(command: command, facts: facts))
            return true
        }
        switch isTaken {
        case true?: startThread()
        case false?:
            log.warning("hook \(event.rawValue): skipped, because \(Self.longestQueue) hooks are already waiting")
        case nil: break
        }
        state.broadcast()
    }

    /// Refuses further events, and returns when the waiting commands have ended. The wait is limited to one command's
    /// time limit, plus three times `HookProcess.patience` for a command that does not end at its limit.
    package func finish() async {
        let now = clock.nanoseconds
        let limit: Int64 = state.withLock { state in
            state.isFinishing = true
            state.deadline = min(state.deadline, now + state.hooks.timeLimit.nanoseconds)
            return state.deadline - now
        }
        state.broadcast()
        let (state, log) = (state, log)
        await blockingCall("await-hooks") {
            let patience = limit + 3 * HookProcess.patience
            let isDone: Void? = state.waiting(atMost: patience) {
                $0.waiting.isEmpty && !$0.isRunning ? () : nil
            }
            guard isDone != nil else { return log.error("a hook does not end; not waiting for it any longer") }
            // The thread has nothing more to do.
            state.withLock { $0.thread }?.join()
        }
    }

    private func startThread() {
        state.withLock { state in
            guard state.thread == nil else { return }
            // The thread ends with the process, or because of `finish`.
            do { state.thread = try NamedThread("hooks") { [self] in work() } } catch {
                // Another event may have come in the meantime.
                state.thrownAway += state.waiting.count
                state.waiting = []
                log.error("cannot run hooks: \(error)")
            }
        }
    }

    private func work() {
        while let (job, limit, deadline) = next() {
            if clock.nanoseconds >= deadline {
                log.warning("hook \(job.facts.event.rawValue): skipped, because the time limit for hooks has passed")
                state.withLock { $0.thrownAway += 1 }
            } else {
                run(job, until: min(deadline, clock.nanoseconds + limit))
            }
            state.withLock { $0.isRunning = false }
            state.broadcast()
        }
    }

    /// Waits for the next command and returns it; nil if no further command will follow.
    private func next() -> (job: Job, limit: Int64, deadline: Int64)? {
        typealias Next = (job: Job, limit: Int64, deadline: Int64)
        return state.waiting { state -> Next?? in
            if !state.waiting.isEmpty {
                state.isRunning = true
                return .some((state.waiting.removeFirst(), state.hooks.timeLimit.nanoseconds, state.deadline))
            }
            return state.isFinishing ? .some(nil) : nil
        }
    }

    private func run(_ job: Job, until deadline: Int64) {
        let event = job.facts.event.rawValue
        let outcome = HookProcess.run(
            job.command, environment: environment.merging(job.facts.environment) { _, fact in fact },
            input: Array(JSONText.line(job.facts).utf8) + [UInt8(ascii: "\n")],
            deadline: { [state] in min(deadline, state.withLock { $0.deadline }) })
        for line in outcome.lines { log.info("hook \(event): \(line)") }
        if outcome.isCut { log.warning("hook \(event): output beyond 64 KiB is omitted") }
        switch outcome.end {
        case .exited(0): log.info("hook \(event): done")
        case .exited(let status): log.warning("hook \(event): failed with exit status \(status)")
        case .signalled(let number): log.warning("hook \(event): ended by signal \(number)")
        case .outOfTime: log.warning("hook \(event): ended at its time limit; increase --hook-time-limit")
        case .notStarted(let error): log.error("hook \(event): \(error)")
        }
    }
}

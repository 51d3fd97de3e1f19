import Dispatch
public import Foundation
import RealTime

extension AVAssetExportSession {
    /// A value of `states(updateInterval:)`.
    public enum State: @unchecked Sendable {
        // Unchecked: a `Progress` may be read from any thread.
        /// The export has not begun.
        case pending
        /// The export has started, but has no output yet.
        case waiting
        /// The export is in progress. The progress object's `fractionCompleted` is the finished part. The object is
        /// always the same, and its values change.
        case exporting(progress: Progress)
    }

    /// Returns a stream of the export's states. It delivers the current state immediately, then each change, and during
    /// the export regular reports of the progress. The stream ends with the export.
    ///
    /// - Parameter interval: the seconds between progress reports, at most a day. If infinite, only changes of the state
    ///   are reported.
    public func states(updateInterval interval: TimeInterval = .infinity) -> AsyncStream<State> {
        watchers.stream(interval)
    }
}

/// The observers of an export. Safe to call from any thread.
final class ExportWatchers: Sendable {
    typealias State = AVAssetExportSession.State

    private enum Phase {
        case pending, waiting, exporting, ended
    }

    private struct Watcher {
        let continuation: AsyncStream<State>.Continuation
        let timer: (any DispatchSourceTimer)?
    }

    private struct Shared: @unchecked Sendable {
        // Unchecked: protected by the lock; a timer and a Progress may be used from any thread.
        var phase = Phase.pending
        var watchers: [UUID: Watcher] = [:]
        var measure: (@Sendable () -> Double)?
        let progress = Progress(totalUnitCount: 1000)
        /// Updates the progress while the export has observers.
        var clock: (any DispatchSourceTimer)?
    }

    private let shared = Locked(Shared())
    private let queue = DispatchQueue(label: "recorder.export-session.states")

    func record(_ state: State) {
        shared.withLock { shared in
            shared.phase = .waiting
            for watcher in shared.watchers.values { watcher.continuation.yield(state) }
        }
    }

    /// - Parameter measure: a closure that returns the finished part without blocking.
    func begin(_ measure: @escaping @Sendable () -> Double) {
        shared.withLock { shared in
            guard shared.phase != .ended else { return }
            shared.phase = .exporting
            shared.measure = measure
            for watcher in shared.watchers.values { watcher.continuation.yield(.exporting(progress: shared.progress)) }
        }
    }

    func end(isCompleted: Bool) {
        let watchers = shared.withLock { shared in
            shared.phase = .ended
            shared.clock?.cancel()
            shared.clock = nil
            if isCompleted { shared.progress.completedUnitCount = 1000 }
            defer { shared.watchers = [:] }
            return (shared.watchers, shared.progress)
        }
        for watcher in watchers.0.values {
            watcher.timer?.cancel()
            if isCompleted { watcher.continuation.yield(.exporting(progress: watchers.1)) }
            watcher.continuation.finish()
        }
    }

    func stream(_ interval: TimeInterval) -> AsyncStream<State> {
        AsyncStream { continuation in
            let id = UUID()
            // Dispatch traps if an interval has more than 2^64 ns.
            let timer: (any DispatchSourceTimer)? =
                interval.isFinite ? makeTimer(max(0.001, min(interval, 86_400)), id) : nil
            let isOver = shared.withLock { shared in
                switch shared.phase {
                case .pending: continuation.yield(.pending)
                case .waiting: continuation.yield(.waiting)
                case .exporting: continuation.yield(.exporting(progress: shared.progress))
                case .ended: return true
                }
                shared.watchers[id] = Watcher(continuation: continuation, timer: timer)
                if shared.clock == nil {
                    let clock = DispatchSource.makeTimerSource(queue: queue)
                    clock.schedule(deadline: .now(), repeating: .milliseconds(100))
                    clock.setEventHandler { [weak self] in self?.measure() }
                    clock.resume()
                    shared.clock = clock
                }
                return false
            }
            timer?.resume()
            if isOver {
                timer?.cancel()
                return continuation.finish()
            }
            continuation.onTermination = { [weak self] _ in
                let gone = self?.shared.withLock { shared -> Watcher? in
                    let gone = shared.watchers.removeValue(forKey: id)
                    if shared.watchers.isEmpty {
                        shared.clock?.cancel()
                        shared.clock = nil
                    }
                    return gone
                }
                gone?.timer?.cancel()
            }
        }
    }

    private func makeTimer(_ interval: TimeInterval, _ id: UUID) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            measure()
            shared.withLock { shared in
                guard shared.phase == .exporting else { return }
                shared.watchers[id]?.continuation.yield(.exporting(progress: shared.progress))
            }
        }
        return timer
    }

    private func measure() {
        guard let measure = shared.withLock({ $0.measure }) else { return }
        let done = measure()
        guard done.isFinite else { return }
        shared.withLock { shared in
            guard shared.phase == .exporting else { return }
            shared.progress.completedUnitCount = max(
                shared.progress.completedUnitCount, Int64(min(1, max(0, done)) * 1000))
        }
    }
}

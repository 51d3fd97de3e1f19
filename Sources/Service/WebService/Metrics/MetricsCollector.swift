import RealTime
package import RecorderControl
package import RecorderStorage

/// Collects the metrics of all recorders of this machine. Thread-safe.
///
/// One collection runs at a time, and its result is reused for a second. Many requests therefore cause no more work
/// than one request.
package final class MetricsCollector: Sendable {
    /// The maximum work of one collection. Times are nanoseconds.
    package struct Limits: Sendable {
        package var recorders = 256
        /// The number of recorders from which metrics are requested at the same time.
        package var atOnce = 32
        /// The maximum time for one recorder's answer. `answers` is the maximum time for the answers of all recorders;
        /// it is less than Prometheus' limit of 10 s.
        package var answer: Int64 = 2_000_000_000
        package var answers: Int64 = 5_000_000_000
        /// The time for which a result is reused.
        package var reuse: Int64 = 1_000_000_000

        package init() {}
    }

    private struct Round {
        let task: Task<MetricFamilies, Never>
        /// The time at which the collection ended, in nanoseconds of the monotonic clock; nil while the collection
        /// runs.
        var ended: Int64?
    }

    private struct Found: Sendable {
        /// The recorders that run or ended early, in alphabetical order.
        let names: [RecordingName]
        let running: Set<RecordingName>
        let ends: [String: RecorderEnd]
        let publishers: [RecordingName: PublishState]
    }

    private let runtime: RuntimeDirectory
    private let ended: @Sendable () -> [RecorderEnd]
    private let limits: Limits
    private let clock = MonotonicClock()
    private let newest = Locked<Round?>(nil)

    /// Creates a collector.
    ///
    /// - Parameter ended: Returns the recorders that died or ended with an error.
    package init(
        _ runtime: RuntimeDirectory, limits: Limits = Limits(), ended: @escaping @Sendable () -> [RecorderEnd]
    ) {
        self.runtime = runtime
        self.limits = limits
        self.ended = ended
    }

    /// Returns the metrics of all recorders.
    func families() async -> MetricFamilies {
        let now = clock.nanoseconds
        let task = newest.withLock { newest in
            if let newest, newest.ended.map({ now - $0 < limits.reuse }) ?? true { return newest.task }
            let task = Task { await collect() }
            newest = Round(task: task)
            return task
        }
        return await task.value
    }

    private func collect() async -> MetricFamilies {
        let found = await look()
        let texts = await ask(found.names.filter(found.running.contains))
        var families = MetricFamilies()
        for name in found.names {
            families.add(
                "recorder_up", "1 if the recorder runs and answers, 0 if not.", texts[name] == nil ? 0 : 1,
                of: "\(name)")
        }
        for name in found.names {
            for state in RecorderEnd.State.allCases {
                families.add(
                    "recorder_ended",
                    "1 if an unstopped recorder ended in this state, until it is restarted or acknowledged.",
                    found.ends[name.description]?.state == state ? 1 : 0, of: "\(name)", "state", state.rawValue)
            }
        }
        for name in found.names {
            guard let publisher = found.publishers[name] else { continue }
            families.add(
                "recorder_publish_up", "1 while the live stream is being published, 0 if not.", publisher.isUp ? 1 : 0,
                of: "\(name)")
            families.add(
                "recorder_publish_restarts_total", "Number of times publishing ended and was started again.",
                publisher.restarts, of: "\(name)")
        }
        for name in found.names {
            if let text = texts[name] { families.add(text, of: "\(name)") }
        }
        let now = clock.nanoseconds
        newest.withLock { newest in
            guard newest != nil else { return }
            newest?.ended = now
        }
        return families
    }

    private func look() async -> Found {
        let (runtime, ended, most) = (runtime, ended, limits.recorders)
        return await blockingCall("look-for-recorders") {
            let running = Set(runtime.running())
            let ends = Dictionary(ended().map { ($0.name, $0) }) { $1 }
            let all = running.union(ends.keys.compactMap { try? RecordingName(parsing: $0) })
            let names = Array(all.sorted { $0.description < $1.description }.prefix(most))
            var publishers: [RecordingName: PublishState] = [:]
            for name in names {
                publishers[name] = PublishState(at: PublishState.path(of: name.description, beside: runtime.path))
            }
            return Found(names: names, running: running, ends: ends, publishers: publishers)
        }
    }

    /// Returns the metrics of the recorders that answer in time. A recorder that does not answer hardly delays the
    /// others: it occupies one of the `atOnce` simultaneous requests only until its time is over.
    private func ask(_ names: [RecordingName]) async -> [RecordingName: String] {
        let (runtime, limits, clock) = (runtime, limits, clock)
        let end = clock.nanoseconds + limits.answers
        @Sendable func answer(_ name: RecordingName) async -> (RecordingName, String?) {
            let time = min(limits.answer, end - clock.nanoseconds)
            guard time > 0 else { return (name, nil) }
            return (name, try? await ControlClient(name, in: runtime).metrics(within: time))
        }
        return await withTaskGroup(of: (RecordingName, String?).self) { group in
            var rest = names[...]
            while rest.count > names.count - limits.atOnce, let name = rest.popFirst() {
                group.addTask { await answer(name) }
            }
            var texts: [RecordingName: String] = [:]
            while let (name, text) = await group.next() {
                texts[name] = text
                if let next = rest.popFirst() { group.addTask { await answer(next) } }
            }
            return texts
        }
    }
}

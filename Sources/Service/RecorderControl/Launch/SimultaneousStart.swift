import CommandInterface
package import MediaTypes
import RealTime
package import RecorderStorage

/// Begins several recordings at the same time by the devices' clock.
///
/// First all recorders open their devices, unless they are armed already. Then all of them receive the same start time:
/// the earliest time for which every recorder has kept packets. If one recorder fails, none begins, unless `takesSome`
/// is true.
package struct SimultaneousStart: Sendable {
    /// The operations on recorders; tests replace them.
    package struct Means: Sendable {
        /// Returns a recorder's status; nil if it is not running.
        package var status: @Sendable (RecordingName) async throws(MediaError) -> RecordingStatus?
        /// Starts a process that opens its devices and then waits for the request to begin its only recording.
        package var launch: @Sendable (RecordingName) async throws(StartError) -> Void
        package var record: @Sendable (RecordingName, MediaTime) async throws(MediaError) -> RecordingStatus
        /// Ends a recording, and also the process if `launch` started it.
        package var end: @Sendable (RecordingName, _ isLaunched: Bool) async -> Void

        package init(
            status: @escaping @Sendable (RecordingName) async throws(MediaError) -> RecordingStatus?,
            launch: @escaping @Sendable (RecordingName) async throws(StartError) -> Void,
            record: @escaping @Sendable (RecordingName, MediaTime) async throws(MediaError) -> RecordingStatus,
            end: @escaping @Sendable (RecordingName, _ isLaunched: Bool) async -> Void
        ) {
            (self.status, self.launch, self.record, self.end) = (status, launch, record, end)
        }
    }

    package struct Outcome: Sendable {
        /// The recorders that are recording now, in the order of their names.
        package var begun: [RecordingStatus] = []
        /// The recorders that failed, with the reasons.
        package var failures: [(name: RecordingName, error: StartError)] = []

        package init() {}
    }

    private struct Ready: Sendable {
        var name: RecordingName
        var isLaunched: Bool
        /// The duration of the recorder's pre-roll.
        var preRoll: MediaTime
    }

    private let means: Means
    private let clock: any HostClock
    /// True if the other recorders begin even if one has failed; false if none begins in that case.
    private let takesSome: Bool

    package init(_ means: Means, asManyAsCan takesSome: Bool) {
        self.init(means, asManyAsCan: takesSome, clock: MonotonicClock())
    }

    init(_ means: Means, asManyAsCan takesSome: Bool, clock: any HostClock) {
        (self.means, self.takesSome, self.clock) = (means, takesSome, clock)
    }

    package func begin(_ names: [RecordingName]) async -> Outcome {
        var outcome = Outcome()
        var ready: [Ready] = []
        for (name, result) in await SeveralRecordings.ask(names, prepare) {
            switch result {
            case .success(let one): ready.append(one)
            case .failure(let error): outcome.failures.append((name, error))
            }
        }
        // Recorders that were armed before this call stay armed.
        guard mayContinue(outcome) else { return await giveUp(outcome, ready.filter(\.isLaunched)) }
        let instant = MediaTime(nanoseconds: clock.nanoseconds) - (ready.map(\.preRoll).min() ?? .zero)
        let means = means
        let launched = Dictionary(uniqueKeysWithValues: ready.map { ($0.name, $0.isLaunched) })
        let answers = await SeveralRecordings.ask(ready.map(\.name)) { (name) async throws(StartError) in
            do throws(MediaError) { return try await means.record(name, instant) } catch {
                throw StartError(RecordingFailure(.output, error))
            }
        }
        for (name, result) in answers {
            switch result {
            case .success(let status): outcome.begun.append(status)
            case .failure(let error):
                outcome.failures.append((name, error))
                if launched[name] == true { await means.end(name, true) }
            }
        }
        guard mayContinue(outcome) else {
            return await giveUp(outcome, ready.filter { one in !outcome.failures.contains { $0.name == one.name } })
        }
        return outcome
    }

    private func mayContinue(_ outcome: Outcome) -> Bool { takesSome || outcome.failures.isEmpty }

    private func giveUp(_ outcome: Outcome, _ others: [Ready]) async -> Outcome {
        var outcome = outcome
        outcome.begun = []
        for one in others { await means.end(one.name, one.isLaunched) }
        return outcome
    }

    private func prepare(_ name: RecordingName) async throws(StartError) -> Ready {
        do throws(MediaError) {
            if let status = try await means.status(name) { return try armed(name, status) }
        } catch {
            throw StartError(RecordingFailure(.control, error))
        }
        try await means.launch(name)
        return Ready(name: name, isLaunched: true, preRoll: .zero)
    }

    private func armed(_ name: RecordingName, _ status: RecordingStatus) throws(MediaError) -> Ready {
        guard status.state == .armed else {
            throw MediaError(
                .busy, "cannot start \(name)",
                reason: status.state == .starting ? "it is already starting" : "it is already recording",
                wayOut: "`recorder stop \(name)` ends it")
        }
        return Ready(name: name, isLaunched: false, preRoll: MediaTime(seconds: max(0, status.preRoll?.duration ?? 0)))
    }
}

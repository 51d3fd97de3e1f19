import Foundation
import MediaTypes
import RealTime
package import RecorderService

/// Asks the recorders of this machine once a second how they do, by a task of its own, and says how many workers may compute beside
/// them.
package final class RecorderWatch: Sendable {
    private let allowance: Locked<WorkerAllowance>
    private let task = Locked<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - most: workers at once.
    ///   - places: where recorders are looked for.
    package init(most: Int, places: [RuntimeDirectory] = RecorderWatch.usualPlaces()) {
        let allowance = Locked(WorkerAllowance(most: most))
        self.allowance = allowance
        let places = places.map { RunningRecordings(in: $0) }
        let clock = MonotonicClock()
        let watch = Task {
            while !Task.isCancelled {
                let readings = await Self.readings(places)
                allowance.withLock { $0.note(readings, at: clock.nanoseconds) }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
        task.withLock { $0 = watch }
    }

    /// The recorders of this user, and those of the service: in `$RECORDER_SERVICE_DIRECTORY`, else `/run/recorder`.
    package static func usualPlaces(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [RuntimeDirectory] {
        let service = environment["RECORDER_SERVICE_DIRECTORY"] ?? "/run/recorder"
        let own = RuntimeDirectory(environment: environment)
        return own.path == service ? [own] : [own, RuntimeDirectory(path: service)]
    }

    /// How many workers may compute, and for which recorder the others wait. Never blocks.
    package var allowed: LocalEngine.Allowance {
        allowance.withLock { LocalEngine.Allowance(workers: $0.workers, recorder: $0.strained) }
    }

    package func stop() { task.withLock { $0 }?.cancel() }

    private static func readings(_ places: [RunningRecordings]) async -> [WorkerAllowance.Reading] {
        var readings: [WorkerAllowance.Reading] = []
        for place in places {
            for name in place.names {
                let status = try? await place.client(name).status()
                readings.append(WorkerAllowance.Reading(name: name.description, strain: status.map(strain)))
            }
        }
        return readings
    }

    /// What a recording suffers when others take its processor or its disk. What a device lost, or a person paused, is none of that.
    static func strain(_ status: RecordingStatus) -> Int64 {
        func lost(_ drops: RecordingStatus.Drops) -> Int64 { drops.queue &+ drops.encoder &+ drops.disk }
        let video = status.video.map { lost($0.dropped) &+ ($0.eased ?? 0) } ?? 0
        let audio = status.audio.map { lost($0.dropped) &+ ($0.xruns ?? 0) } ?? 0
        return video &+ audio
    }
}

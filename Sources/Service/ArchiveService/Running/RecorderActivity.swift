import FileSystem
import Foundation
import MediaTypes
import RealTime
package import RecorderControl
import RecorderStorage

/// Queries the status of this machine's recorders once a second, in a separate task. The answers decide how many
/// workers may run at the same time as the recorders.
package final class RecorderActivity: Sendable {
    private let allowance: Locked<WorkerAllowance>
    private let task = Locked<Task<Void, Never>?>(nil)

    /// Starts the queries.
    ///
    /// - Parameters:
    ///   - most: The number of parallel workers.
    ///   - places: The directories of running recorders.
    package init(most: Int, places: [RuntimeDirectory] = RecorderActivity.usualPlaces()) {
        let allowance = Locked(WorkerAllowance(most: most))
        self.allowance = allowance
        let places = places.map { RunningRecordings(in: $0) }
        let clock = MonotonicClock()
        let watch = Task {
            while !Task.isCancelled {
                let readings = await Self.readings(places)
                allowance.withLock { $0.record(readings, at: clock.nanoseconds) }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
        task.withLock { $0 = watch }
    }

    /// Returns the directories of this user's recorders and of the service's recorders. The service's directory is
    /// `$RECORDER_SERVICE_DIRECTORY`, or `/run/recorder` if that variable is not set.
    package static func usualPlaces(
        environment: [String: String] = ProcessText.environment
    ) -> [RuntimeDirectory] {
        let service = environment["RECORDER_SERVICE_DIRECTORY"] ?? "/run/recorder"
        let own = RuntimeDirectory(environment: environment)
        return own.path == service ? [own] : [own, RuntimeDirectory(path: service)]
    }

    /// The number of workers that may run, and the recorder for which the other workers are stopped. Never blocks.
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

    /// Returns the number of samples that a recording dropped, or encoded with reduced effort, because the CPU or the
    /// disk was too slow. Samples that a device lost or a pause left out do not count.
    static func strain(_ status: RecordingStatus) -> Int64 {
        func lost(_ drops: RecordingStatus.Drops) -> Int64 { drops.queue &+ drops.encoder &+ drops.disk }
        let video = status.video.map { lost($0.dropped) &+ ($0.eased ?? 0) } ?? 0
        let audio = status.audio.map { lost($0.dropped) &+ ($0.xruns ?? 0) } ?? 0
        return video &+ audio
    }
}

import Foundation
import MediaTypes
import RealTime
import RecorderService

/// Whether somebody records on this machine: asked of the recorders' sockets once a second, by a task of its own.
package final class LiveRecordings: Sendable {
    private let answer = Locked(false)
    private let task = Locked<Task<Void, Never>?>(nil)

    /// The recorders of this user, and those of the service.
    package init() {
        let places = Set([RuntimeDirectory(), RuntimeDirectory(path: "/run/recorder")])
        let answer = answer
        let watch = Task {
            while !Task.isCancelled {
                let found = await Self.isRecording(places.map { RunningRecordings(in: $0) })
                answer.withLock { $0 = found }
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
            }
        }
        task.withLock { $0 = watch }
    }

    /// Never blocks.
    package var isRecording: Bool { answer.withLock { $0 } }

    package func stop() { task.withLock { $0 }?.cancel() }

    private static func isRecording(_ places: [RunningRecordings]) async -> Bool {
        for place in places {
            for name in place.names {
                // One that does not answer may record: it goes first.
                guard let status = try? await place.client(name).status() else { return true }
                if status.state != .armed { return true }
            }
        }
        return false
    }
}

import MediaTypes
import RecorderService

/// A process of that name that has its devices open and waits: `start` tells it to begin instead of starting another.
struct ArmedRecording {
    private let recording: RunningRecording
    private let processID: Int32

    /// nil when there is no such process, or when it does something else than wait.
    init?(_ name: RecordingName, in running: RunningRecordings = RunningRecordings()) async throws {
        guard running.names.contains(name), let recording = try? RunningRecording(name, in: running),
            let status = try? await running.client(name).status(), status.state == .armed
        else { return nil }
        self.recording = recording
        processID = running.directory.processID(name) ?? 0
    }

    /// - Parameter words: options of `start` besides the name; the process has its own since it was armed.
    func record(words: [String]) async throws -> (file: String, processID: Int32, retention: RetentionAccount?) {
        guard words.isEmpty else {
            throw CommandFailure(
                "cannot start \(recording.name): it is armed and has its options already; leave "
                    + "\(words.joined(separator: " ")) out, or end it with `recorder stop \(recording.name) --disarm`",
                .usage)
        }
        let status = try await recording.ask(.output) { (client) async throws(MediaError) in
            try await client.record()
        }
        return (status.file ?? "", processID, status.retention)
    }
}

import MediaTypes
import RecorderControl
import RecorderStorage

/// The armed process of a recorder. `recorder start` makes it record instead of starting another process.
struct ArmedRecording {
    private let recording: RunningRecording
    private let processID: Int32

    /// Finds the process; nil if there is none, or if it is not armed.
    init?(_ name: RecordingName, in running: RunningRecordings = RunningRecordings()) async throws {
        guard running.names.contains(name), let recording = try? RunningRecording(name, in: running),
            let status = try? await running.client(name).status(), status.state == .armed
        else { return nil }
        self.recording = recording
        processID = running.directory.processID(name) ?? 0
    }

    /// Starts recording.
    ///
    /// - Parameter words: The options of `start` besides the name. They must be empty: the process got its options when
    ///   it was armed.
    func record(words: [String]) async throws -> (file: String, processID: Int32, retention: RetentionAccount?) {
        guard words.isEmpty else {
            throw CommandFailure(
                "cannot start \(recording.name): it is already armed, with its own options; omit "
                    + "\(words.joined(separator: " ")), or first run `recorder stop \(recording.name) --disarm`",
                .usage)
        }
        let status = try await recording.ask(.output) { (client) async throws(MediaError) in
            try await client.record()
        }
        return (status.file ?? "", processID, status.retention)
    }
}

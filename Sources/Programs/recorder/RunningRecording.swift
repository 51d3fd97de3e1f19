import CommandInterface
import MediaTypes
import RecorderControl
import RecorderStorage

/// The recording that a command is about: finds it, sends it a request, and turns an error into the command's failure.
struct RunningRecording {
    let name: RecordingName
    private let client: ControlClient

    /// Finds the recording.
    ///
    /// - Parameter name: The name; nil for the only recording.
    init(_ name: RecordingName?, in running: RunningRecordings = RunningRecordings()) throws(CommandFailure) {
        do { self.name = try running.choose(name) } catch { throw CommandFailure("\(error)", .failed) }
        client = running.client(self.name)
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - stage: The stage of a failure, from which the exit code follows; `output` if the request creates a file.
    ///   - mistakes: The stage for invalid settings; nil for `stage`.
    func ask<Answer>(
        _ stage: RecordingFailure.Stage = .control, mistakesAre mistakes: RecordingFailure.Stage? = nil,
        _ body: (ControlClient) async throws(MediaError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        do { return try await body(client) } catch {
            // The recording ended between the lookup and the request, so it counts as not found.
            if error.code == .notFound, stage == .control { throw CommandFailure(error.description, .failed) }
            let isMistake = error.code == .invalidSettings
            throw CommandFailure(RecordingFailure(isMistake ? mistakes ?? stage : stage, error))
        }
    }
}

import CommandInterface
import MediaTypes
import RecorderService

/// The recording that a command is about: finds it, asks it for something, and turns what went wrong into the command's
/// end.
struct RunningRecording {
    let name: RecordingName
    private let client: ControlClient

    /// - Parameter name: nil for the only one there is.
    init(_ name: RecordingName?, in running: RunningRecordings = RunningRecordings()) throws(CommandFailure) {
        do { self.name = try running.choose(name) } catch { throw CommandFailure("\(error)", .failed) }
        client = running.client(self.name)
    }

    /// - Parameter stage: what the request is about, for the exit code: a file to be made is `output`.
    func ask<Answer>(
        _ stage: RecordingFailure.Stage = .control,
        _ body: (ControlClient) async throws(MediaError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        do { return try await body(client) } catch {
            // It ended between the look and the question, which is as good as never having been there.
            if error.code == .notFound, stage == .control { throw CommandFailure(error.description, .failed) }
            throw CommandFailure(RecordingFailure(stage, error))
        }
    }
}

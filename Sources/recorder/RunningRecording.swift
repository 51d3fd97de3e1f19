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

    /// - Parameters:
    ///   - stage: what the request is about, for the exit code: a file to be made is `output`.
    ///   - mistakes: the stage of settings that are wrong; nil: the same.
    func ask<Answer>(
        _ stage: RecordingFailure.Stage = .control, mistakesAre mistakes: RecordingFailure.Stage? = nil,
        _ body: (ControlClient) async throws(MediaError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        do { return try await body(client) } catch {
            // It ended between the look and the question, which is as good as never having been there.
            if error.code == .notFound, stage == .control { throw CommandFailure(error.description, .failed) }
            let isMistake = error.code == .invalidSettings
            throw CommandFailure(RecordingFailure(isMistake ? mistakes ?? stage : stage, error))
        }
    }
}

import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// Chooses the name of a saved pre-roll: the name that the user gave, or one beside the recording, `NAME-saved.mov`,
/// `NAME-saved-2.mov` …. If the user gave no name and the first name is taken, the next free name is used, because an
/// event cannot be captured again. Thread-safe.
final class SavedPlace: Sendable {
    private struct State {
        var location: OutputLocation?
        /// The file's actual path, if it differs from the chosen one.
        var path: String?
        var entered: String?
        var mirrored: MirroredRecording?
    }

    private let configuration: RecordingConfiguration
    private let output: String?
    private let created: Date
    private let files: SessionFiles
    private let state = Locked(State())

    /// Creates the place of one saved pre-roll.
    ///
    /// - Parameters:
    ///   - output: The name that the user gave.
    ///   - created: The wall clock at the beginning of the pre-roll, for the pattern.
    ///   - files: The session's files, which know the mirror and list the saved file as unfinished.
    init(
        _ configuration: RecordingConfiguration, output: String?, created: Date,
        _ files: SessionFiles
    ) {
        self.configuration = configuration
        self.output = output
        self.created = created
        self.files = files
    }

    var place: RecordingFilePlace {
        var place = RecordingFilePlace(output ?? configuration.output ?? "") { [self] error throws(MediaError) in
            try candidate(after: error)
        }
        // A file with a name that the user gave is not mirrored.
        place.mirror = output == nil ? files.mirror : nil
        place.taken = { [self] location in
            guard output == nil, let mirror = files.mirror else {
                state.withLock { $0.entered = location.temporaryPath }
                return files.enter(location.temporaryPath)
            }
            let recording = mirror.recording(of: location)
            state.withLock { $0.mirrored = recording }
            files.mirrored?.enter(recording)
        }
        return place
    }

    func record(_ path: String) { state.withLock { $0.path = path } }

    var path: String { state.withLock { $0.path ?? $0.location?.path } ?? "" }
    /// The path under which the file is listed as unfinished.
    var entered: String? { state.withLock { $0.entered } }

    /// The two mirrored files; nil if the file is on one disk.
    var mirrored: MirroredRecording? { state.withLock { $0.mirrored } }

    private func candidate(after taken: MediaError?) throws(MediaError) -> OutputLocation {
        let last = state.withLock { $0.location }
        guard let taken, let last else { return keep(try first()) }
        guard let next = last.next else { throw Self.advised(taken) }
        return keep(next)
    }

    private func keep(_ location: OutputLocation) -> OutputLocation {
        state.withLock { $0.location = location }
        return location
    }

    private func first() throws(MediaError) -> OutputLocation {
        guard let output else {
            let (path, root) = try OutputLocation.expand(configuration, now: created)
            return OutputLocation(
                path: OutputLocation.adding("-saved", to: path), root: root, makesRoot: configuration.output == nil,
                isNumbered: true
            ).likely
        }
        var configuration = configuration
        configuration.output = output
        configuration.overwrite = false
        configuration.numbersTakenNames = false
        do throws(MediaError) { return try OutputLocation.resolve(configuration, now: created) } catch {
            throw Self.advised(error)
        }
    }

    /// Returns the error with advice for the command `save`, which never overwrites a file.
    private static func advised(_ error: MediaError) -> MediaError {
        guard error.code == .outputExists else { return error }
        return MediaError(
            error.code, error.action, reason: error.reason, underlying: error.underlying,
            wayOut: "choose another name with --output, or omit --output")
    }
}

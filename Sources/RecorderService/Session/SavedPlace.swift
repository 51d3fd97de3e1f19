import Foundation
import MediaTypes
import RealTime

/// Where a saved pre-roll goes: where its owner said, or beside the recording under a name of its own, `NAME-saved.mov`,
/// `NAME-saved-2.mov` …. The moment does not come again: without a wish a name is always found. Any thread.
final class SavedPlace: Sendable {
    private struct State {
        var location: OutputLocation?
        /// Where it ended up, when that is another path.
        var path: String?
        var entered: String?
        var mirrored: MirroredRecording?
    }

    private let configuration: RecordingConfiguration
    private let output: String?
    private let created: Date
    private let files: SessionFiles
    private let state = Locked(State())

    /// - Parameters:
    ///   - output: what the owner said.
    ///   - created: when it begins, for the pattern.
    ///   - files: knows of a second disk, and makes sure that a crash's rest is found.
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
        // What its owner puts elsewhere is where he said.
        place.mirror = output == nil ? files.mirror : nil
        place.taken = { [self] location in
            guard output == nil, let mirror = files.mirror else {
                state.withLock { $0.entered = location.temporaryPath }
                return files.enter(location.temporaryPath)
            }
            let recording = MirroredRecording(location, mirror.location(of: location))
            state.withLock { $0.mirrored = recording }
            files.mirrored?.enter(recording)
        }
        return place
    }

    func note(_ path: String) { state.withLock { $0.path = path } }

    var path: String { state.withLock { $0.path ?? $0.location?.path } ?? "" }
    /// Where it was until it was whole.
    var entered: String? { state.withLock { $0.entered } }

    /// On two disks; nil: on one.
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

    /// `save` replaces nothing.
    private static func advised(_ error: MediaError) -> MediaError {
        guard error.code == .outputExists else { return error }
        return MediaError(
            error.code, error.action, reason: error.reason, underlying: error.underlying,
            wayOut: "choose another name with --output, or leave it out")
    }
}

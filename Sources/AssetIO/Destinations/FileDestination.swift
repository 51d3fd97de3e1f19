import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// One movie file, which is `NAME.recording.EXTENSION` until it is whole.
final class FileDestination: MovieDestination, @unchecked Sendable {
    // Unchecked: `file` and `configuration` are set by `open`, before the movie's thread exists, and used by that thread
    // alone from then on; the rest is immutable or behind the lock.
    private let finalPath: String
    private let besidePath: String
    private let openFile: @Sendable (String) throws(MediaError) -> any MovieStorage
    /// The path of the recording, once it is ours.
    private let owned = Locked<String?>(nil)
    private var file: (any MovieStorage)?
    private var configuration = AssetWriter.Configuration()

    init(
        finalPath: String, temporaryPath: String,
        openFile: @escaping @Sendable (String) throws(MediaError) -> any MovieStorage
    ) {
        self.finalPath = finalPath
        besidePath = temporaryPath
        self.openFile = openFile
    }

    var name: String { finalPath }
    var isSegmented: Bool { false }
    var temporaryPath: String { owned.withLock { $0 } ?? besidePath }

    func open(_ configuration: AssetWriter.Configuration) throws(MediaError) {
        if !configuration.overwritesExistingFile, OutputPath.exists(finalPath) {
            throw MediaError(
                .outputExists, "cannot record to \(finalPath)", reason: "the file exists already",
                wayOut: "choose another name, or ask to overwrite it")
        }
        self.configuration = configuration
        let path = recordingPath(configuration)
        do throws(MediaError) {
            let opened = try openFile(path)
            if let disk = opened as? DiskFile { disk.defersSync = !configuration.isRecoverable }
            file = opened
        } catch {
            guard error.code == .outputExists else { throw error }
            throw MediaError(
                .outputExists, "cannot record to \(path)", reason: "the file exists already",
                underlying: error.underlying,
                wayOut: "another recording uses it or left it behind; `recorder repair` makes that whole")
        }
        owned.withLock { $0 = path }
        do throws(MediaError) {
            try DiskFile.synchronizeDirectory(of: path)
        } catch {
            discard()
            throw error
        }
    }

    /// Where the media is copied at the end anyway the recording may be on another disk.
    private func recordingPath(_ configuration: AssetWriter.Configuration) -> String {
        guard configuration.shouldOptimizeForNetworkUse, let directory = configuration.directoryForTemporaryFiles else {
            return besidePath
        }
        return directory.appendingPathComponent((besidePath as NSString).lastPathComponent).path
    }

    /// Ready: `startWriting` opened it before the movie's thread began.
    private var openedFile: any MovieStorage {
        guard let file else { preconditionFailure("the destination is used before it is open") }
        return file
    }

    var output: any FragmentOutput { openedFile }

    func finish(_ facts: FinishingFacts) throws(MediaError) -> UInt64 {
        guard !configuration.shouldOptimizeForNetworkUse else { return try finishHeaderFirst(facts) }
        try MovieFinisher.finish(openedFile, facts: facts)
        try (openedFile as? DiskFile)?.settle()
        try giveName(temporaryPath)
        return (try? openedFile.size()) ?? 0
    }

    /// Makes an ordered copy beside the final name. Until it is whole the recording is what counts: where the copy fails
    /// that stays, to be repaired like any other.
    private func finishHeaderFirst(_ facts: FinishingFacts) throws(MediaError) -> UInt64 {
        let path = RecordingName(final: finalPath).rewriting
        // A crash's leftover: the recording of this name is ours.
        unlink(path)
        let size: UInt64
        do throws(MediaError) {
            let copy = try openFile(path)
            defer { copy.close() }
            try MovieFinisher.finish(openedFile, into: copy, facts: facts)
            try giveName(path)
            size = (try? copy.size()) ?? 0
        } catch {
            unlink(path)
            throw error
        }
        unlink(temporaryPath)
        return size
    }

    private func giveName(_ path: String) throws(MediaError) {
        try DiskFile.rename(path, to: finalPath, replacing: configuration.overwritesExistingFile)
        try DiskFile.synchronizeDirectory(of: finalPath)
    }

    func close() { file?.close() }

    /// A writer that never opened its file owns nothing: what has that name is another recording.
    func discard() {
        owned.withLock { path in
            if let path { unlink(path) }
            path = nil
        }
    }
}

import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// One movie file, which is `NAME.recording.EXTENSION` until it is whole.
final class FileDestination: MovieDestination, @unchecked Sendable {
    // Unchecked: `file` and `configuration` are set by `open`, before the movie's thread exists, and used by that thread
    // alone from then on; the rest is immutable or behind the lock.
    private let wantedPath: String
    private let besidePath: String
    private let openFile: @Sendable (String) throws(MediaError) -> any MovieStorage
    /// The path of the recording, and which file that is, once it is ours.
    private let owned = Locked<(path: String, identity: DiskFile.Identity?)?>(nil)
    private let named = Locked<String?>(nil)
    private var file: (any MovieStorage)?
    private var configuration = AssetWriter.Configuration()

    init(
        finalPath: String, temporaryPath: String,
        openFile: @escaping @Sendable (String) throws(MediaError) -> any MovieStorage
    ) {
        wantedPath = finalPath
        besidePath = temporaryPath
        self.openFile = openFile
    }

    var name: String { wantedPath }
    var finalPath: String { named.withLock { $0 } ?? wantedPath }
    var isSegmented: Bool { false }
    var temporaryPath: String { owned.withLock { $0?.path } ?? besidePath }

    /// Making the recording's file, which fails where there is one, is what takes the name; then nobody else can come by the
    /// final one in the same way, and only then it is looked at.
    func open(_ configuration: AssetWriter.Configuration) throws(MediaError) {
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
        owned.withLock { $0 = (path, (file as? DiskFile)?.identity ?? DiskFile.Identity(of: path)) }
        do throws(MediaError) {
            if !configuration.overwritesExistingFile, OutputPath.exists(wantedPath) {
                throw MediaError(
                    .outputExists, "cannot record to \(wantedPath)", reason: "the file exists already",
                    wayOut: "choose another name, or ask to overwrite it")
            }
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
        try giveName()
        return (try? openedFile.size()) ?? 0
    }

    /// Makes an ordered copy beside the final name. Until it is whole the recording is what counts: where the copy fails
    /// that stays, to be repaired like any other.
    private func finishHeaderFirst(_ facts: FinishingFacts) throws(MediaError) -> UInt64 {
        let path: String
        if let identity = (openedFile as? DiskFile)?.identity {
            path = RecordingName(final: wantedPath).rewriting(of: identity)
            // Of a recording that had this number before, and crashed: ours has it now.
            unlink(path)
        } else {
            path = DiskFile.privateName(beside: wantedPath, for: "rewriting")
        }
        let copy = try openFile(path)
        defer { copy.close() }
        let size: UInt64
        do throws(MediaError) {
            try MovieFinisher.finish(openedFile, into: copy, facts: facts)
            try giveName(path, wantedPath)
            size = (try? copy.size()) ?? 0
        } catch {
            unlink(path)
            throw error
        }
        discard()
        return size
    }

    /// The recording gets its name where it is: its owner may have moved it.
    private func giveName() throws(MediaError) {
        guard let disk = openedFile as? DiskFile else { return try giveName(temporaryPath, wantedPath) }
        switch disk.place {
        case .named(let path) where path == temporaryPath: try giveName(path, wantedPath)
        case .named(let path): try giveName(path, RecordingName(recording: path)?.final ?? path)
        case .deleted: throw DiskFile.deletion(of: disk.path)
        case .unreachable:
            throw MediaError(
                .notFound, "cannot give \(wantedPath) its name", reason: "\(disk.path) is no longer there",
                underlying: .errno(ENOENT), wayOut: "it is whole, wherever it was moved to")
        }
    }

    private func giveName(_ path: String, _ target: String) throws(MediaError) {
        var final = target
        var number = 1
        while final != path {
            do throws(MediaError) {
                let replaces = configuration.overwritesExistingFile && target == wantedPath
                try DiskFile.rename(path, to: final, replacing: replaces)
                break
            } catch {
                // Somebody took the name meanwhile.
                guard error.code == .outputExists, configuration.numbersTakenName, number < 10_000 else { throw error }
                number += 1
                final = RecordingName(final: target).numbered(number)
            }
        }
        named.withLock { $0 = final }
        try DiskFile.synchronizeName(of: final)
    }

    /// The file is ours and locked, and what goes are bytes that were written behind its last fragment. Where it fails they
    /// stay, and are in two files.
    func cut(to size: UInt64) {
        guard let file, let length = try? file.size(), length > size else { return }
        try? file.truncate(to: size)
        try? file.synchronize()
    }

    func close() { file?.close() }

    /// A writer that never opened its file owns nothing: what has that name is another recording.
    func discard() {
        owned.withLock { owned in
            if let owned { DiskFile.remove(owned.path, ifStill: owned.identity) }
            owned = nil
        }
    }
}

import FileSystem
import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// One movie file, which is named `NAME.recording.EXTENSION` until it is finalized.
final class FileDestination: MovieDestination, @unchecked Sendable {
    // Unchecked: `file` and `configuration` are set by `open`, before the file's thread uses them. From then on only
    // that thread uses them: the muxer's or the mirrored file's. All other properties are immutable or protected by the
    // lock.
    private let wantedPath: String
    private let besidePath: String
    private let openFile: @Sendable (String) throws(MediaError) -> any MovieStorage
    /// Reopens the file that this destination has created.
    private let reopenFile: @Sendable (String) throws(MediaError) -> any MovieStorage
    /// The path and the identity of the unfinished file; nil while this destination does not own it.
    private let owned = Locked<(path: String, identity: DiskFile.Identity?)?>(nil)
    private let named = Locked<String?>(nil)
    private var file: (any MovieStorage)?
    private var configuration = MuxerConfiguration(.mov)

    init(
        finalPath: String, temporaryPath: String,
        openFile: @escaping @Sendable (String) throws(MediaError) -> any MovieStorage,
        reopenFile: @escaping @Sendable (String) throws(MediaError) -> any MovieStorage = { path throws(MediaError) in
            try DiskFile(path: path, mode: .reopen)
        }
    ) {
        wantedPath = finalPath
        besidePath = temporaryPath
        self.openFile = openFile
        self.reopenFile = reopenFile
    }

    var name: String { wantedPath }
    var finalPath: String { named.withLock { $0 } ?? wantedPath }
    var isSegmented: Bool { false }
    var temporaryPath: String { owned.withLock { $0?.path } ?? besidePath }

    /// Creates the unfinished file, and fails if it exists. Beside the final name, this reserves that name, because no
    /// other recording can create the same unfinished file. Therefore the final name is checked only afterwards.
    func open(_ configuration: MuxerConfiguration) throws(MediaError) {
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
                wayOut: "if a crash left it, run `recorder repair`; if another recorder writes it, choose another name")
        }
        owned.withLock { $0 = (path, (file as? DiskFile)?.identity ?? DiskFile.Identity(of: path)) }
        do throws(MediaError) {
            let isKept = PinFile.isThere(wantedPath)
            if isKept || !configuration.overwritesExistingFile, OutputPath.exists(wantedPath) {
                throw MediaError(
                    .outputExists, "cannot record to \(wantedPath)",
                    reason: "the file exists already" + (isKept ? ", and `recorder keep` protects it" : ""),
                    wayOut: "choose another name")
            }
            try DiskFile.synchronizeDirectory(of: path)
        } catch {
            discard()
            throw error
        }
    }

    /// Returns the path of the unfinished file. If the media is copied at the end anyway, this file may be on another
    /// disk. Many movies may have their unfinished files in that directory, so its name there is unique, such as
    /// `NAME.4711-1abc2de.recording.mp4`.
    private func recordingPath(_ configuration: MuxerConfiguration) -> String {
        guard configuration.shouldOptimizeForNetworkUse, let directory = configuration.directoryForTemporaryFiles else {
            return besidePath
        }
        let (name, type) = (wantedPath.lastComponent, wantedPath.lastComponent.fileExtension)
        let hidden = PrivateName.beside(name.removingExtension, for: type.isEmpty ? "recording" : "recording.\(type)")
        return directory.path.appendingComponent(String(hidden.dropFirst()))
    }

    /// The open file. The muxer only gets destinations that are open.
    private var openedFile: any MovieStorage {
        guard let file else { preconditionFailure("the destination is used before it is opened") }
        return file
    }

    var output: any FragmentOutput { openedFile }
    /// The file; nil before it was opened.
    var storage: (any MovieStorage)? { file }

    func finish(_ facts: FinishingInfo) throws(MediaError) -> UInt64 {
        guard !configuration.shouldOptimizeForNetworkUse else { return try finishHeaderFirst(facts) }
        try MovieFinisher.finish(openedFile, facts: facts)
        try (openedFile as? DiskFile)?.settle()
        try moveToFinalName()
        return (try? openedFile.size()) ?? 0
    }

    /// Writes a copy with the header first, in the directory of the final name. Until the copy is finalized, the
    /// recording is the valid file. If copying fails, the recording remains and can be repaired like any other.
    private func finishHeaderFirst(_ facts: FinishingInfo) throws(MediaError) -> UInt64 {
        let path: String
        if let identity = (openedFile as? DiskFile)?.identity {
            path = RecordingFileName(final: wantedPath).rewriting(of: identity)
            // The name contains the recording's inode number. A file that already has this name was left by a crash of
            // an earlier recording with the same number.
            unlink(path)
        } else {
            path = PrivateName.beside(wantedPath, for: "rewriting")
        }
        let copy = try openFile(path)
        let identity = (copy as? DiskFile)?.identity ?? DiskFile.Identity(of: path)
        defer { copy.close() }
        let size: UInt64
        do throws(MediaError) {
            try MovieFinisher.finish(openedFile, into: copy, facts: facts)
            try moveToFinalName(path, wantedPath)
            size = (try? copy.size()) ?? 0
        } catch {
            DiskFile.remove(path, ifStill: identity)
            throw error
        }
        discard()
        return size
    }

    /// Gives the recording its final name, in the directory where it is now. Its owner may have moved it there.
    private func moveToFinalName() throws(MediaError) {
        guard let disk = openedFile as? DiskFile else { return try moveToFinalName(temporaryPath, wantedPath) }
        switch disk.place {
        case .named(let path) where path == temporaryPath: try moveToFinalName(path, wantedPath)
        case .named(let path): try moveToFinalName(path, RecordingFileName(recording: path)?.final ?? path)
        case .deleted: throw DiskFile.deletion(of: disk.path)
        case .unreachable:
            throw MediaError(
                .notFound, "cannot rename the recording to \(wantedPath)", reason: "\(disk.path) is no longer there",
                underlying: .errno(ENOENT), wayOut: "the file is finalized, wherever it was moved to")
        }
    }

    private func moveToFinalName(_ path: String, _ target: String) throws(MediaError) {
        var final = target
        var number = 1
        while final != path {
            do throws(MediaError) {
                // Only the requested name may be replaced, not a numbered one.
                let replaces = configuration.overwritesExistingFile && final == wantedPath
                try DiskFile.rename(path, to: final, replacing: replaces)
                break
            } catch {
                // Another program created the name meanwhile.
                guard error.code == .outputExists, configuration.numbersTakenName, number < 10_000 else { throw error }
                number += 1
                final = RecordingFileName(final: target).numbered(number)
            }
        }
        named.withLock { $0 = final }
        try DiskFile.synchronizeName(of: final)
    }

    /// Truncates the file, which this destination has locked. Only bytes after its last fragment are removed. If
    /// truncating fails, these bytes stay, and another file has them too.
    func cut(to size: UInt64) {
        guard let file, let length = try? file.size(), length > size else { return }
        try? file.truncate(to: size)
        try? file.synchronize()
    }

    func close() { file?.close() }

    /// Removes the file if this destination opened it. Otherwise a file with that name belongs to another recording.
    func discard() {
        owned.withLock { owned in
            if let owned { DiskFile.remove(owned.path, ifStill: owned.identity) }
            owned = nil
        }
    }

    func discardEmpty() -> Bool {
        owned.withLock { owned in
            guard let file = owned else { return true }
            guard DiskFile.removeEmpty(file.path, ifStill: file.identity) else { return false }
            owned = nil
            return true
        }
    }

    /// Creates the destination for a file of a recording.
    ///
    /// - Parameters:
    ///   - path: the path of the finished movie.
    ///   - writeLatency: a meter for the duration of each write.
    ///   - syncLatency: a meter for the duration of each sync.
    ///   - whenMoved: called on the file's thread, at most one fragment after the file was moved. Gets the new path, or
    ///     nil if no path leads to the file. If the file was deleted, the movie fails with `notFound`.
    static func recording(
        path: String, writeLatency: LatencyMeter, syncLatency: LatencyMeter,
        whenMoved: @escaping @Sendable (String?) -> Void
    ) -> FileDestination {
        let temporary = OutputPath.temporary(for: URL(fileURLWithPath: path)).path
        @Sendable func open(_ path: String, _ mode: DiskFile.Mode) throws(MediaError) -> DiskFile {
            let file = try DiskFile(path: path, mode: mode)
            file.writeLatency = writeLatency
            file.syncLatency = syncLatency
            file.whenMoved = whenMoved
            return file
        }
        return FileDestination(
            finalPath: path, temporaryPath: temporary,
            openFile: { path throws(MediaError) in try open(path, .create) },
            reopenFile: { path throws(MediaError) in try open(path, .reopen) })
    }

    /// Checks that a recording can be created at `path`: that the name implies a known file type, and that a file can
    /// be created in the directory.
    static func checkRecording(_ path: String) throws(MediaError) {
        _ = try OutputPath.fileType(nil, for: URL(fileURLWithPath: path))
        try OutputPath.check(path)
    }
}

/// The functions for one of two mirrored files. `reopen` continues the file after its disk was disconnected. `follow`
/// completes it from the other file.
extension FileDestination {
    /// Opens the recording again, or creates a new file if it is missing.
    ///
    /// - Parameter head: the first bytes of the recording. A file that begins differently is another recording.
    /// - Throws: the disk's error; `outputExists` if another file has the name.
    func reopen(beginning head: [UInt8]) throws(MediaError) {
        guard let path = owned.withLock({ $0?.path }) else { return try open(configuration) }
        let opened: any MovieStorage
        do throws(MediaError) {
            opened = try reopenFile(path)
        } catch {
            // The directory exists but the file does not: an empty disk has replaced the earlier one.
            guard error.underlying == .errno(ENOENT) else { throw error }
            return try open(configuration)
        }
        let present = try opened.read(min(head.count, Self.headOfIdentity), at: 0)
        guard present.elementsEqual(head.prefix(present.count)) else {
            throw MediaError(
                .outputExists, "cannot continue \(path)", reason: "another file has this name",
                wayOut: "rename that file; this mirrored file is then completed")
        }
        owned.withLock { $0 = (path, (opened as? DiskFile)?.identity ?? DiskFile.Identity(of: path)) }
        file = opened
    }

    /// The number of bytes at the start of a recording that identify it. They contain the file type, and the movie
    /// header with its date.
    private static let headOfIdentity = 128

    /// Copies the missing data from the other mirrored file, which is finalized, and gives this one its final name.
    ///
    /// - Parameters:
    ///   - path: the path of the other file.
    ///   - missing: the ranges of the recording that this file lacks.
    ///   - end: the end of the recording, after which the other file has its header.
    /// - Returns: the size of the movie in bytes.
    /// - Throws: the error of either file. This file is then still a recording that can be repaired.
    func follow(_ path: String, missing: RangeSet<UInt64>, end: UInt64) throws(MediaError) -> UInt64 {
        let source = try DiskFile(path: path, mode: .read)
        let size = try source.size()
        guard size >= end, size >= MirrorRepair.headSize else {
            throw MediaError(.ioFailure, "cannot copy \(path)", reason: "it is shorter than the recording")
        }
        var lacking = missing
        if end < size { lacking.insert(contentsOf: end..<size) }
        lacking.remove(contentsOf: 0..<MirrorRepair.headSize)
        for range in lacking.ranges { try MirrorMerge.bring(range, from: source, to: openedFile, isRight: true) }
        try settle()
        // The file's first bytes are written last, in one write. Until then the file is a recording that can be
        // repaired.
        try MirrorMerge.bring(0..<MirrorRepair.headSize, from: source, to: openedFile, isRight: true)
        try settle()
        try moveToFinalName()
        return size
    }

    private func settle() throws(MediaError) {
        if let disk = openedFile as? DiskFile { try disk.settle() } else { try openedFile.synchronize() }
    }
}

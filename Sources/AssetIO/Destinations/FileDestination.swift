import FileSystem
import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// One movie file, which is `NAME.recording.EXTENSION` until it is whole.
final class FileDestination: MovieDestination, @unchecked Sendable {
    // Unchecked: `file` and `configuration` are set by `open`, before the file's thread uses them, and used by that thread alone from
    // then on: the muxer's, or that of the copy; the rest is immutable or behind the lock.
    private let wantedPath: String
    private let besidePath: String
    private let openFile: @Sendable (String) throws(MediaError) -> any MovieStorage
    /// Opens what was made by us before.
    private let resumeFile: @Sendable (String) throws(MediaError) -> any MovieStorage
    /// The path of the recording, and which file that is, once it is ours.
    private let owned = Locked<(path: String, identity: DiskFile.Identity?)?>(nil)
    private let named = Locked<String?>(nil)
    private var file: (any MovieStorage)?
    private var configuration = MuxerConfiguration(.mov)

    init(
        finalPath: String, temporaryPath: String,
        openFile: @escaping @Sendable (String) throws(MediaError) -> any MovieStorage,
        resumeFile: @escaping @Sendable (String) throws(MediaError) -> any MovieStorage = { path throws(MediaError) in
            try DiskFile(path: path, mode: .resume)
        }
    ) {
        wantedPath = finalPath
        besidePath = temporaryPath
        self.openFile = openFile
        self.resumeFile = resumeFile
    }

    var name: String { wantedPath }
    var finalPath: String { named.withLock { $0 } ?? wantedPath }
    var isSegmented: Bool { false }
    var temporaryPath: String { owned.withLock { $0?.path } ?? besidePath }

    /// Making the recording's file, which fails where there is one, is what takes the name; then nobody else can come by the
    /// final one in the same way, and only then it is looked at.
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
                wayOut: "another recording uses it or left it behind; `recorder repair` makes that whole")
        }
        owned.withLock { $0 = (path, (file as? DiskFile)?.identity ?? DiskFile.Identity(of: path)) }
        do throws(MediaError) {
            if !configuration.overwritesExistingFile, OutputPath.exists(wantedPath) {
                throw MediaError(
                    .outputExists, "cannot record to \(wantedPath)", reason: "the file exists already",
                    wayOut: "choose another name")
            }
            try DiskFile.synchronizeDirectory(of: path)
        } catch {
            discard()
            throw error
        }
    }

    /// Where the media is copied at the end anyway the recording may be on another disk.
    private func recordingPath(_ configuration: MuxerConfiguration) -> String {
        guard configuration.shouldOptimizeForNetworkUse, let directory = configuration.directoryForTemporaryFiles else {
            return besidePath
        }
        return directory.appendingPathComponent((besidePath as NSString).lastPathComponent).path
    }

    /// Ready: the muxer is given destinations that are open.
    private var openedFile: any MovieStorage {
        guard let file else { preconditionFailure("the destination is used before it is open") }
        return file
    }

    var output: any FragmentOutput { openedFile }
    /// nil before it was opened.
    var storage: (any MovieStorage)? { file }

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
            path = RecordingFileName(final: wantedPath).rewriting(of: identity)
            // Of a recording that had this number before, and crashed: ours has it now.
            unlink(path)
        } else {
            path = DiskFile.privateName(beside: wantedPath, for: "rewriting")
        }
        let copy = try openFile(path)
        let identity = (copy as? DiskFile)?.identity ?? DiskFile.Identity(of: path)
        defer { copy.close() }
        let size: UInt64
        do throws(MediaError) {
            try MovieFinisher.finish(openedFile, into: copy, facts: facts)
            try giveName(path, wantedPath)
            size = (try? copy.size()) ?? 0
        } catch {
            DiskFile.remove(path, ifStill: identity)
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
        case .named(let path): try giveName(path, RecordingFileName(recording: path)?.final ?? path)
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
                final = RecordingFileName(final: target).numbered(number)
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

    func discardEmpty() -> Bool {
        owned.withLock { owned in
            guard let file = owned else { return true }
            guard DiskFile.removeEmpty(file.path, ifStill: file.identity) else { return false }
            owned = nil
            return true
        }
    }

    /// A file of a recording.
    ///
    /// - Parameters:
    ///   - path: of the finished movie.
    ///   - writeLatency: learns how long each write takes.
    ///   - syncLatency: the same for syncs.
    ///   - whenMoved: learns within a fragment that the file was moved, and where to; nil where no path leads to it. A file
    ///     that was deleted fails with `notFound`. Called by the file's thread.
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
            resumeFile: { path throws(MediaError) in try open(path, .resume) })
    }

    /// Looks whether a recording may be made there: the type that the name says, and the directory.
    static func checkRecording(_ path: String) throws(MediaError) {
        _ = try OutputPath.fileType(nil, for: URL(fileURLWithPath: path))
        try OutputPath.check(path)
    }
}

/// One of two copies, which goes on after its disk was away, and is completed from the other.
extension FileDestination {
    /// Opens the recording again, or makes it anew where its place is empty.
    ///
    /// - Parameter head: what the recording begins with: what begins with something else is not ours.
    /// - Throws: the disk's error; `outputExists` where another file has the name.
    func reopen(beginning head: [UInt8]) throws(MediaError) {
        guard let path = owned.withLock({ $0?.path }) else { return try open(configuration) }
        let opened: any MovieStorage
        do throws(MediaError) {
            opened = try resumeFile(path)
        } catch {
            // Its directory is there, and it is not: an empty disk in the place of the one that was there.
            guard error.underlying == .errno(ENOENT) else { throw error }
            return try open(configuration)
        }
        let present = try opened.read(min(head.count, Self.headOfIdentity), at: 0)
        guard present.elementsEqual(head.prefix(present.count)) else {
            throw MediaError(
                .outputExists, "cannot continue \(path)", reason: "another file has its name",
                wayOut: "this copy is completed once that file has another name")
        }
        owned.withLock { $0 = (path, (opened as? DiskFile)?.identity ?? DiskFile.Identity(of: path)) }
        file = opened
    }

    /// File type, movie header and the date in it: the same in no other recording.
    private static let headOfIdentity = 128

    /// Becomes the same as the other copy, which is whole, and gets its name.
    ///
    /// - Parameters:
    ///   - path: of the other.
    ///   - missing: what this one does not have of the recording.
    ///   - end: of the recording, behind which the other has its header.
    /// - Returns: bytes in the movie.
    /// - Throws: the error of either; this one is then a recording that can be repaired.
    func follow(_ path: String, missing: RangeSet<UInt64>, end: UInt64) throws(MediaError) -> UInt64 {
        let source = try DiskFile(path: path, mode: .read)
        let size = try source.size()
        guard size >= end, size >= MirrorRepair.headSize else {
            throw MediaError(.ioFailure, "cannot copy \(path)", reason: "it is shorter than what was recorded")
        }
        var lacking = missing
        if end < size { lacking.insert(contentsOf: end..<size) }
        lacking.remove(contentsOf: 0..<MirrorRepair.headSize)
        for range in lacking.ranges { try CopyMerge.bring(range, from: source, to: openedFile, isRight: true) }
        try settle()
        // In one write, and last: until then it is a recording.
        try CopyMerge.bring(0..<MirrorRepair.headSize, from: source, to: openedFile, isRight: true)
        try settle()
        try giveName()
        return size
    }

    private func settle() throws(MediaError) {
        if let disk = openedFile as? DiskFile { try disk.settle() } else { try openedFile.synchronize() }
    }
}

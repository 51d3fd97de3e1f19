import AssetIO
import CommandInterface
import Foundation
import Glibc
import MediaTypes
import MovieCommands
import RecorderStorage

/// One attempt to make the copy of a movie. Carries out the actions of `TranscodeSteps`.
final class TranscodeAttempt {
    let fingerprint: String
    private let movie: ArchivePlan.Movie
    private let settings: ArchiveSettings
    private let encoder: TranscodeEncoder
    private let judge: any TranscodeJudging
    private let part: ExportPart
    private let stage: StageDirectory?
    private let handleReceipt: ReceiptHandler?
    private let lostInParts: [String]
    /// Descriptions of what the copy lacks, one line each; empty before it was encoded.
    private(set) var leftOut: [String] = []
    /// The identity of the source that was read; nil before it was read, or if no receipt is written.
    private var read: TranscodeReceipt.Source?
    /// The directory beside the output.
    private var place: PrivateDirectory?
    /// The directory on the node's own disk, if there is a stage.
    private var staged: PrivateDirectory?

    /// Receives a receipt before the copy gets its name. The receipt has no seal yet.
    typealias ReceiptHandler = (TranscodeReceipt) throws(MediaError) -> Void

    /// Creates an attempt.
    ///
    /// - Parameter lostInParts: Descriptions of what the parts to be joined lack.
    init(
        _ movie: ArchivePlan.Movie, _ settings: ArchiveSettings, fingerprint: String, encoder: TranscodeEncoder,
        judge: any TranscodeJudging, stage: StageDirectory? = nil, part: ExportPart = .whole,
        lostInParts: [String] = [], handleReceipt: ReceiptHandler? = nil
    ) {
        (self.part, self.lostInParts, self.handleReceipt) = (part, lostInParts, handleReceipt)
        (self.movie, self.settings, self.fingerprint) = (movie, settings, fingerprint)
        (self.encoder, self.judge, self.stage) = (encoder, judge, stage)
    }

    func run() async -> TranscodeSteps.Outcome {
        // A file with a part's name and another fingerprint cannot be used, for example a part that an earlier build
        // made.
        var steps = TranscodeSteps(replacesUnknown: part.isToBeJoined)
        var action = steps.first
        while true {
            if case .finish(let outcome) = action { return outcome }
            let fact: TranscodeSteps.Fact
            do throws(TranscodeFailure) { fact = try await perform(action) } catch {
                fact = .failed(exit: error.exit, reason: error.reason)
            }
            action = steps.next(after: fact)
        }
    }

    /// Removes the private directory, even if a killed attempt left it beside a finished copy.
    func clean() {
        if place == nil, FileMetadata.of(PrivateDirectory.path(for: movie.output)) != nil {
            place = try? PrivateDirectory(for: movie.output)
        }
        place?.remove()
        staged?.remove()
        (place, staged) = (nil, nil)
    }

    private func perform(_ action: TranscodeSteps.Action) async throws(TranscodeFailure) -> TranscodeSteps.Fact {
        switch action {
        case .look, .lookAgain: return .saw(try look(again: action == .lookAgain))
        case .encode: try await encode()
        case .verify: try await verify()
        case .synchronize: try disk { () throws(MediaError) in try bringOut() }
        case .publish:
            try disk { () throws(MediaError) in
                try recordLosses()
                try recordReceipt()
            }
            let isPublished = try disk { () throws(MediaError) in
                try taken().publish(try madeCopy(), as: movie.output)
            }
            return isPublished ? .done : .nameTaken
        case .replace:
            try disk { () throws(MediaError) in try taken().replace(movie.output, with: try madeCopy()) }
        case .synchronizeDirectory:
            try disk { () throws(MediaError) in try FileMetadata.synchronize(movie.output.directory) }
        case .finish: break
        }
        return .done
    }

    /// Returns true if a copy with this fingerprint exists.
    static func isThere(_ output: RawPath, fingerprint: String) -> Bool {
        (try? Self.fingerprint(of: output)) == fingerprint
    }

    /// Returns the fingerprint of a copy; nil for a file of a different kind.
    ///
    /// - Throws: An error if the file cannot be read, or `notFound` if it does not exist.
    private static func fingerprint(of output: RawPath) throws(MediaError) -> String? {
        guard FileMetadata.of(output) != nil else { throw MediaError(errno: errno, "cannot inspect \(output.display)") }
        let there = try BorrowedPath(output)
        defer { withExtendedLifetime(there) {} }
        return try TranscodeEncoder.fingerprint(of: there.url)
    }

    private func look(again: Bool) throws(TranscodeFailure) -> TranscodeSteps.Look {
        var source = TranscodeSteps.Look.Source.missing
        if let facts = FileMetadata.of(movie.source) {
            source = movie.identity.isSame(facts) ? .same : .changed
        } else if errno != ENOENT, errno != ENOTDIR {
            throw TranscodeFailure(MediaError(errno: errno, "cannot inspect \(movie.source.display)"))
        }
        guard !again else { return TranscodeSteps.Look(source, .absent) }
        let output = try disk { () throws(MediaError) in
            try Self.output(at: movie.output, fingerprint: fingerprint) { path throws(MediaError) in
                try Self.fingerprint(of: path)
            }
        }
        let isEncoded = output == .absent || output == .another && part.isToBeJoined
        if isEncoded, source == .same, let hash = movie.identity.hash {
            let found = try disk { () throws(MediaError) in try SourceIdentity.hash(of: movie.source) }
            if found != hash { source = .changed }
        }
        return TranscodeSteps.Look(source, output)
    }

    /// Returns the kind of file that has the output's name.
    ///
    /// - Parameter read: A closure that returns a copy's fingerprint.
    static func output(
        at path: RawPath, fingerprint: String, read: (RawPath) throws(MediaError) -> String?
    ) throws(MediaError) -> TranscodeSteps.Look.Output {
        var looksLeft = 3
        while true {
            do throws(MediaError) {
                return try read(path) == fingerprint ? .same : .another
            } catch {
                // The file does not exist. Another attempt may also have joined and removed a part meanwhile.
                guard error.code == .notFound || error.underlying == .errno(ENOTDIR) else { throw error }
                guard let facts = FileMetadata.of(path) else { return .absent }
                // The name may be that of a link to a missing file.
                if FileMetadata.isLink(facts) { return .another }
                // Another file has appeared meanwhile, and may be the copy that another attempt made.
                looksLeft -= 1
                guard looksLeft > 0 else { throw error }
            }
        }
    }

    private func encode() async throws(TranscodeFailure) {
        try disk { () throws(MediaError) in
            try FileMetadata.makeDirectories(movie.output.directory)
            if place == nil { place = try PrivateDirectory(for: movie.output) }
            if let stage, staged == nil { staged = try stage.place(for: movie.output) }
        }
        // `look` has checked that the source is the planned movie, and will check that again after the encoding.
        try disk { () throws(MediaError) in try readSource() }
        let source = try disk { () throws(MediaError) in try BorrowedPath(try workedSource()) }
        let directory = try disk { () throws(MediaError) in try BorrowedPath(try worked().path) }
        do throws(TranscodeFailure) {
            let name = PrivateDirectory.name(ending: settings.container)
            let losses = try await encoder.encode(
                source.url, to: directory.url.appendingPathComponent(name), settings,
                fingerprint: fingerprint, modified: movie.identity.date, part: part)
            leftOut = []
            for line in losses.map(PlainText.line) + lostInParts where !leftOut.contains(line) { leftOut.append(line) }
        } catch {
            // Error messages may contain the path of a descriptor, which is replaced here.
            throw TranscodeFailure(
                error.exit,
                error.reason.replacing(source.url.path, with: movie.source.display)
                    .replacing(directory.url.path, with: movie.output.directory.display))
        }
        withExtendedLifetime((source, directory)) {}
    }

    /// Copies the source to the stage, if there is one, and records the source's identity.
    private func readSource() throws(MediaError) {
        guard staged != nil || handleReceipt != nil else { return }
        let source = try HeldFile(movie.source)
        let facts = try source.facts()
        let hash = try staged == nil ? source.hash() : StageDirectory.copy(source, to: try workedSource())
        let identity = SourceIdentity(facts)
        read = TranscodeReceipt.Source(
            path: movie.source.planText, device: UInt64(facts.st_dev), boot: Moment.now().boot, inode: identity.inode,
            size: identity.size, modified: identity.modified, hash: hash)
    }

    /// Stores what a part lacks beside it, before the part gets its name. So no part exists without its list.
    private func recordLosses() throws(MediaError) {
        guard part.isToBeJoined else { return }
        try PartLosses(of: movie.output).record(leftOut, in: try taken())
    }

    /// Writes a receipt for the bytes that were verified, before the copy gets its name.
    private func recordReceipt() throws(MediaError) {
        guard let handleReceipt, let read else { return }
        let verified = try HeldFile(try worked().movie(ending: settings.container))
        let size = Int64(try verified.facts().st_size)
        try handleReceipt(
            TranscodeReceipt(
                source: read, output: movie.output.planText, fingerprint: fingerprint, size: size,
                hash: try verified.hash(), leftOut: leftOut))
    }

    private func verify() async throws(TranscodeFailure) {
        let source = try disk { () throws(MediaError) in try BorrowedPath(try workedSource()) }
        let copy = try disk { () throws(MediaError) in try BorrowedPath(try worked().movie(ending: settings.container))
        }
        let faults = try await judge.faults(of: copy.url, source: source.url)
        withExtendedLifetime((source, copy)) {}
        guard faults.isEmpty else {
            throw TranscodeFailure(
                ExitCode.badData.rawValue, "the copy differs from its source: " + faults.joined(separator: "; "))
        }
    }

    private func taken() throws(MediaError) -> PrivateDirectory {
        guard let place else {
            throw MediaError(.invalidState, "cannot write \(movie.output.display)", reason: "nothing was encoded")
        }
        return place
    }

    /// Returns the directory in which the copy is encoded.
    private func worked() throws(MediaError) -> PrivateDirectory { if let staged { staged } else { try taken() } }

    /// Returns the path from which the source is read. In the stage, the file has the source's extension, because
    /// demuxers need it.
    private func workedSource() throws(MediaError) -> RawPath {
        guard let staged else { return movie.source }
        let name = movie.source.name
        let ending = name.lastIndex(of: UInt8(ascii: ".")).map { name[$0...] } ?? []
        return staged.path.appending(Array("source".utf8) + ending)
    }

    private func madeCopy() throws(MediaError) -> RawPath { try taken().movie(ending: settings.container) }

    /// Copies the result from the stage to the output's disk, and syncs it. Without a stage the result is already on
    /// that disk, and is only synced.
    private func bringOut() throws(MediaError) {
        let copy = try madeCopy()
        if let staged {
            try StageDirectory.copy(try HeldFile(staged.movie(ending: settings.container)), to: copy)
        } else {
            try FileMetadata.synchronize(copy)
        }
    }

    private func disk<Result>(_ body: () throws(MediaError) -> Result) throws(TranscodeFailure) -> Result {
        do throws(MediaError) { return try body() } catch { throw TranscodeFailure(error) }
    }
}

extension ExportPart {
    /// True if the task makes a part that is joined later, not a complete copy.
    fileprivate var isToBeJoined: Bool {
        switch self {
        case .whole, .joined: false
        case .frames, .audio: true
        }
    }
}

extension TranscodeFailure {
    /// Creates the failure for an error of the output.
    fileprivate init(_ error: MediaError) { self.init(RecordingFailure(.output, error)) }
}

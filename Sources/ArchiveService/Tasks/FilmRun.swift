import AssetIO
import CommandInterface
import Foundation
import Glibc
import MediaTypes
import MovieCommands
import RecorderService

/// The run of one movie: carries out the actions of `FilmSteps`.
final class FilmRun {
    let fingerprint: String
    private let film: ArchivePlan.Film
    private let settings: ArchiveSettings
    private let encoder: any FilmEncoding
    private let judge: any FilmJudging
    private let part: ExportPart
    private let stage: Stage?
    private let note: Note?
    /// The file that was read; nil before, and if no receipt is written.
    private var read: CopyReceipt.Source?
    /// The directory beside the output.
    private var place: PrivateDirectory?
    /// The directory on the node's own disk, if there is a stage.
    private var staged: PrivateDirectory?

    /// Receives a receipt, without a seal, before the copy gets its name.
    typealias Note = (CopyReceipt) throws(MediaError) -> Void

    init(
        _ film: ArchivePlan.Film, _ settings: ArchiveSettings, fingerprint: String, encoder: any FilmEncoding,
        judge: any FilmJudging, stage: Stage? = nil, part: ExportPart = .whole, note: Note? = nil
    ) {
        (self.part, self.note) = (part, note)
        (self.film, self.settings, self.fingerprint) = (film, settings, fingerprint)
        (self.encoder, self.judge, self.stage) = (encoder, judge, stage)
    }

    func run() async -> FilmSteps.Outcome {
        var steps = FilmSteps()
        var action = steps.first
        while true {
            if case .finish(let outcome) = action { return outcome }
            let fact: FilmSteps.Fact
            do throws(FilmFailure) { fact = try await perform(action) } catch {
                fact = .failed(exit: error.exit, reason: error.reason)
            }
            action = steps.next(after: fact)
        }
    }

    /// Removes the private directory, even one that a dead attempt left beside a finished movie.
    func clean() {
        if place == nil, FileFacts.of(PrivateDirectory.path(for: film.output)) != nil {
            place = try? PrivateDirectory(for: film.output)
        }
        place?.remove()
        staged?.remove()
        (place, staged) = (nil, nil)
    }

    private func perform(_ action: FilmSteps.Action) async throws(FilmFailure) -> FilmSteps.Fact {
        switch action {
        case .look, .lookAgain: return .saw(try look(again: action == .lookAgain))
        case .encode: try await encode()
        case .verify: try await verify()
        case .synchronize: try disk { () throws(MediaError) in try bringOut() }
        case .publish:
            try disk { () throws(MediaError) in try noteReceipt() }
            let isPublished = try disk { () throws(MediaError) in
                try taken().publish(try madeCopy(), as: film.output)
            }
            return isPublished ? .done : .nameTaken
        case .synchronizeDirectory:
            try disk { () throws(MediaError) in try FileFacts.synchronize(film.output.directory) }
        case .finish: break
        }
        return .done
    }

    /// Returns true if the copy exists, judging by its fingerprint.
    static func isThere(_ output: RawPath, fingerprint: String) -> Bool {
        guard FileFacts.of(output) != nil, let there = try? BorrowedPath(output) else { return false }
        return withExtendedLifetime(there) { FilmEncoder.fingerprint(of: there.url) == fingerprint }
    }

    private func look(again: Bool) throws(FilmFailure) -> FilmSteps.Look {
        var source = FilmSteps.Look.Source.missing
        if let facts = FileFacts.of(film.source) {
            source = film.identity.isSame(facts) ? .same : .changed
        } else if errno != ENOENT, errno != ENOTDIR {
            throw FilmFailure(MediaError(errno: errno, "cannot inspect \(film.source.display)"))
        }
        guard !again else { return FilmSteps.Look(source, .absent) }
        guard FileFacts.of(film.output) != nil else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw FilmFailure(MediaError(errno: errno, "cannot inspect \(film.output.display)"))
            }
            if source == .same, let hash = film.identity.hash {
                let found = try disk { () throws(MediaError) in try SourceIdentity.hash(of: film.source) }
                if found != hash { source = .changed }
            }
            return FilmSteps.Look(source, .absent)
        }
        let there = try disk { () throws(MediaError) in try BorrowedPath(film.output) }
        let found = FilmEncoder.fingerprint(of: there.url)
        return withExtendedLifetime(there) { FilmSteps.Look(source, found == fingerprint ? .same : .another) }
    }

    private func encode() async throws(FilmFailure) {
        try disk { () throws(MediaError) in
            try FileFacts.makeDirectories(film.output.directory)
            if place == nil { place = try PrivateDirectory(for: film.output) }
            if let stage, staged == nil { staged = try stage.place(for: film.output) }
        }
        // `look` has confirmed that it is the planned movie, and will do so again.
        try disk { () throws(MediaError) in try readSource() }
        let source = try disk { () throws(MediaError) in try BorrowedPath(try workedSource()) }
        let directory = try disk { () throws(MediaError) in try BorrowedPath(try worked().path) }
        do throws(FilmFailure) {
            let name = PrivateDirectory.name(ending: settings.container)
            _ = try await encoder.encode(
                source.url, to: directory.url.appendingPathComponent(name), settings,
                fingerprint: fingerprint, modified: film.identity.date, part: part)
        } catch {
            // Error messages name the descriptor's path; replace it.
            throw FilmFailure(
                error.exit,
                error.reason.replacing(source.url.path, with: film.source.display)
                    .replacing(directory.url.path, with: film.output.directory.display))
        }
        withExtendedLifetime((source, directory)) {}
    }

    /// Copies the source to the stage, if there is one, and records its identity.
    private func readSource() throws(MediaError) {
        guard staged != nil || note != nil else { return }
        let source = try HeldFile(film.source)
        let facts = try source.facts()
        let hash = try staged == nil ? source.hash() : Stage.copy(source, to: try workedSource())
        let identity = SourceIdentity(facts)
        read = CopyReceipt.Source(
            path: film.source.planText, device: UInt64(facts.st_dev), boot: Moment.now().boot, inode: identity.inode,
            size: identity.size, modified: identity.modified, hash: hash)
    }

    /// Records the bytes that were verified, before anything else can happen to the copy.
    private func noteReceipt() throws(MediaError) {
        guard let note, let read else { return }
        let verified = try HeldFile(try worked().film(ending: settings.container))
        let size = Int64(try verified.facts().st_size)
        try note(
            CopyReceipt(
                source: read, output: film.output.planText, fingerprint: fingerprint, size: size,
                hash: try verified.hash()))
    }

    private func verify() async throws(FilmFailure) {
        let source = try disk { () throws(MediaError) in try BorrowedPath(try workedSource()) }
        let copy = try disk { () throws(MediaError) in try BorrowedPath(try worked().film(ending: settings.container)) }
        let faults = try await judge.faults(of: copy.url, source: source.url, settings: settings)
        withExtendedLifetime((source, copy)) {}
        guard faults.isEmpty else {
            throw FilmFailure(
                ExitCode.badData.rawValue, "the copy differs from its source: " + faults.joined(separator: "; "))
        }
    }

    private func taken() throws(MediaError) -> PrivateDirectory {
        guard let place else {
            throw MediaError(.invalidState, "cannot write \(film.output.display)", reason: "nothing was encoded")
        }
        return place
    }

    /// Returns the directory in which it is encoded.
    private func worked() throws(MediaError) -> PrivateDirectory { if let staged { staged } else { try taken() } }

    /// Returns the path that is read: with a stage its copy there, with an extension that the demuxers know.
    private func workedSource() throws(MediaError) -> RawPath {
        guard let staged else { return film.source }
        let name = film.source.name
        let ending = name.lastIndex(of: UInt8(ascii: ".")).map { name[$0...] } ?? []
        return staged.path.appending(Array("source".utf8) + ending)
    }

    private func madeCopy() throws(MediaError) -> RawPath { try taken().film(ending: settings.container) }

    /// Brings the copy to the output's disk.
    private func bringOut() throws(MediaError) {
        let copy = try madeCopy()
        if let staged {
            try Stage.copy(try HeldFile(staged.film(ending: settings.container)), to: copy)
        } else {
            try FileFacts.synchronize(copy)
        }
    }

    private func disk<Result>(_ body: () throws(MediaError) -> Result) throws(FilmFailure) -> Result {
        do throws(MediaError) { return try body() } catch { throw FilmFailure(error) }
    }
}

extension FilmFailure {
    /// Creates the failure for an error of the output.
    fileprivate init(_ error: MediaError) { self.init(RecordingFailure(.output, error)) }
}

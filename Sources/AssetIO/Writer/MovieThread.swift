import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime

/// The one thread that owns the file: writes fragments as they are due, and finishes the movie at the end.
final class MovieThread: @unchecked Sendable {
    // Unchecked: everything here is immutable but `file` and what `run` makes, which only this thread touches.
    private let core: WriterCore
    private let file: any MovieStorage
    private let configuration: AssetWriter.Configuration
    private let tracks: [MovieTrack]
    private let cores: [TrackCore]
    private let encoders: [EncoderThread]
    private let packets: PacketQueue

    init(
        core: WriterCore, file: any MovieStorage, configuration: AssetWriter.Configuration, tracks: [MovieTrack],
        cores: [TrackCore], encoders: [EncoderThread], packets: PacketQueue
    ) {
        self.core = core
        self.file = file
        self.configuration = configuration
        self.tracks = tracks
        self.cores = cores
        self.encoders = encoders
        self.packets = packets
    }

    func start() throws(MediaError) {
        do {
            // Detached: the thread ends by itself once the movie is whole, or the writer failed or was cancelled.
            _ = try NamedThread("movie-file") { self.run() }
        } catch {
            throw MediaError(errno: error.errno, "cannot start the file's thread")
        }
    }

    private func run() {
        do throws(MediaError) {
            try writeFragments()
        } catch {
            // Whoever hears of the failure may repair the file at once.
            file.close()
            core.fail(error)
        }
    }

    private func writeFragments() throws(MediaError) {
        var writer: MovieFileWriter?
        while true {
            switch packets.next() {
            case .stop: return
            case .end:
                for encoder in encoders { encoder.join() }
                return try finish(index: writer?.index)
            case .fragment(let fragment):
                let isFirst = writer == nil
                let current = writer ?? makeWriter()
                writer = current
                try current.writeFragment(fragment.packets, next: fragment.next)
                account(for: fragment, writer: current)
                core.noteFileSize(current.byteCount)
                packets.noteWritten(fragment)
                if isFirst { core.began() }
            }
        }
    }

    private func makeWriter() -> MovieFileWriter {
        MovieFileWriter(
            storage: file, fileType: core.fileType, timeScale: configuration.movieTimeScale,
            creationTime: Int64(configuration.creationDate.timeIntervalSince1970), metadata: configuration.metadata,
            tracks: tracks, sessionStart: core.state.sessionStart ?? .zero)
    }

    private func account(for fragment: PacketQueue.Fragment, writer: MovieFileWriter) {
        for (index, track) in cores.enumerated() {
            let count = fragment.packets.reduce(0) { $0 + ($1.track == index ? $1.accountsFor : 0) }
            guard count > 0 else { continue }
            if writer.isLeftOut(track: index) {
                track.noteLeftOut(count, cause: .encoder)
            } else {
                track.noteWritten(count)
            }
        }
    }

    private func finish(index: FragmentIndex?) throws(MediaError) {
        let state = core.state
        guard let index, let sessionStart = state.sessionStart else {
            unlink(core.recordingPath)
            throw MediaError(.invalidState, "cannot finish \(core.finalPath)", reason: "no sample was appended")
        }
        var facts = FinishingFacts(sessionEnd: state.sessionEnd.map { $0 - sessionStart }, index: index)
        for (track, encoder) in zip(tracks, encoders) {
            if let end = encoder.end { facts.trackEnds[track.id] = end - sessionStart }
        }
        if let item = ledgerItem() { facts.metadata.append(item) }
        if configuration.shouldOptimizeForNetworkUse {
            try finishHeaderFirst(facts)
        } else {
            try MovieFinisher.finish(file, facts: facts)
            try giveName(core.recordingPath)
            if let size = try? file.size() { core.noteFileSize(size) }
        }
        file.close()
        core.complete()
    }

    private func giveName(_ path: String) throws(MediaError) {
        try DiskFile.rename(path, to: core.finalPath, replacing: configuration.overwritesExistingFile)
        try DiskFile.synchronizeDirectory(of: core.finalPath)
    }

    /// Makes an ordered copy beside the recording and gives that the name. Until then the recording is what counts: where
    /// the copy fails it stays, to be repaired like any other.
    private func finishHeaderFirst(_ facts: FinishingFacts) throws(MediaError) {
        let path = RecordingName(final: core.finalPath).rewriting
        // A crash's leftover: the recording of this name is ours.
        unlink(path)
        do throws(MediaError) {
            let copy = try core.foundations.openFile(path)
            defer { copy.close() }
            try MovieFinisher.finish(file, into: copy, facts: facts)
            try giveName(path)
            if let size = try? copy.size() { core.noteFileSize(size) }
        } catch {
            unlink(path)
            throw error
        }
        unlink(core.recordingPath)
    }

    /// The account of the live tracks, for whoever opens the movie later. nil without any: nothing can be lost then.
    private func ledgerItem() -> MetadataItem? {
        var accounts: [String: Ledger] = [:]
        for core in cores where core.traits.isRealTime && (core.mediaType == .video || core.mediaType == .audio) {
            accounts[core.mediaType.rawValue] = (accounts[core.mediaType.rawValue] ?? Ledger()) + core.ledger
        }
        guard !accounts.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = (try? encoder.encode(accounts)).map { String(decoding: $0, as: UTF8.self) }
        return MetadataItem(key: MetadataItem.ledgerKey, value: json ?? "{}")
    }
}

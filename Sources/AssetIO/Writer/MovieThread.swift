import Foundation
import MediaTypes
import MovieFile
import RealTime

/// The one thread that owns the file: writes fragments as they are due, and finishes the movie at the end.
final class MovieThread: @unchecked Sendable {
    // Unchecked: everything here is immutable but what `run` makes, which only this thread touches.
    private let core: WriterCore
    private let configuration: AssetWriter.Configuration
    private let tracks: [MovieTrack]
    private let cores: [TrackCore]
    private let deliveries: [any TrackDelivery]
    private let packets: PacketQueue
    /// Why the movie is not whole: a track that the header, written long before, does not know.
    private var lateTrack: MediaError?

    init(
        core: WriterCore, configuration: AssetWriter.Configuration, tracks: [MovieTrack],
        cores: [TrackCore], deliveries: [any TrackDelivery], packets: PacketQueue
    ) {
        self.core = core
        self.configuration = configuration
        self.tracks = tracks
        self.cores = cores
        self.deliveries = deliveries
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
            if configuration.isContinuedElsewhere, error.underlying == .errno(EFBIG) {
                core.destination.cut(to: UInt64(clamping: core.bytesWritten))
            }
            // Whoever hears of the failure may repair the file at once.
            core.destination.close()
            core.fail(error)
        }
    }

    private func writeFragments() throws(MediaError) {
        var writer: MovieFileWriter?
        while true {
            switch packets.next() {
            case .stop: return
            case .end:
                for delivery in deliveries { delivery.join() }
                return try finish(index: writer?.index)
            case .fragment(let fragment):
                let isFirst = writer == nil
                let current = writer ?? makeWriter()
                writer = current
                try current.writeFragment(fragment.packets, next: fragment.next)
                account(for: fragment, writer: current)
                core.noteFileSize(current.byteCount)
                packets.noteWritten(fragment)
                for delivery in deliveries { delivery.lookAgain() }
                if isFirst { core.began() }
            }
        }
    }

    private func makeWriter() -> MovieFileWriter {
        MovieFileWriter(
            storage: core.destination.output, fileType: core.fileType, timeScale: configuration.movieTimeScale,
            creationTime: Int64(configuration.creationDate.timeIntervalSince1970), metadata: configuration.metadata,
            tracks: tracks, sessionStart: core.state.sessionStart ?? .zero, keepsIndex: !core.destination.isSegmented)
    }

    private func account(for fragment: PacketQueue.Fragment, writer: MovieFileWriter) {
        for (index, track) in cores.enumerated() {
            let count = fragment.packets.reduce(0) { $0 + ($1.track == index ? $1.accountsFor : 0) }
            guard count > 0 else { continue }
            if writer.isLeftOut(track: index) {
                track.noteLeftOut(count, cause: .encoder)
                noteLate(track, fragment.packets.first { $0.track == index })
            } else {
                track.noteWritten(count)
            }
        }
    }

    /// The other tracks go on: what they have is kept, and the end says what is missing.
    private func noteLate(_ track: TrackCore, _ first: TrackSample?) {
        guard lateTrack == nil, let first else { return }
        let time = first.sample.presentationTime - (core.state.sessionStart ?? .zero)
        let error = MediaError(
            .invalidSample, "cannot put the \(track.mediaType) track into \(core.destination.name)",
            reason:
                "its first sample, at \(time.words), came after the header was written, and nobody had told its "
                + "format before",
            wayOut: "give the input a sourceFormatHint, or append its first sample earlier; the other tracks are in "
                + "\(core.destination.temporaryPath), which `recorder repair` makes whole")
        lateTrack = error
        core.noteLate(track, error)
    }

    private func finish(index: FragmentIndex?) throws(MediaError) {
        if let lateTrack { throw lateTrack }
        let state = core.state
        guard let index, let sessionStart = state.sessionStart else {
            core.destination.discard()
            throw MediaError(
                .invalidState, "cannot finish \(core.destination.name)", reason: "no sample was appended")
        }
        var facts = FinishingFacts(sessionEnd: state.sessionEnd.map { $0 - sessionStart }, index: index)
        for (track, delivery) in zip(tracks, deliveries) {
            if let end = delivery.end { facts.trackEnds[track.id] = end - sessionStart }
        }
        if let item = ledgerItem() { facts.metadata.append(item) }
        let size = try core.destination.finish(facts)
        core.destination.close()
        core.noteFileSize(size)
        core.complete()
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

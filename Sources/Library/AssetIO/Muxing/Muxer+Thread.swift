import Foundation
package import MediaTypes
import MovieFile
import RealTime

/// The one thread that owns the file: it opens the file, writes fragments as they are due, and finalizes the movie.
extension Muxer {
    /// Starts the thread. It ends once the movie is finalized, has failed, or is cancelled or abandoned.
    ///
    /// - Parameters:
    ///   - client: the client; it is retained until the thread ends.
    ///   - open: returns the opened destination. Runs on the thread, and may block until a disk responds.
    package func start(
        for client: any MuxerClient, open: @escaping @Sendable () throws(MediaError) -> any MovieDestination
    ) throws(MediaError) {
        do {
            _ = try NamedThread("movie-file") { self.run(client, open) }
        } catch {
            throw MediaError(errno: error.errno, "cannot start the file's thread")
        }
    }

    private func run(_ client: any MuxerClient, _ open: () throws(MediaError) -> any MovieDestination) {
        do throws(MediaError) {
            let destination = try open()
            let isWanted = state.withLock { state in
                state.destination = destination
                return state.phase != .over
            }
            guard isWanted else { return destination.discard() }
            client.muxerOpened()
            do throws(MediaError) {
                try writeFragments(to: destination, client)
            } catch {
                // The file is closed before the client is called, because the client may repair the file immediately.
                destination.close()
                throw error
            }
        } catch {
            abandon()
            client.muxerFailed(error)
        }
    }

    private func writeFragments(to destination: any MovieDestination, _ client: any MuxerClient) throws(MediaError) {
        var writer: MovieFileWriter?
        // The error of a track that the file cannot store. The other tracks continue and are kept; the error is
        // reported at the end.
        var refusal: MediaError?
        while true {
            switch packets.next() {
            case .stop: return destination.close()
            case .awaited(let tracks): client.muxerAwaits(tracks)
            case .end:
                if let refusal { throw refusal }
                return try finish(destination, client, index: writer?.index)
            case .fragment(let fragment):
                let isFirst = writer == nil
                if isFirst {
                    // If the movie is over by now, its empty file may have been removed.
                    let isWanted = state.withLock { state in
                        state.isBeginning = state.phase != .over
                        return state.isBeginning
                    }
                    guard isWanted else { return destination.close() }
                }
                defer { if isFirst { state.withLock { $0.isBeginning = false } } }
                let current = writer ?? makeWriter(destination)
                writer = current
                do throws(MediaError) {
                    try current.writeFragment(fragment.packets, next: fragment.next, clock: client.passingClock)
                } catch {
                    // The next file gets the entire fragment, so this file must not contain a part of it. If this is
                    // the first fragment, a part of it would not be a recording either. Bytes are removed only here,
                    // because a finalized movie has its index after its last fragment.
                    if configuration.isContinuedElsewhere, error.isContinuable || bytesWritten == 0 {
                        destination.cut(to: UInt64(clamping: bytesWritten))
                    }
                    throw error
                }
                recordSize(current.byteCount)
                let refused = account(for: fragment, current, client)
                refusal = refusal ?? refused
                if packets.recordWritten(fragment) { client.muxerHasRoom() }
                if isFirst { client.muxerBegan() }
            }
        }
    }

    private func makeWriter(_ destination: any MovieDestination) -> MovieFileWriter {
        MovieFileWriter(
            storage: destination.output, fileType: configuration.fileType, timeScale: configuration.movieTimeScale,
            creationTime: Int64(clamping: configuration.creationDate.timeIntervalSince1970),
            metadata: configuration.metadata,
            tracks: tracks.all.map(\.movie), sessionStart: state.withLock { $0.sessionStart } ?? .zero,
            keepsIndex: !destination.isSegmented, sealing: configuration.sealing)
    }

    private func recordSize(_ bytes: UInt64) { fileSize.store(Int64(clamping: bytes), ordering: .relaxed) }

    /// - Returns: the reason why a track is not in the file.
    private func account(
        for fragment: PacketQueue.Fragment, _ writer: MovieFileWriter, _ client: any MuxerClient
    ) -> MediaError? {
        var first: MediaError?
        for index in tracks.all.indices {
            let count = fragment.packets.reduce(0) { $0 + ($1.track == index ? $1.accountsFor : 0) }
            guard count > 0 else { continue }
            if let refusal = writer.refusal(track: index) {
                first = first ?? refusal
                client.muxerLeftOut(count, of: index, refusal)
            } else {
                client.muxerWrote(count, of: index)
            }
        }
        return first
    }

    private func finish(
        _ destination: any MovieDestination, _ client: any MuxerClient, index: FragmentIndex?
    ) throws(MediaError) {
        let (sessionStart, sessionEnd, cuts, ends) = state.withLock {
            ($0.sessionStart, $0.sessionEnd, $0.cuts, $0.ends)
        }
        guard let index, let sessionStart else {
            destination.discard()
            throw MediaError(.invalidState, "cannot finalize \(destination.name)", reason: "no sample was appended")
        }
        var facts = FinishingInfo(sessionEnd: sessionEnd.map { $0 - sessionStart }, index: index)
        facts.cuts = cuts.map { TimeRange(start: $0.start - sessionStart, duration: $0.duration) }
        for (index, end) in ends { facts.trackEnds[tracks.all[index].movie.id] = end - sessionStart }
        for track in tracks.all where !track.edits.isEmpty {
            facts.trackEdits[track.movie.id] = track.edits.map { $0.moved(by: -sessionStart) }
        }
        if let item = ledgerItem(client.accounts) { facts.metadata.append(item) }
        facts.metadata += client.closingMetadata
        // The seal comes last, because it covers the metadata before it.
        let (movieEnd, trackEnds) = (facts.sessionEnd, facts.trackEnds)
        let seal = configuration.sealing?.end(movieEnd: movieEnd, trackEnds: trackEnds, metadata: facts.metadata)
        if let seal { facts.metadata.append(seal) }
        let size = try destination.finish(facts)
        destination.close()
        recordSize(size)
        state.withLock { $0.phase = .over }
        client.muxerCompleted()
    }

    private func ledgerItem(_ accounts: [MediaType: Ledger]) -> MetadataItem? {
        guard !accounts.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let named = Dictionary(uniqueKeysWithValues: accounts.map { ($0.key.rawValue, $0.value) })
        let json = (try? encoder.encode(named)).map { String(decoding: $0, as: UTF8.self) }
        return MetadataItem(key: MetadataItem.ledgerKey, value: json ?? "{}")
    }
}

extension MediaError {
    /// True if another file may continue after this error: any system error except a full disk and an existing name.
    package var isContinuable: Bool {
        guard case .errno = underlying else { return false }
        return code != .diskFull && code != .outputExists
    }
}

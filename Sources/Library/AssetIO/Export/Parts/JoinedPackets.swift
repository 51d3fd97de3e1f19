import DequeModule
import Foundation
import MediaTypes
import RealTime

/// The packets of one track of the movie. They are read from the files of its parts, one file after the other.
final class JoinedPackets: TranscodeFeed, @unchecked Sendable {
    // Unchecked: only the track's queue uses the mutable properties, except `current`, which has a lock.
    struct Piece {
        let asset: Asset
        let track: AssetTrack
    }

    private struct Current: Sendable {
        var reader: AssetReader?
        var isCancelled = false
    }

    /// The format of the packets, the same in all pieces.
    let format: FormatDescription
    /// The end of the last sample.
    let end: MediaTime
    private var left: Deque<Piece>
    private var output: TrackOutput?
    /// The offset from the times of a piece to those of the source. The times of a piece are measured from the start of
    /// the movie.
    private let shift: MediaTime
    private var seams: SeamTimes?
    private var ready: Deque<SampleBuffer> = []
    private let current = Locked(Current())

    /// - Parameter start: the time in the source at which the movie starts.
    /// - Throws: `invalidSettings` for pieces that one decoder cannot play together.
    init(_ pieces: [Piece], start: MediaTime) throws(MediaError) {
        let action = "cannot join the chunks of the movie"
        guard let first = pieces.first, let last = pieces.last, let format = first.track.storedFormat else {
            throw MediaError(.invalidSettings, action, reason: "there are no chunks")
        }
        for (number, piece) in pieces.enumerated() where piece.track.storedFormat != format {
            throw MediaError(
                .invalidSettings, action,
                reason:
                    "the headers of chunk \(number + 1) differ from those of chunk 1: a different encoder made it, or "
                    + "the same encoder with different settings",
                wayOut: "encode all chunks again with one version")
        }
        self.format = format
        shift = start
        end = last.track.timeRange.end + start
        left = Deque(pieces)
        if first.track.mediaType == .video { seams = SeamTimes() }
    }

    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let sample = ready.popFirst() { return sample }
            if output == nil, try !open() { return nil }
            if let sample = output?.copyNextSampleBuffer() {
                let placed = sample.at(sample.presentationTime + shift)
                if seams == nil { return placed }
                seams?.take(placed) { ready.append($0) }
                continue
            }
            let reader = current.withLock { $0.reader }
            switch reader?.status {
            case .failed: throw reader?.error ?? Self.failure("the reader failed")
            case .cancelled: throw Transcode.cancellation
            default: break
            }
            output = nil
            if left.isEmpty { seams?.finish { ready.append($0) } }
        }
    }

    /// - Returns: false if there is no further piece to open.
    private func open() throws(MediaError) -> Bool {
        guard let piece = left.popFirst() else { return false }
        let reader = try AssetReader(asset: piece.asset)
        let output = try TrackOutput(track: piece.track)
        try output.configure {
            $0.alwaysCopiesSampleData = false
            $0.leavesUnread = true
        }
        try reader.add(output)
        let isCancelled = current.withLock { current in
            current.reader = reader
            return current.isCancelled
        }
        if isCancelled { throw Transcode.cancellation }
        try reader.startReading()
        self.output = output
        seams?.begin(at: piece.track.timeRange.start + shift) { ready.append($0) }
        return true
    }

    func restart(_ ranges: [TimeRange]) throws(MediaError) { throw Self.failure("packets can be read only once") }

    func cancel() {
        let reader = current.withLock { current in
            current.isCancelled = true
            return current.reader
        }
        reader?.cancel(waits: false)
    }

    private static func failure(_ reason: String) -> MediaError {
        MediaError(.ioFailure, "cannot join the chunks of the movie", reason: reason)
    }
}

extension EncodedParts {
    /// Returns the video of all chunks. Blocks while headers are read.
    ///
    /// - Parameter start: the time in the source at which the movie starts.
    func joinedFrames(start: MediaTime) throws(MediaError) -> JoinedPackets {
        var pieces: [JoinedPackets.Piece] = []
        for url in frames {
            let asset = Asset(url: url)
            guard let track = try asset.loadNow(.tracks).first(where: { $0.mediaType == .video }) else {
                throw Self.missing(url, "it has no video")
            }
            pieces.append(JoinedPackets.Piece(asset: asset, track: track))
        }
        return try JoinedPackets(pieces, start: start)
    }

    /// Returns the encoded audio track with index `number`.
    func joinedAudio(_ number: Int, start: MediaTime) throws(MediaError) -> JoinedPackets {
        guard let audio else {
            throw MediaError(.invalidSettings, "cannot join the chunks of the movie", reason: "the audio is missing")
        }
        let asset = Asset(url: audio)
        let tracks = try asset.loadNow(.tracks).filter { $0.mediaType == .audio }
        guard tracks.indices.contains(number) else { throw Self.missing(audio, "it has \(tracks.count) audio tracks") }
        return try JoinedPackets([JoinedPackets.Piece(asset: asset, track: tracks[number])], start: start)
    }

    private static func missing(_ url: URL, _ reason: String) -> MediaError {
        MediaError(.invalidSettings, "cannot join \(url.path)", reason: reason)
    }
}

import Demuxing
import MediaTypes

/// The packets of one track, from where decoding can begin: a demuxer of its own, which leaves the other tracks out.
///
/// One thread at a time uses it.
final class TrackPackets {
    let path: String
    private(set) var demuxer: MovieDemuxer
    private let index: Int
    private let skipsDamage: Bool
    private let passage: MovieDemuxer.Passage?
    private let ignoresEdits: Bool
    private var isFresh = true
    /// Reading began with the first packet of the file.
    private(set) var isFromBeginning = true
    /// Read while looking for the place to start.
    private var first: MovieDemuxer.Packet?

    /// - Parameters:
    ///   - skipsDamage: goes on behind damage, to the next packet to begin with.
    ///   - passed: all tracks of the file, for whoever passes packets on: they are places in the file where that is possible.
    ///   - ignoresEdits: times are those of the media.
    /// - Throws: what opening the file throws; `corruptData` for a file that has lost the track since.
    init(
        path: String, track index: Int, skipsDamage: Bool, passed: [MovieDemuxer.Track]? = nil,
        ignoresEdits: Bool = false
    ) throws(MediaError) {
        self.path = path
        self.index = index
        self.skipsDamage = skipsDamage
        self.ignoresEdits = ignoresEdits
        passage = passed.map { MovieDemuxer.Passage(index, of: $0) }
        demuxer = try Self.open(path, index, passage, ignoresEdits)
    }

    private static func open(
        _ path: String, _ index: Int, _ passage: MovieDemuxer.Passage?, _ ignoresEdits: Bool
    ) throws(MediaError) -> MovieDemuxer {
        let demuxer = try MovieDemuxer(path: path, passage: passage, ignoresEdits: ignoresEdits)
        demuxer.select([index])
        guard demuxer.tracks.indices.contains(index) else {
            throw MediaError(.corruptData, "cannot read \(path)", reason: "the file has changed: the track is gone")
        }
        return demuxer
    }

    var track: MovieDemuxer.Track { demuxer.tracks[index] }
    var isVideo: Bool { track.mediaType == .video }

    /// Goes to where decoding must begin so as to have what is presented at `time`.
    ///
    /// - Parameters:
    ///   - preroll: so much earlier at least.
    ///   - isDecoded: begins with the first packet where only that tells when samples are shown.
    func start(at time: MediaTime, preroll: MediaTime, isDecoded: Bool) throws(MediaError) {
        first = nil
        // Also when what follows fails.
        defer { isFresh = false }
        let isInTheMiddle = time > (track.start ?? .zero) && time > .zero
        if isInTheMiddle, !isDecoded || demuxer.knowsTimesInTheMiddle(of: index) {
            try seek(to: time, preroll: preroll)
        } else {
            try rewind()
        }
    }

    /// The next packet; nil at the end.
    ///
    /// - Throws: as `MovieDemuxer.next`.
    func next() throws(MediaError) -> MovieDemuxer.Packet? {
        if let packet = first {
            first = nil
            return packet
        }
        return try demuxer.next()
    }

    /// No more packets come, also after an error.
    var isAtEnd: Bool { demuxer.isAtEnd }
    /// The end of the latest packet that was read; nil before the first.
    var reachedEnd: MediaTime? { demuxer.reachedEnd(of: index) }
    /// Where the header says that the track ends; nil where it does not say.
    var announcedEnd: MediaTime? { demuxer.announcedEnd(of: index) }

    /// Where the edit list cuts the sound off in the middle of a packet.
    var editedEnd: MediaTime {
        guard !ignoresEdits, demuxer.hasCompleteIndex, let start = track.start, let duration = track.duration,
            duration > .zero
        else {
            return .positiveInfinity
        }
        return start + duration
    }

    /// The file says of every packet when it is decoded.
    var storesDecodeTimes: Bool { demuxer.storesDecodeTimes }

    /// A fresh demuxer: some containers cannot seek to their own beginning.
    private func rewind() throws(MediaError) {
        first = nil
        isFromBeginning = true
        guard !isFresh else { return }
        demuxer = try Self.open(path, index, passage, ignoresEdits)
    }

    /// Goes back until there is a packet to decode from that is shown no later than `start`.
    private func seek(to start: MediaTime, preroll: MediaTime) throws(MediaError) {
        var back = isVideo ? MediaTime.zero : Self.retreat
        while true {
            let target = start - back
            guard target > (track.start ?? .zero), target > .zero else {
                isFresh = false
                return try rewind()
            }
            // A seek that failed leaves the demuxer nowhere.
            if demuxer.seek(to: target, track: index), let packet = try firstUsable(),
                packet.sample.presentationTime <= start - preroll
            {
                first = packet
                isFromBeginning = false
                return
            }
            isFresh = false
            try rewind()
            back = back + back + MediaTime(value: 1, timescale: 1)
        }
    }

    private static let retreat = MediaTime(value: 1, timescale: 4)

    private func firstUsable() throws(MediaError) -> MovieDemuxer.Packet? {
        while true {
            do throws(MediaError) {
                guard let packet = try demuxer.next() else { return nil }
                if !isVideo || packet.sample.isKeyFrame { return packet }
            } catch {
                guard skipsDamage, DamageRecovery.isDamage(error) else { throw error }
                if demuxer.isAtEnd { return nil }
            }
        }
    }
}

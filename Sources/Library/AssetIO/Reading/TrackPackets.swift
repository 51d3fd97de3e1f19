import Demuxing
import MediaTypes

/// The packets of one track. They begin with a packet from which decoding can start. Each instance has its own demuxer,
/// which skips the other tracks.
///
/// Only one thread at a time may call.
final class TrackPackets {
    let path: String
    private(set) var demuxer: MovieDemuxer
    private let index: Int
    private let skipsDamage: Bool
    private let passage: MovieDemuxer.Passage?
    private let ignoresEdits: Bool
    private var isFresh = true
    /// True if reading began with the first packet of the file.
    private(set) var isFromBeginning = true
    /// The packet that was read while searching for the start, if it was not returned yet.
    private var first: MovieDemuxer.Packet?
    /// The packet after the last returned one, if it was read to learn when that one ends.
    private var following: MovieDemuxer.Packet?

    /// - Parameters:
    ///   - skipsDamage: true to continue after damage, with the next packet that decoding can begin with.
    ///   - passed: all tracks of the file if the packets are passed through; nil if they are decoded. If possible,
    ///     passed packets are references into the file, without data.
    ///   - ignoresEdits: true if times are those of the media.
    /// - Throws: the errors of opening the file; `corruptData` if the file was changed and no longer has the track.
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
            throw MediaError(
                .corruptData, "cannot read \(path)", reason: "the file has changed and no longer has the track")
        }
        return demuxer
    }

    var track: MovieDemuxer.Track { demuxer.tracks[index] }
    var isVideo: Bool { track.mediaType == .video }

    /// Seeks to the packet with which decoding must begin to show the sample at `time`.
    ///
    /// - Parameters:
    ///   - preroll: the minimum time by which reading begins before `time`.
    ///   - isDecoded: true to begin with the first packet of the file if presentation times are otherwise unknown.
    func start(at time: MediaTime, preroll: MediaTime, isDecoded: Bool) throws(MediaError) {
        (first, following) = (nil, nil)
        // The demuxer is no longer fresh, even if the following calls fail.
        defer { isFresh = false }
        let isInTheMiddle = time > (track.start ?? .zero) && time > .zero
        if isInTheMiddle, !isDecoded || demuxer.knowsTimesInTheMiddle(of: index) {
            // libavformat remembers the positions that it finds while seeking. If a time occurs twice, these positions
            // change where the next seek arrives. A new demuxer makes the same range begin with the same packet each
            // time.
            if skipsDamage, mayRepeatTimes, !isFresh { demuxer = try Self.open(path, index, passage, ignoresEdits) }
            try seek(to: time, preroll: preroll)
        } else {
            try rewind()
        }
    }

    /// Returns the next packet; nil at the end.
    ///
    /// - Throws: the errors of `MovieDemuxer.next`.
    func next() throws(MediaError) -> MovieDemuxer.Packet? {
        var next = first.take() ?? following.take()
        if next == nil { next = try demuxer.next() }
        guard var packet = next else { return nil }
        // libavformat does not return the durations of subtitles in fragments. Each title lasts until the next one.
        guard track.mediaType == .text, packet.sample.duration == nil else { return packet }
        do throws(MediaError) { following = try demuxer.next() } catch {
            following = packet
            throw error
        }
        let end = following?.start ?? announcedEnd
        if let end, end > packet.start { packet.sample = packet.sample.lasting(end - packet.start) }
        return packet
    }

    /// True if no more packets come, because of the end or an error.
    var isAtEnd: Bool { following == nil && demuxer.isAtEnd }
    /// The end of the latest packet that was read; nil before the first.
    var reachedEnd: MediaTime? { demuxer.reachedEnd(of: index) }
    /// The end of the track according to the header; nil if unknown.
    var announcedEnd: MediaTime? { demuxer.announcedEnd(of: index) }

    /// True if a time may occur more than once in the file.
    var mayRepeatTimes: Bool { demuxer.mayRepeatTimes }

    /// The time at which the edit list cuts the audio, perhaps in the middle of a packet; infinite if there is no such
    /// time.
    var editedEnd: MediaTime {
        guard !ignoresEdits, demuxer.hasCompleteIndex, let start = track.start, let duration = track.duration,
            duration > .zero
        else {
            return .positiveInfinity
        }
        return start + duration
    }

    /// True if the file stores the decode time of every packet.
    var storesDecodeTimes: Bool { demuxer.storesDecodeTimes }

    /// Opens a new demuxer, because some containers cannot seek to their own beginning.
    private func rewind() throws(MediaError) {
        first = nil
        isFromBeginning = true
        guard !isFresh else { return }
        demuxer = try Self.open(path, index, passage, ignoresEdits)
    }

    /// Seeks back until decoding can begin with a packet that is shown no later than `start`.
    private func seek(to start: MediaTime, preroll: MediaTime) throws(MediaError) {
        var back = isVideo ? MediaTime.zero : Self.retreat
        while true {
            let target = start - back
            guard target > (track.start ?? .zero), target > .zero else {
                isFresh = false
                return try rewind()
            }
            // After a failed seek the position of the demuxer is undefined.
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
                if !isVideo || packet.sample.isKeyframe { return packet }
            } catch {
                guard skipsDamage, DamageRecovery.isDamage(error) else { throw error }
                if demuxer.isAtEnd { return nil }
            }
        }
    }
}

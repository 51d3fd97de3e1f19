import DequeModule
import MediaTypes

/// The newest packets of both tracks, beginning with a keyframe. A recording that begins now starts with these packets.
/// A pure value.
///
/// The buffer is limited by duration and by bytes. Without a pre-roll it still keeps the newest GOP, so that a
/// recording begins at the requested time, not at the next keyframe.
struct PreRollBuffer {
    /// Maximum bytes of all kept packets.
    static let mostBytes = 256 << 20
    /// The duration of audio that is kept before the first frame. An audio packet decodes correctly only after the two
    /// packets before it.
    static let audioLead = MediaTime(value: 1, timescale: 4)

    private(set) var video: Deque<SampleBuffer> = []
    private(set) var audio: Deque<SampleBuffer> = []
    /// The position and the time of each keyframe. The position is the number of video packets that were ever added
    /// before it.
    private var keyframes: Deque<(position: Int, time: MediaTime)> = []
    private var videoRemoved = 0
    private(set) var byteCount = 0
    private var newest = MediaTime.negativeInfinity
    /// The end of the newest frame that repeats the one before; nil if there was none. Kept frames then last longer than
    /// their durations.
    private var stillEnd: MediaTime?
    private let length: MediaTime

    /// Creates an empty buffer.
    ///
    /// - Parameter length: The minimum duration that is kept, once that much was captured.
    init(length: MediaTime) { self.length = length }

    mutating func append(_ packet: SampleBuffer) {
        // A frame cannot be shown without the keyframe before it.
        if packet.format.mediaType == .video, keyframes.isEmpty, !packet.isKeyframe { return }
        byteCount += packet.byteCount
        newest = max(newest, packet.presentationTime)
        if packet.format.mediaType == .video {
            if packet.isKeyframe { keyframes.append((videoRemoved + video.count, packet.presentationTime)) }
            video.append(packet)
        } else {
            audio.append(packet)
        }
        trim()
    }

    /// Records that the video continues at `time` without a packet, because the frame repeats the one before.
    mutating func continueVideo(at time: MediaTime, until end: MediaTime) {
        guard !video.isEmpty else { return }
        stillEnd = max(stillEnd ?? end, end)
        newest = max(newest, time)
        trim()
    }

    /// Returns the video packets that a recording from `time` on needs. They begin with the last keyframe at or before
    /// `time`, or with the first keyframe if there is none.
    func video(from time: MediaTime) -> Deque<SampleBuffer>.SubSequence {
        guard let first = keyframes.last(where: { $0.time <= time }) ?? keyframes.first else { return video[0..<0] }
        return video[(first.position - videoRemoved)...]
    }

    /// Returns the packets of `video(from:)` without the leading frames of the first keyframe, which depend on frames
    /// before that keyframe.
    func decodableVideo(from time: MediaTime) -> [SampleBuffer] {
        let frames = video(from: time)
        guard let first = frames.first?.presentationTime else { return [] }
        return frames.filter { $0.presentationTime >= first }
    }

    var newestKeyframe: MediaTime? { keyframes.last?.time }

    /// The end of the frame that is shown last; nil without video.
    var videoEnd: MediaTime? { video.map(\.endTime).max().map { max($0, stillEnd ?? $0) } }

    /// The time from the first frame that can be shown to the newest packet; zero if the buffer is empty.
    var duration: MediaTime {
        guard newest.isNumeric, let first = keyframes.first?.time ?? audio.first?.presentationTime else { return .zero }
        return max(.zero, newest - first)
    }

    /// Removes all frames, for example when a new encoder begins, because its packets do not depend on them.
    mutating func removeVideo() {
        byteCount -= video.reduce(0) { $0 + $1.byteCount }
        videoRemoved += video.count
        stillEnd = nil
        video.removeAll()
        keyframes.removeAll()
    }

    mutating func removeAudio() {
        byteCount -= audio.reduce(0) { $0 + $1.byteCount }
        audio.removeAll()
    }

    private mutating func trim() {
        let horizon = newest - length
        while keyframes.count > 1, keyframes[1].time <= horizon || byteCount > Self.mostBytes { removeFirstGroup() }
        // A single GOP that exceeds the limit is removed entirely.
        if byteCount > Self.mostBytes, video.reduce(0, { $0 + $1.byteCount }) > Self.mostBytes / 2 { removeVideo() }
        let wanted = min(horizon, keyframes.first?.time ?? horizon) - Self.audioLead
        while let first = audio.first, first.endTime < wanted || byteCount > Self.mostBytes {
            byteCount -= first.byteCount
            audio.removeFirst()
        }
    }

    private mutating func removeFirstGroup() {
        keyframes.removeFirst()
        guard let next = keyframes.first else { return }
        for _ in videoRemoved..<next.position { byteCount -= video.removeFirst().byteCount }
        videoRemoved = next.position
    }
}

extension PreRollBuffer {
    /// Returns the packets of both tracks in the order of their times, but with the file's first audio packet at the
    /// beginning. A file's header is written once each track has a packet. The header stores how long before the file's
    /// start each track begins, so the first audio packet must be known when the header is written.
    static func interleaved(_ video: [SampleBuffer], _ audio: [SampleBuffer], start: MediaTime) -> [SampleBuffer] {
        var lead = audio.firstIndex { $0.endTime > start }.map { $0 + 1 } ?? audio.count
        var packets = Array(audio[..<lead])
        packets.reserveCapacity(video.count + audio.count)
        for frame in video {
            let time = frame.decodeTime ?? frame.presentationTime
            while lead < audio.count, audio[lead].presentationTime < time {
                packets.append(audio[lead])
                lead += 1
            }
            packets.append(frame)
        }
        return packets + audio[lead...]
    }

    /// Returns the frames of a file that begins at `start`. The frame on screen at `start` may have begun long before,
    /// if the frames that repeat it have no packets. In that case it gets the time `start`, because many players do not
    /// show a frame that begins before an edit. A video with such repeated frames has no reordered frames.
    func holding(_ frames: [SampleBuffer], at start: MediaTime) -> [SampleBuffer] {
        guard let stillEnd, let index = frames.lastIndex(where: { $0.presentationTime <= start }) else { return frames }
        // Otherwise packets with times before `start` may still arrive.
        guard index + 1 < frames.count || stillEnd >= start else { return frames }
        var frames = frames
        frames[index] = frames[index].keepingCounts { $0.at(start) }
        return frames
    }

    /// Returns the frames of a file that ends at `end`. If the last frame was repeated, it lasts until the repetitions
    /// end, but not beyond `end`.
    func lasting(_ frames: [SampleBuffer], until end: MediaTime) -> [SampleBuffer] {
        guard let stillEnd, let last = frames.last, min(stillEnd, end) > last.endTime else { return frames }
        var frames = frames
        frames[frames.count - 1] = last.keepingCounts { $0.lasting(min(stillEnd, end) - $0.presentationTime) }
        return frames
    }

    /// The packets since the newest keyframe; none without video.
    var newestGroup: [SampleBuffer] {
        guard let first = newestKeyframe else { return [] }
        return Self.interleaved(decodableVideo(from: first), audio.filter { $0.endTime > first }, start: first)
    }

    /// Returns the last part of the buffer as a separate file: its opening, its packets and its end. Returns nil if
    /// there is neither a frame that can be shown nor audio.
    ///
    /// - Parameter masksChangedAt: The time from which on frames have the current masks. A part that begins after this
    ///   time must also begin with a keyframe after it, because frames that are not shown can still be decoded.
    func excerpt(
        last duration: MediaTime?, masksChangedAt: MediaTime? = nil
    ) -> (opening: RecordingFileOpening, packets: [SampleBuffer], end: MediaTime)? {
        guard let end else { return nil }
        let first = video.first { $0.isKeyframe }?.presentationTime ?? audio.first?.presentationTime
        guard let first, end > first else { return nil }
        var start = max(first, duration.map { end - $0 } ?? first)
        if let masked = masksChangedAt, start >= masked,
            video(from: start).first.map({ $0.presentationTime < masked }) ?? false
        {
            guard let next = keyframes.first(where: { $0.time >= masked })?.time, next < end else { return nil }
            start = next
        }
        let keptFrames = lasting(holding(decodableVideo(from: start), at: start), until: end)
        let keptAudio = audio.filter { $0.endTime > start - Self.audioLead && $0.presentationTime < end }
        let opening = RecordingFileOpening(
            number: 1, start: start, video: keptFrames.first?.format, audio: keptAudio.last?.format)
        let packets = Self.interleaved(keptFrames, keptAudio.filter { $0.format == opening.audio }, start: start)
        return (opening, packets, end)
    }

    /// The time that both tracks have reached. Usually the video is behind, because it takes longer to encode. A
    /// disconnected camera is ignored.
    private var end: MediaTime? {
        // No frame is shown before it is decoded, so no frame before this time is missing.
        let keptFrames = video.last.map { last in
            max((last.decodeTime ?? last.presentationTime) + (last.duration ?? .zero), stillEnd ?? .negativeInfinity)
        }
        let keptAudio = audio.last?.endTime
        guard let keptFrames, let keptAudio else { return keptFrames ?? keptAudio }
        return keptAudio > keptFrames && keptAudio - keptFrames < PacketRouter.patience
            ? keptFrames : max(keptFrames, keptAudio)
    }
}

extension SampleBuffer {
    /// Returns a changed packet with the same drop counts as this one.
    fileprivate func keepingCounts(_ change: (SampleBuffer) -> SampleBuffer) -> SampleBuffer {
        let changed = change(self).accounting(for: ledgerCount)
        return isEased ? changed.eased() : changed
    }
}

import DequeModule
import MediaTypes

/// The newest packets of both tracks, from a key frame on: what precedes a recording that begins now. A pure value.
///
/// Bounded by time, and by bytes whatever the time. Without a wanted length it still holds the newest group of pictures, so
/// that a recording begins at the moment it is asked for and not at the next key frame.
struct PreRollBuffer {
    /// Packets in here never take more than this.
    static let mostBytes = 256 << 20
    /// A packet of sound is decoded right only after the two before it.
    static let soundLead = MediaTime(value: 1, timescale: 4)

    private(set) var video: Deque<SampleBuffer> = []
    private(set) var audio: Deque<SampleBuffer> = []
    /// Where the key frames are: how many packets of video there ever were before each.
    private var keyFrames: Deque<(position: Int, time: MediaTime)> = []
    private var videoRemoved = 0
    private(set) var byteCount = 0
    private var newest = MediaTime.negativeInfinity
    private let length: MediaTime

    /// - Parameter length: how much is kept at least, once there was so much.
    init(length: MediaTime) { self.length = length }

    mutating func append(_ packet: SampleBuffer) {
        // Without the key frame before it a picture cannot be shown.
        if packet.format.mediaType == .video, keyFrames.isEmpty, !packet.isKeyFrame { return }
        byteCount += packet.byteCount
        newest = max(newest, packet.presentationTime)
        if packet.format.mediaType == .video {
            if packet.isKeyFrame { keyFrames.append((videoRemoved + video.count, packet.presentationTime)) }
            video.append(packet)
        } else {
            audio.append(packet)
        }
        trim()
    }

    /// The packets of video that a recording from `time` on needs: from the last key frame at or before it, or from the first
    /// one there is.
    func video(from time: MediaTime) -> Deque<SampleBuffer>.SubSequence {
        guard let first = keyFrames.last(where: { $0.time <= time }) ?? keyFrames.first else { return video[0..<0] }
        return video[(first.position - videoRemoved)...]
    }

    private var newestKeyFrame: MediaTime? { keyFrames.last?.time }

    /// From the first moment that can be shown to the newest; zero when there is nothing.
    var duration: MediaTime {
        guard newest.isNumeric, let first = keyFrames.first?.time ?? audio.first?.presentationTime else { return .zero }
        return max(.zero, newest - first)
    }

    /// Of pictures that come again after their camera was away nothing leans on those before.
    mutating func removeVideo() {
        byteCount -= video.reduce(0) { $0 + $1.byteCount }
        videoRemoved += video.count
        video.removeAll()
        keyFrames.removeAll()
    }

    mutating func removeAudio() {
        byteCount -= audio.reduce(0) { $0 + $1.byteCount }
        audio.removeAll()
    }

    private mutating func trim() {
        let horizon = newest - length
        while keyFrames.count > 1, keyFrames[1].time <= horizon || byteCount > Self.mostBytes { removeFirstGroup() }
        // One group alone that is larger goes as a whole.
        if byteCount > Self.mostBytes, video.reduce(0, { $0 + $1.byteCount }) > Self.mostBytes / 2 { removeVideo() }
        let wanted = min(horizon, keyFrames.first?.time ?? horizon) - Self.soundLead
        while let first = audio.first, first.endTime < wanted || byteCount > Self.mostBytes {
            byteCount -= first.byteCount
            audio.removeFirst()
        }
    }

    private mutating func removeFirstGroup() {
        keyFrames.removeFirst()
        guard let next = keyFrames.first else { return }
        for _ in videoRemoved..<next.position { byteCount -= video.removeFirst().byteCount }
        videoRemoved = next.position
    }
}

extension PreRollBuffer {
    /// Both tracks in the order of their times, but the sound that begins the file before everything else: a file's header
    /// says of each track how long before the start it begins, and is written once each has given a packet.
    static func interleaved(_ video: [SampleBuffer], _ audio: [SampleBuffer], start: MediaTime) -> [SampleBuffer] {
        var lead = audio.firstIndex { $0.endTime > start }.map { $0 + 1 } ?? audio.count
        var packets = Array(audio[..<lead])
        packets.reserveCapacity(video.count + audio.count)
        for picture in video {
            let time = picture.decodeTime ?? picture.presentationTime
            while lead < audio.count, audio[lead].presentationTime < time {
                packets.append(audio[lead])
                lead += 1
            }
            packets.append(picture)
        }
        return packets + audio[lead...]
    }

    /// From the newest key frame on; nothing without pictures.
    var newestGroup: [SampleBuffer] {
        guard let first = newestKeyFrame else { return [] }
        return Self.interleaved(Array(video(from: first)), audio.filter { $0.endTime > first }, start: first)
    }

    /// The last so much as a file of its own: what to open, what goes into it, and where it ends. nil when nothing can be
    /// shown.
    func excerpt(
        last duration: MediaTime?
    ) -> (opening: RecordingFileOpening, packets: [SampleBuffer], end: MediaTime)? {
        guard let end else { return nil }
        let first = video.first { $0.isKeyFrame }?.presentationTime ?? audio.first?.presentationTime
        guard let first, end > first else { return nil }
        let start = max(first, duration.map { end - $0 } ?? first)
        let pictures = video(from: start)
        let sound = audio.filter { $0.endTime > start - Self.soundLead && $0.presentationTime < end }
        let opening = RecordingFileOpening(
            number: 1, start: start, video: pictures.first?.format, audio: sound.last?.format)
        let packets = Self.interleaved(Array(pictures), sound.filter { $0.format == opening.audio }, start: start)
        return (opening, packets, end)
    }

    /// Where both tracks have come to. Pictures take longer to encode; a camera that is away is not waited for.
    private var end: MediaTime? {
        // A picture that is decoded later is not shown before it is decoded: up to there none is missing.
        let pictures = video.last.map { ($0.decodeTime ?? $0.presentationTime) + ($0.duration ?? .zero) }
        let sound = audio.last?.endTime
        guard let pictures, let sound else { return pictures ?? sound }
        return sound > pictures && sound - pictures < PacketRouter.patience ? pictures : max(pictures, sound)
    }
}

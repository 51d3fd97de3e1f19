import DequeModule
import MediaTypes

/// The packets that one viewer has not read yet. A pure value of limited size.
///
/// A viewer begins with a keyframe, without the keyframe's leading frames. If the viewer is too slow, all packets
/// before the newest keyframe are dropped. If that is not enough, all packets are dropped, and the viewer continues
/// with the next keyframe. Audio is dropped together with the frames of its time.
struct LiveQueue {
    /// Maximum number of waiting bytes.
    let limit: Int
    private(set) var packets: Deque<SampleBuffer> = []
    private(set) var byteCount = 0
    /// The number of dropped frames, or of dropped audio packets if there is no video.
    private(set) var lostCount = 0
    private let hasVideo: Bool
    private var awaitsKeyframe: Bool
    /// The earliest time of the first keyframe; nil if any time is allowed, and once the first keyframe has arrived.
    private var start: MediaTime?
    /// Selects the frames that can be decoded after a drop.
    private var decodable = DecodingEntry(needsKeyframe: true)

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - hasVideo: True if a viewer must begin with a keyframe; otherwise it may begin with any packet.
    ///   - start: The earliest time of the first keyframe; nil for any time.
    init(limit: Int, hasVideo: Bool, from start: MediaTime? = nil) {
        self.limit = limit
        self.hasVideo = hasVideo
        self.start = start
        awaitsKeyframe = hasVideo
    }

    mutating func push(_ packet: SampleBuffer) {
        if awaitsKeyframe {
            guard isEntry(packet), start.map({ packet.presentationTime >= $0 }) ?? true else { return lose(packet) }
            awaitsKeyframe = false
            start = nil
        }
        guard packet.format.mediaType != .video || decodable.admits(packet) else { return lose(packet) }
        packets.append(packet)
        byteCount += packet.byteCount
        if byteCount > limit { shorten() }
    }

    /// Returns all waiting packets, in order.
    mutating func popAll() -> Deque<SampleBuffer> {
        defer {
            packets = []
            byteCount = 0
        }
        return packets
    }

    private func isEntry(_ packet: SampleBuffer) -> Bool {
        !hasVideo || packet.format.mediaType == .video && packet.isKeyframe
    }

    private func counts(_ packet: SampleBuffer) -> Bool { (packet.format.mediaType == .video) == hasVideo }

    private mutating func lose(_ packet: SampleBuffer) { if counts(packet) { lostCount += 1 } }

    private mutating func shorten() {
        // If there is no keyframe in the queue, the viewer already has an earlier one, and all packets are dropped.
        let entry = packets.lastIndex(where: isEntry) ?? packets.endIndex
        awaitsKeyframe = hasVideo && entry == packets.endIndex
        if entry > 0 { decodable.leaveOut() }
        for packet in packets[..<entry] { lose(packet) }
        packets.removeFirst(entry)
        if entry > 0 { removeLeadingFrames() }
        byteCount = packets.reduce(0) { $0 + $1.byteCount }
        guard byteCount > limit else { return }
        for packet in packets { lose(packet) }
        packets.removeAll()
        byteCount = 0
        awaitsKeyframe = hasVideo
        decodable.leaveOut()
    }

    /// Removes the leading frames of the first keyframe: they depend on frames that were dropped.
    private mutating func removeLeadingFrames() {
        let waiting = packets
        packets.removeAll(keepingCapacity: true)
        for packet in waiting {
            if packet.format.mediaType != .video || decodable.admits(packet) {
                packets.append(packet)
            } else {
                lose(packet)
            }
        }
    }
}

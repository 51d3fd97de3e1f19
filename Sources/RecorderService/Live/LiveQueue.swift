import DequeModule
import MediaTypes

/// The packets that one watcher has not taken yet. A pure value of bounded size.
///
/// A watcher begins with a key frame. One who is too slow loses what came before the newest key frame; where that is not
/// enough, all there is, and goes on with the next one. Sound goes with its pictures.
struct LiveQueue {
    /// Bytes that may wait.
    let limit: Int
    private(set) var packets: Deque<SampleBuffer> = []
    private(set) var byteCount = 0
    /// Pictures, or without any packets of sound, that were left out.
    private(set) var lostCount = 0
    private let hasVideo: Bool
    private var awaitsKeyFrame: Bool

    /// - Parameter hasVideo: pictures set the beginning; else any packet does.
    init(limit: Int, hasVideo: Bool) {
        self.limit = limit
        self.hasVideo = hasVideo
        awaitsKeyFrame = hasVideo
    }

    mutating func push(_ packet: SampleBuffer) {
        if awaitsKeyFrame {
            guard isEntry(packet) else { return lose(packet) }
            awaitsKeyFrame = false
        }
        packets.append(packet)
        byteCount += packet.byteCount
        if byteCount > limit { shorten() }
    }

    /// All that waits, in order.
    mutating func popAll() -> Deque<SampleBuffer> {
        defer {
            packets = []
            byteCount = 0
        }
        return packets
    }

    private func isEntry(_ packet: SampleBuffer) -> Bool {
        !hasVideo || packet.format.mediaType == .video && packet.isKeyFrame
    }

    private func counts(_ packet: SampleBuffer) -> Bool { (packet.format.mediaType == .video) == hasVideo }

    private mutating func lose(_ packet: SampleBuffer) { if counts(packet) { lostCount += 1 } }

    private mutating func shorten() {
        // Without one the key frame before these is with the watcher already.
        let entry = packets.lastIndex(where: isEntry) ?? packets.endIndex
        awaitsKeyFrame = hasVideo && entry == packets.endIndex
        for packet in packets[..<entry] { lose(packet) }
        packets.removeFirst(entry)
        byteCount = packets.reduce(0) { $0 + $1.byteCount }
        guard byteCount > limit else { return }
        for packet in packets { lose(packet) }
        packets.removeAll()
        byteCount = 0
        awaitsKeyFrame = hasVideo
    }
}

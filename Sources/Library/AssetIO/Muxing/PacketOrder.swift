import DequeModule
import MediaTypes
import MovieFile

/// Orders the packets of tracks whose sources can wait. The order depends only on the decode times, and on the track if
/// decode times are equal. Encoders deliver packets on their own threads at unpredictable times. A pure value.
///
/// A packet is released once every other track has a later one, or has ended. So packets wait for the slowest encoder.
/// If many packets wait, `awaited` names the tracks to feed.
struct PacketOrder {
    enum Item {
        case packet(TrackSample)
        /// The track has ended, and all its packets have been released.
        case end(Int)
    }

    private struct Lane {
        var packets: Deque<(time: MediaTime, packet: TrackSample)> = []
        /// The time of the packet that was added last. With it, a track keeps its own order even if its times decrease.
        var last = MediaTime.negativeInfinity
        var isOpen = true
        /// True once `next` has returned the track's end.
        var isOver = false
    }

    /// The lanes by track; nil for tracks that do not take part.
    private var lanes: [Lane?]
    /// The number of waiting bytes.
    private(set) var byteCount = 0
    /// True once any packet was added.
    private(set) var hasBegun = false

    init(tracks: Set<Int>) {
        lanes = (0..<((tracks.max() ?? -1) + 1)).map { tracks.contains($0) ? Lane() : nil }
    }

    func holds(_ track: Int) -> Bool { lanes.indices.contains(track) && lanes[track] != nil }

    /// True if every track has ended and all packets have been released.
    var isOver: Bool { lanes.allSatisfy { $0?.isOver ?? true } }

    /// The open tracks without packets, for which the others wait.
    var awaited: [Int] {
        lanes.indices.filter { index in lanes[index].map { $0.isOpen && $0.packets.isEmpty } ?? false }
    }

    mutating func take(_ packet: TrackSample) {
        guard holds(packet.track) else { return }
        hasBegun = true
        byteCount += packet.sample.byteCount
        let time = max(
            packet.sample.decodeTime ?? packet.sample.presentationTime,
            lanes[packet.track]?.last ?? .negativeInfinity)
        lanes[packet.track]?.last = time
        lanes[packet.track]?.packets.append((time, packet))
    }

    mutating func end(_ track: Int) {
        if holds(track) { lanes[track]?.isOpen = false }
    }

    /// Returns the next item; nil if a packet that has not arrived yet may come before all others.
    ///
    /// - Parameter waits: false to use only the packets that are there, without waiting for any track.
    mutating func next(waits: Bool = true) -> Item? {
        var first: (track: Int, time: MediaTime)?
        for (track, lane) in lanes.enumerated() {
            guard let lane, !lane.isOver else { continue }
            guard let time = lane.packets.first?.time else {
                guard lane.isOpen else {
                    lanes[track]?.isOver = true
                    return .end(track)
                }
                if waits { return nil } else { continue }
            }
            if first.map({ time < $0.time }) ?? true { first = (track, time) }
        }
        guard let track = first?.track, let packet = lanes[track]?.packets.popFirst()?.packet else { return nil }
        byteCount -= packet.sample.byteCount
        return .packet(packet)
    }

    mutating func removeAll() {
        for track in lanes.indices { lanes[track]?.packets.removeAll() }
        byteCount = 0
    }
}

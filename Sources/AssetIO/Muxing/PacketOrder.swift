import DequeModule
import MediaTypes
import MovieFile

/// The packets of tracks whose sources can wait, in one order that depends on nothing but their times: by when they are decoded, and
/// at the same moment by track. Encoders hand theirs on from threads of their own, whenever these come to it. A pure value.
///
/// A packet goes on once every other track has one that comes later, or has ended. So what waits is what the slowest encoder holds
/// back; whoever feeds the tracks is told by `awaited` when that becomes much.
struct PacketOrder {
    enum Item {
        case packet(TrackSample)
        /// The track gives nothing more, and all that it gave has gone on.
        case end(Int)
    }

    private struct Lane {
        var packets: Deque<(time: MediaTime, packet: TrackSample)> = []
        /// Of the packet that was taken last: a track keeps its own order, whatever its times are.
        var last = MediaTime.negativeInfinity
        var isOpen = true
        /// Its end has been told.
        var isOver = false
    }

    /// By track; nil for those that wait for nobody.
    private var lanes: [Lane?]
    /// Of what waits.
    private(set) var byteCount = 0
    /// Whether anything was ever taken.
    private(set) var hasBegun = false

    init(tracks: Set<Int>) {
        lanes = (0..<((tracks.max() ?? -1) + 1)).map { tracks.contains($0) ? Lane() : nil }
    }

    func holds(_ track: Int) -> Bool { lanes.indices.contains(track) && lanes[track] != nil }

    /// Whether every track has ended and all packets have gone on.
    var isOver: Bool { lanes.allSatisfy { $0?.isOver ?? true } }

    /// Tracks of which nothing is there, and may still come: the others wait for them.
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

    /// What goes on next; nil: a packet that is not there yet may come before all others.
    ///
    /// - Parameter waits: false: nobody is waited for, and the order is that of what is there.
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

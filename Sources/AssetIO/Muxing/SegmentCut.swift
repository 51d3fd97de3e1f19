import MediaTypes
import MovieFile

/// A segment that has ended in the track that sets the rhythm, and waits until every other track has come so far. A pure
/// value.
///
/// Encoders hold back different stretches: without waiting, a segment's sound would begin somewhere before its pictures.
struct SegmentCut {
    /// A track that is this far behind is silent, and waited for no longer. More than sources that can wait are held
    /// apart by.
    private static let patience = MediaTime(value: 3, timescale: 1)

    /// The first packet of the next segment.
    let next: TrackSample
    /// Where it stands among the open packets.
    private let position: Int
    private var awaited: Set<Int>

    /// - Parameters:
    ///   - next: the packet before which the segment ends; it is about to become the `position`th of the open packets.
    ///   - tracks: those that have not ended.
    init(before next: TrackSample, position: Int, tracks: Set<Int>) {
        self.next = next
        self.position = position
        awaited = tracks.subtracting([next.track])
    }

    /// Whether every track has come far enough.
    private(set) var isComplete = false

    mutating func note(_ packet: TrackSample) {
        if packet.track == next.track {
            if packet.time - next.time >= Self.patience { awaited = [] }
        } else if packet.time >= next.time {
            awaited.remove(packet.track)
        }
        isComplete = awaited.isEmpty
    }

    mutating func noteEnd(track: Int) {
        awaited.remove(track)
        isComplete = awaited.isEmpty
    }

    /// Which of the open packets belong to the segment, and which come after it.
    func divide(_ packets: [TrackSample]) -> (segment: [TrackSample], later: [TrackSample]) {
        var segment: [TrackSample] = []
        var later: [TrackSample] = []
        // A picture that is shown earlier may be decoded later: packets of a track never change their order.
        var divided: Set<Int> = []
        for (index, packet) in packets.enumerated() {
            if packet.track == next.track ? index >= position : packet.time >= next.time {
                divided.insert(packet.track)
            }
            if divided.contains(packet.track) { later.append(packet) } else { segment.append(packet) }
        }
        return (segment, later)
    }
}

extension TrackSample {
    fileprivate var time: MediaTime { sample.presentationTime }
}

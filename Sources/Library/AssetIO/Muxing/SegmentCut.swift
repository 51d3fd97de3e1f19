import MediaTypes
import MovieFile

/// A segment that has ended in its reference track, and waits until every other track has reached the same time. A pure
/// value.
///
/// Encoders delay tracks by different times. Without waiting, a segment's audio and video would begin at different
/// times.
struct SegmentCut {
    /// The lag after which a track counts as silent and does not delay the segment any more. It is longer than the
    /// largest lag between tracks of sources that can wait.
    private static let patience = MediaTime(value: 3, timescale: 1)

    /// The first packet of the next segment.
    let next: TrackSample
    /// The index of that packet in the open packets.
    private let position: Int
    private var awaited: Set<Int>

    /// - Parameters:
    ///   - next: the packet before which the segment ends.
    ///   - position: the index of `next` in the open packets.
    ///   - tracks: the tracks that have not ended.
    init(before next: TrackSample, position: Int, tracks: Set<Int>) {
        self.next = next
        self.position = position
        awaited = tracks.subtracting([next.track])
    }

    /// True if every track has reached the end of the segment.
    private(set) var isComplete = false

    mutating func record(_ packet: TrackSample) {
        if packet.track == next.track {
            if packet.time - next.time >= Self.patience { awaited = [] }
        } else if packet.time >= next.time {
            awaited.remove(packet.track)
        }
        isComplete = awaited.isEmpty
    }

    mutating func recordEnd(track: Int) {
        awaited.remove(track)
        isComplete = awaited.isEmpty
    }

    /// Divides the open packets into those of the segment and those after it.
    func divide(_ packets: [TrackSample]) -> (segment: [TrackSample], later: [TrackSample]) {
        var segment: [TrackSample] = []
        var later: [TrackSample] = []
        // A frame that is shown earlier may be decoded later. Packets of a track never change their order.
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

import MediaTypes

/// The order of a fragment's packets in the files that they come from. A pure value.
struct StoredOrder {
    private struct Packet {
        var file: Int
        var offset: UInt64
        var track: Int
        var run: FragmentBuilder.Run
        /// The decode time on the track's timeline, in ticks.
        var time: UInt64
        /// The packet's index within its track.
        var number: Int
    }

    /// Indices of the tracks that use this order.
    private(set) var tracks: Set<Int> = []
    private(set) var chunks: [ChunkLayout.Chunk] = []

    /// Orders the packets of a fragment. Returns nil if fewer than two tracks have stored packets, or if a file does
    /// not store a track's packets in decode order.
    init?(_ all: [FragmentBuilder.Track]) {
        var files: [StoredFile] = []
        var packets: [Packet] = []
        for index in all.indices where Self.isFree(all[index]) {
            var time = all[index].decodeTime
            let known = packets.count
            for (number, run) in all[index].runs.enumerated() {
                guard let place = run.place else {
                    packets.removeLast(packets.count - known)
                    break
                }
                packets.append(
                    Packet(
                        file: Self.number(of: place.file, in: &files), offset: place.offset, track: index, run: run,
                        time: time, number: number))
                time &+= UInt64(run.duration) &* UInt64(run.count)
            }
            if packets.count > known { tracks.insert(index) }
        }
        guard tracks.count > 1 else { return nil }
        packets.sort { ($0.file, $0.offset, $0.track) < ($1.file, $1.offset, $1.track) }
        guard join(packets, all) else { return nil }
    }

    private static func isFree(_ track: FragmentBuilder.Track) -> Bool {
        track.chunkDuration == nil && track.chunkAlignment <= 1
    }

    private static func number(of file: StoredFile, in files: inout [StoredFile]) -> Int {
        // Nearly all packets of a fragment come from the last file.
        if let known = files.lastIndex(where: { $0 === file }) ?? files.lastIndex(where: { $0.isSame(as: file) }) {
            return known
        }
        files.append(file)
        return files.count - 1
    }

    /// - Returns: true if the packets of every track are still in decode order.
    private mutating func join(_ packets: [Packet], _ all: [FragmentBuilder.Track]) -> Bool {
        var next = [Int](repeating: 0, count: all.count)
        for packet in packets {
            guard next[packet.track] == packet.number else { return false }
            next[packet.track] += 1
            if chunks.last?.track != packet.track {
                chunks.append(ChunkLayout.Chunk(track: packet.track, at: packet.time, of: all[packet.track]))
            }
            chunks[chunks.count - 1].runs.append(packet.run)
        }
        return true
    }
}

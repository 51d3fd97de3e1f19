import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of the positions of a fragment's samples. FFmpeg reports the position of every packet.
@Suite struct ChunkLayoutTests {
    private struct Packet {
        var track: Int
        var seconds: Double
        var position: Int
        var size: Int
    }

    private func packets(_ path: String) throws -> [Packet] {
        let result = try Probe.ask(path, "packet=stream_index,dts_time,pos,size")
        return result.text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",").map(String.init)
            guard fields.count >= 4, let track = Int(fields[0]), let time = Double(fields[1]),
                let size = Int(fields[2]),
                let position = Int(fields[3])
            else { return nil }
            return Packet(track: track, seconds: time, position: position, size: size)
        }.sorted { $0.position < $1.position }
    }

    /// Groups of packets that follow each other in the file, without a gap or another track's packets between them.
    private func chunks(_ packets: [Packet]) -> [[Packet]] {
        packets.reduce(into: []) { chunks, packet in
            if let last = chunks.last?.last, last.track == packet.track, last.position + last.size == packet.position {
                chunks[chunks.count - 1].append(packet)
            } else {
                chunks.append([packet])
            }
        }
    }

    @Test(arguments: [512, 1000])
    func chunks_durationAndAlignment_areShortAlignedAndInTimeOrder(alignment: Int) throws {
        let movie = try FeatureMovie(
            .mov, finished: false, chunkDuration: MediaTime(value: 1, timescale: 4), chunkAlignment: alignment)
        try movie.judge { path in
            let all = try packets(path)
            #expect(all.filter { $0.track == 0 }.count == 90 && all.filter { $0.track == 1 }.count == 142)
            let chunks = chunks(all.filter { $0.track < 2 })
            // Each second has four chunks and a rest.
            #expect(chunks.count >= 24)
            for chunk in chunks {
                #expect(chunk[0].position % alignment == 0)
                #expect(chunk[chunk.count - 1].seconds - chunk[0].seconds < 0.25)
            }
            // Within a fragment of a second, no chunk comes before one that begins earlier.
            for (a, b) in zip(chunks, chunks.dropFirst()) { #expect(b[0].seconds >= a[0].seconds - 0.26) }
            // The media is intact.
            let decoded = try Command.run(
                "ffmpeg", "-v", "error", "-xerror", "-i", path, "-map", "0:v", "-map", "0:a", "-f", "null", "-")
            #expect(decoded.status == 0 && decoded.errors == "")
        }
    }

    @Test func chunks_noDuration_areOnePerTrackAndFragment() throws {
        try FeatureMovie(.mp4, finished: false).judge { path in
            // Audio and video of four fragments.
            let found = chunks(try packets(path).filter { $0.track < 2 })
            #expect(found.count <= 8)
        }
    }

    private func run(_ count: UInt32, size: UInt32 = 4, duration: UInt32, key: Bool = true) -> FragmentBuilder.Run {
        FragmentBuilder.Run(
            data: MediaData((0..<(count * size)).map { UInt8(truncatingIfNeeded: $0) }), count: count, size: size,
            duration: duration, compositionOffset: 0, isKeyframe: key)
    }

    private func track(_ runs: [FragmentBuilder.Run], chunk: Int64?, alignment: Int = 1) -> FragmentBuilder.Track {
        FragmentBuilder.Track(
            id: 1, decodeTime: 0, runs: runs, timeScale: 1000,
            chunkDuration: chunk.map { MediaTime(value: $0, timescale: 1000) }, chunkAlignment: alignment)
    }

    @Test func chunks_pcmBlock_isCutWhereTheChunkEnds() {
        let layout = ChunkLayout([track([run(100, duration: 1), run(50, duration: 1)], chunk: 60)])
        #expect(layout.chunks.map(\.sampleCount) == [60, 60, 30])
        #expect(layout.chunks.map(\.byteCount) == [240, 240, 120])
        #expect(layout.chunks[1].runs.map(\.count) == [40, 20])
        #expect(layout.chunks[1].runs[0].bytes.first == 240 && layout.chunks[1].runs[1].bytes.first == 0)
    }

    @Test func chunks_longSamples_haveAtLeastOneEach() {
        let layout = ChunkLayout([track([run(1, duration: 500), run(1, duration: 500), run(3, duration: 0)], chunk: 1)])
        #expect(layout.chunks.map(\.sampleCount) == [1, 1, 3])
    }

    @Test func chunks_invalidDuration_cutsNothing() {
        for duration in [nil, 0, -5] as [Int64?] {
            #expect(ChunkLayout([track([run(9, duration: 10)], chunk: duration)]).chunks.count == 1)
        }
    }

    @Test func chunks_severalTracks_alternate() {
        var other = track([run(4, duration: 100)], chunk: 200)
        other.decodeTime = 50
        var late = track([run(2, duration: 100)], chunk: nil)
        late.lead = -300
        let layout = ChunkLayout([track([run(4, duration: 100)], chunk: 200), other, late])
        #expect(layout.chunks.map(\.track) == [0, 1, 0, 1, 2])
    }

    @Test func chunks_alignment_countsFromTheStartOfTheFile() {
        let tracks = [track([run(3, duration: 100)], chunk: 100, alignment: 16)]
        var layout = ChunkLayout(tracks)
        layout.place(at: 1001, tracks: tracks)
        #expect(layout.chunks.map { $0.offset + 1001 } == [1008, 1024, 1040] && layout.byteCount == 43)
        for alignment in [Int.min, 0, 1] {
            let plain = [track([run(3, duration: 100)], chunk: 100, alignment: alignment)]
            layout.place(at: 1001, tracks: plain)
            #expect(layout.byteCount == 12)
        }
    }

    @Test func chunks_written_haveARunWithTheirKeyframes() throws {
        let runs = [run(1, duration: 40)] + (0..<5).map { _ in run(1, duration: 40, key: false) }
        var writer = AtomWriter()
        FragmentBuilder.write([track(runs, chunk: 80)], sequenceNumber: 1, into: &writer)
        let size = writer.bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
        let traf = try #require(Atom(parsing: writer.bytes[..<size])?["traf"])
        let chunks = traf.all("trun").map(\.payload)
        #expect(chunks.count == 3)
        // The first chunk has a flag that it begins with a keyframe; the flags of the others are stored once, in the
        // `tfhd`.
        #expect(chunks.map { $0[3] } == [5, 1, 1] && chunks.map(\.count) == [16, 12, 12])
        #expect(chunks.map { $0[8..<12].reduce(0) { $0 << 8 | Int($1) } } == [size + 8, size + 16, size + 24])
    }
}

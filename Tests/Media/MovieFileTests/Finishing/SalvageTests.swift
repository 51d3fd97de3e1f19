import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of which samples of a recording's last fragment are kept.
@Suite struct SalvageTests {
    private let recording = Recording.short

    /// The last fragment: its position, and each sample's track and end in the file.
    private func last(_ bytes: [UInt8]) throws -> (offset: Int, samples: [(track: UInt32, end: Int)]) {
        let place = try #require(try FinisherCrashTests.fragments(bytes).last)
        let moof = Array(bytes[place.offset..<(place.offset + place.headerSize)])
        var samples: [(UInt32, Int)] = []
        for track in try #require(FragmentReader.tracks(inMovieFragment: moof)) {
            for chunk in track.chunks {
                var end = place.offset + Int(chunk.dataOffset)
                for run in chunk.runs {
                    for _ in 0..<run.count {
                        end += Int(run.size)
                        samples.append((track.id, end))
                    }
                }
            }
        }
        return (place.offset, samples)
    }

    @Test func repair_truncatedLastFragment_keepsEveryCompleteSample() throws {
        let bytes = try recording.bytes()
        let (offset, samples) = try last(bytes)
        let whole = try MovieFinisher.finish(MemoryStorage(bytes))
        for index in stride(from: 0, to: samples.count, by: 5) {
            for length in [samples[index].end - 1, samples[index].end, samples[index].end + 1]
            where length < bytes.count {
                let report = try MovieFinisher.finish(MemoryStorage(Array(bytes[..<length])))
                for track in [1, 2] as [UInt32] {
                    let inLast = samples.filter { $0.track == track }
                    let there = inLast.filter { $0.end <= length }.count
                    #expect(
                        report.sampleCounts[track] == (whole.sampleCounts[track] ?? 0) - Int64(inLast.count - there))
                    if length >= samples[0].end {
                        #expect(report.lostSamples[track] ?? 0 == Int64(inLast.count - there))
                    }
                }
                #expect(report.wasTorn)
            }
        }
        #expect(offset > 0 && samples.count > 20)
    }

    @Test func repair_truncatedLastFragment_isReadByFFmpeg() throws {
        let bytes = try recording.bytes()
        let samples = try last(bytes).samples
        for index in stride(from: 3, to: samples.count, by: 9) {
            let storage = MemoryStorage(Array(bytes[..<(samples[index].end + 3)]))
            let report = try MovieFinisher.finish(storage)
            try judge(storage.bytes) { path in
                let probe = try Probe(path, decodes: true)
                #expect(probe.complaints == "" && probe.video?.frames == Int(report.sampleCounts[1] ?? 0))
            }
        }
    }

    @Test func repair_zerosAtTheEnd_countsNoSamples() throws {
        let bytes = try recording.bytes()
        let samples = try last(bytes).samples
        let frames = samples.filter { $0.track == 1 }
        try #require(frames.count > 4)
        // From the middle of the third frame on.
        var damaged = bytes
        let middle = (frames[1].end + frames[2].end) / 2
        damaged.replaceSubrange(middle..., with: [UInt8](repeating: 0, count: bytes.count - middle + 3000))
        let whole = try MovieFinisher.finish(MemoryStorage(bytes))
        let report = try MovieFinisher.finish(MemoryStorage(damaged))
        #expect(report.sampleCounts[1] == (whole.sampleCounts[1] ?? 0) - Int64(frames.count - 2))
        #expect(report.lostSamples[1] == Int64(frames.count - 2))
        #expect(report.sampleCounts[2] == (whole.sampleCounts[2] ?? 0) - Int64(samples.count - frames.count))
    }

    /// A page that the file system could not place: zeros in the middle of audio.
    @Test func repair_zerosInTheAudio_endsOnlyTheAudioTrack() throws {
        let bytes = try recording.bytes()
        let samples = try last(bytes).samples
        let packets = samples.filter { $0.track == 2 }
        try #require(packets.count > 8)
        // A sector entirely inside the packets, some of which come before it.
        let hole = (packets[4].end / 512 + 1) * 512
        try #require(hole + 512 < packets[packets.count - 1].end)
        var damaged = bytes
        damaged.replaceSubrange(hole..<(hole + 512), with: [UInt8](repeating: 0, count: 512))
        let whole = try MovieFinisher.finish(MemoryStorage(bytes))
        let storage = MemoryStorage(damaged)
        let report = try MovieFinisher.finish(storage)
        let kept = packets.filter { $0.end <= hole }.count
        #expect(report.sampleCounts[2] == (whole.sampleCounts[2] ?? 0) - Int64(packets.count - kept))
        #expect(report.sampleCounts[1] == whole.sampleCounts[1])
        try judge(storage.bytes) { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints == "")
        }
    }

    @Test func repair_frameWithWrongUnitLength_endsOnlyTheVideoTrack() throws {
        let bytes = try recording.bytes()
        let frames = try last(bytes).samples.filter { $0.track == 1 }
        var damaged = bytes
        damaged[frames[0].end] ^= 0x40  // the length of the second frame's first unit
        let whole = try MovieFinisher.finish(MemoryStorage(bytes))
        let report = try MovieFinisher.finish(MemoryStorage(damaged))
        #expect(report.sampleCounts[1] == (whole.sampleCounts[1] ?? 0) - Int64(frames.count - 1))
        #expect(report.sampleCounts[2] == whole.sampleCounts[2])
    }

    @Test func repair_silentPCM_isKept() throws {
        let storage = MemoryStorage()
        let blocks = (0..<3).map { number in
            [
                TrackSample(
                    track: 0,
                    sample: SampleBuffer(
                        pcm: MediaData([UInt8](repeating: 0, count: 9600)), format: SyntheticRecording.pcm,
                        presentationTime: MediaTime(value: Int64(number) * 4800, timescale: 48_000)))
            ]
        }
        try SyntheticRecording.write([SyntheticRecording.audioTrack(1, SyntheticRecording.pcm)], blocks, to: storage)
        #expect(try MovieFinisher.finish(MemoryStorage(storage.bytes)).sampleCounts[1] == 14_400)
        let cut = MemoryStorage(Array(storage.bytes.dropLast(1001)))
        let report = try MovieFinisher.finish(cut)
        #expect(report.sampleCounts[1] == 14_400 - 501 && report.lostSamples[1] == 501)
    }

    /// A fragment with two runs for a track, the second one with or without an offset of its own.
    private func twoRuns(hasOffset: Bool = false) -> [UInt8] {
        let size = hasOffset ? 128 : 124
        let data = [UInt8](repeating: 5, count: 70)
        var writer = AtomWriter()
        writer.atom("moof") { moof in
            moof.fullAtom("mfhd") { $0.u32(9) }
            moof.atom("traf") { traf in
                traf.fullAtom("tfhd", flags: 0x020008) {
                    $0.u32(1)
                    $0.u32(40_000)
                }
                traf.fullAtom("tfdt", version: 1) { $0.u64(80_000) }
                for (index, sizes) in ([[10, 20], [15, 25]] as [[UInt32]]).enumerated() {
                    traf.fullAtom("trun", flags: index == 0 || hasOffset ? 0x201 : 0x200) { trun in
                        trun.u32(UInt32(sizes.count))
                        if index == 0 || hasOffset { trun.u32(UInt32(size + 8 + index * 30)) }
                        for size in sizes { trun.u32(size) }
                    }
                }
            }
        }
        #expect(writer.count == size)
        writer.atom("mdat") { $0.raw(data) }
        return writer.bytes
    }

    @Test func repair_severalRuns_writesAChunkForEach() throws {
        let storage = MemoryStorage()
        let frames = [SyntheticRecording.frame(0), SyntheticRecording.frame(40)]
        try SyntheticRecording.write([SyntheticRecording.videoTrack()], [frames], to: storage)
        let start = storage.bytes.count
        let bytes = storage.bytes + twoRuns()
        let file = MemoryStorage(bytes)
        #expect(try MovieFinisher.finish(file).sampleCounts[1] == 6)
        let moov = try finalHeader(of: file)
        let stco = try #require(moov.find("trak", "mdia", "minf", "stbl", "stco"))
        var reader = ByteReader(stco.payload)
        #expect(reader.u32() == 0 && reader.u32() == 3)
        _ = reader.u32()
        #expect(reader.u32() == UInt32(start + 132) && reader.u32() == UInt32(start + 162))
    }

    /// Cut in the first run, or with a hole there: nothing of the second one is kept, wherever the repair was
    /// interrupted.
    @Test(arguments: [true, false], [true, false])
    func repair_missingSample_endsTheTrackThere(isCut: Bool, hasOffset: Bool) throws {
        let storage = MemoryStorage()
        let frames = [SyntheticRecording.frame(0), SyntheticRecording.frame(40)]
        try SyntheticRecording.write([SyntheticRecording.videoTrack()], [frames], to: storage)
        let fragment = twoRuns(hasOffset: hasOffset)
        let second = storage.bytes.count + fragment.count - 70 + 10
        var torn = storage.bytes + fragment
        if isCut {
            torn.removeLast(torn.count - second - 2)
        } else {
            torn.replaceSubrange(second..<(second + 20), with: [UInt8](repeating: 0, count: 20))
        }
        let recorded = RecordingStorage(torn)
        let report = try MovieFinisher.finish(recorded)
        #expect(report.sampleCounts[1] == 3 && report.lostSamples[1] == 3)
        let images =
            CrashReplay.prefixes(recorded.operations, of: torn)
            + (1...9).flatMap { CrashReplay.mixtures(recorded.operations, of: torn, seed: $0) }
        for image in images {
            let again = MemoryStorage(image)
            let second = try MovieFinisher.finish(again)
            #expect(second.wasFinishedAlready || second.sampleCounts[1] == 3)
            #expect(try finalHeader(of: again) == finalHeader(of: MemoryStorage(recorded.bytes)))
        }
    }

    @Test func repair_lastFragmentWithoutMedia_isDropped() throws {
        let written = MemoryStorage()
        try recording.write(to: written)
        let bytes = written.bytes
        let place = try #require(try FinisherCrashTests.fragments(bytes).last)
        let head = place.offset + place.headerSize
        // Its write begins with the copy of the fragment header before, which is removed with it.
        let start = Int(try #require(written.writes.last).offset)
        #expect(start < place.offset)
        let before = try MovieFinisher.finish(MemoryStorage(Array(bytes[..<start])))
        #expect(!before.wasTorn)
        let inCopy = [start + 1, start + 20, (start + place.offset) / 2, place.offset - 1, place.offset]
        for length in inCopy + [place.offset + 1, head - 1, head, head + 7, head + 8, head + 9] {
            let storage = MemoryStorage(Array(bytes[..<length]))
            let report = try MovieFinisher.finish(storage)
            #expect(report.sampleCounts == before.sampleCounts)
            #expect(report.abandonedBytes == UInt64(length - start) && !report.isDamaged, "\(length)")
            // Only a complete fragment header shows which samples were lost.
            #expect((report.lostSamples[1] ?? 0 > 0) == (length >= head + 8))
        }
    }
}

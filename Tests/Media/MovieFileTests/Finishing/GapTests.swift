import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of distances between samples that do not fit the tables.
@Suite struct GapTests {
    private static let hour: Int64 = 3600

    /// Presentation times of a track's packets in seconds, without those that are decoded but not shown.
    private func times(_ storage: MemoryStorage) throws -> [Double] {
        try judge(storage.bytes) { path in
            let result = try Probe.ask(path, "packet=pts_time,flags", level: "fatal")
            #expect(result.status == 0)
            return result.text.split(separator: "\n").compactMap { line in
                let fields = line.split(separator: ",")
                return fields.count > 1 && !fields[1].contains("D") ? Double(fields[0]) : nil
            }
        }
    }

    @Test(arguments: [hour * 3, hour * 24 * 30], [1_000_000, 1000, 90_000, 44_100] as [Int32])
    func frames_afterALongGap_keepTheirTimes(gap: Int64, movieScale: Int32) throws {
        let storage = MemoryStorage()
        let starts = [0, gap * 1000 + 123, 2 * gap * 1000 + 456]
        let batches = starts.map { start in (0..<10).map { SyntheticRecording.frame(start + Int64($0) * 40) } }
        try SyntheticRecording.write(
            [SyntheticRecording.videoTrack()], batches, to: storage, timeScale: movieScale)
        #expect(try MovieFinisher.finish(storage).sampleCounts[1] == 30)
        let expected = starts.flatMap { start in (0..<10).map { Double(start + $0 * 40) / 1000 } }
        let shown = try times(storage)
        #expect(shown.count == 30)
        // An edit begins at a tick of the movie's time scale.
        let tolerance = 0.000_001 + (1_000_000 % movieScale == 0 ? 0 : 0.5 / Double(movieScale))
        for (time, right) in zip(shown, expected) { #expect(abs(time - right) < tolerance) }
    }

    @Test(arguments: [10, hour * 3, hour * 24 * 30], [48_000, 1000] as [Int32])
    func audio_afterAGap_keepsItsTime(gap: Int64, movieScale: Int32) throws {
        let storage = MemoryStorage()
        let starts = [0, gap * 48_000 + 77]
        let batches = starts.map { start in (0..<20).map { SyntheticRecording.audio(start + Int64($0) * 1024) } }
        try SyntheticRecording.write([SyntheticRecording.audioTrack()], batches, to: storage, timeScale: movieScale)
        try MovieFinisher.finish(storage)
        let expected = starts.flatMap { start in (0..<20).map { Double(start + $0 * 1024) / 48_000 } }
        let shown = try times(storage)
        #expect(shown.count == 40)
        let tolerance = 0.000_03 + (movieScale == 48_000 ? 0 : 0.5 / Double(movieScale))
        for (time, right) in zip(shown, expected) { #expect(abs(time - right) < tolerance) }
    }

    @Test func audio_gap_isSilent() throws {
        let storage = MemoryStorage()
        let batches = [0, 480_000].map { start in (0..<20).map { SyntheticRecording.audio(start + Int64($0) * 1024) } }
        try SyntheticRecording.write([SyntheticRecording.audioTrack()], batches, to: storage)
        try MovieFinisher.finish(storage)
        let entries = try edits(storage)
        #expect(entries.count == 3 && entries[0].duration < 430_000 && entries[0].duration >= 426_667)
        // The middle edit shows the time after the last packet's own 1024 audio frames.
        #expect(entries[1].mediaTime >= 20 * 1024 && entries.reduce(0) { $0 + $1.duration } == 10_426_667)
    }

    private func edits(_ storage: MemoryStorage) throws -> [EditList.Entry] {
        let moov = try finalHeader(of: storage)
        let list = try #require(moov.find("trak", "edts", "elst"))
        return try #require(EditList(payload: list.payload)).entries
    }

    @Test func sessionEnd_inAGap_endsTheMovieThere() throws {
        let storage = MemoryStorage()
        let batches = [[SyntheticRecording.frame(0)], [SyntheticRecording.frame(Self.hour * 3000)]]
        try SyntheticRecording.write([SyntheticRecording.videoTrack()], batches, to: storage)
        let end = FinishingInfo(sessionEnd: MediaTime(value: Self.hour * 2, timescale: 1))
        #expect(try MovieFinisher.finish(storage, facts: end).duration == MediaTime(value: 7200, timescale: 1))
        #expect(try times(storage) == [0])
    }

    @Test func frames_gapThatFitsTheTables_isOneLongFrame() throws {
        let storage = MemoryStorage()
        let batches = [[SyntheticRecording.frame(0)], [SyntheticRecording.frame(2_000_000)]]
        try SyntheticRecording.write([SyntheticRecording.videoTrack()], batches, to: storage)
        try MovieFinisher.finish(storage)
        #expect(try edits(storage) == [.init(duration: 2_000_040_000, mediaTime: 0)])
        #expect(try times(storage) == [0, 2000])
    }

    @Test(arguments: [hour * 3, hour * 24 * 30])
    func pcm_afterALongGap_keepsItsTime(gap: Int64) throws {
        let storage = MemoryStorage()
        let starts = [0, 48_000, gap * 48_000]
        let batches = starts.map { [SyntheticRecording.block($0, count: 48_000)] }
        try SyntheticRecording.write(
            [SyntheticRecording.audioTrack(1, SyntheticRecording.pcm)], batches, to: storage, timeScale: 1000)
        #expect(try MovieFinisher.finish(storage).sampleCounts[1] == 144_000)
        #expect(try times(storage) == [0, 1, Double(gap)])
    }

    @Test func pcm_gapInsideAFragment_keepsItsTime() throws {
        let storage = MemoryStorage()
        // The blocks come with frames, and the second one begins half a second late.
        let batch = [
            SyntheticRecording.frame(0), SyntheticRecording.block(0, count: 48_000, track: 1),
            SyntheticRecording.frame(1000), SyntheticRecording.block(72_000, count: 24_000, track: 1),
            SyntheticRecording.block(96_000, count: 48_000, track: 1), SyntheticRecording.frame(2000),
        ]
        let tracks = [SyntheticRecording.videoTrack(), SyntheticRecording.audioTrack(2, SyntheticRecording.pcm)]
        try SyntheticRecording.write(tracks, [batch], to: storage)
        #expect(try pcmTimes(storage) == [0, 72_000])
        #expect(try MovieFinisher.finish(storage).sampleCounts == [1: 3, 2: 120_000])
    }

    /// Blocks with times in milliseconds are up to half a millisecond off.
    @Test func pcm_roundedTimes_areNoGaps() throws {
        let storage = MemoryStorage()
        let batch = (0..<100).map { SyntheticRecording.block(Int64($0) * 1024 + ($0 % 2 == 0 ? 0 : 48), count: 1024) }
        try SyntheticRecording.write(
            [SyntheticRecording.audioTrack(1, SyntheticRecording.pcm)], [batch], to: storage)
        #expect(try pcmTimes(storage) == [0])
    }

    /// The time of the last track in each fragment, in its ticks.
    private func pcmTimes(_ storage: MemoryStorage) throws -> [UInt64] {
        try FinisherCrashTests.fragments(storage.bytes).compactMap { place in
            let head = Array(storage.bytes[place.offset..<(place.offset + place.headerSize)])
            return FragmentReader.tracks(inMovieFragment: head)?.last?.decodeTime
        }
    }

    /// Hours of audio without a byte on the disk: fragments of 1000 seconds in a sparse file.
    @Test func pcm_moreFramesThanATableHolds_isCountedInChunks() throws {
        let storage = SparseStorage()
        let first = MemoryStorage()
        try SyntheticRecording.write(
            [SyntheticRecording.audioTrack(1, SyntheticRecording.pcm)], [[SyntheticRecording.block(0, count: 48_000)]],
            to: first)
        try storage.write(first.bytes, at: 0)
        var end = UInt64(first.bytes.count)
        let frames: UInt32 = 48_000_000
        for number in 0..<91 as Range<UInt64> {
            var moof = AtomWriter()
            moof.atom("moof") { moof in
                moof.fullAtom("mfhd") { $0.u32(UInt32(number) + 2) }
                moof.atom("traf") { traf in
                    traf.fullAtom("tfhd", flags: 0x020018) {
                        $0.u32(1)
                        $0.u32(1)
                        $0.u32(2)
                    }
                    traf.fullAtom("tfdt", version: 1) { $0.u64(48_000 + number * UInt64(frames)) }
                    traf.fullAtom("trun", flags: 0x01) {
                        $0.u32(frames)
                        $0.u32(96 + 8)
                    }
                }
            }
            #expect(moof.count == 96)
            moof.u32(frames * 2 + 8)
            moof.code("mdat")
            try storage.write(moof.bytes, at: end)
            end += UInt64(moof.count) + UInt64(frames) * 2
        }
        try storage.truncate(to: end)
        let report = try MovieFinisher.finish(storage)
        #expect(report.sampleCounts[1] == 48_000 + 91 * Int64(frames) && report.fullTracks.isEmpty)
        let directory = try TemporaryDirectory()
        let file = try DiskFile(path: directory.path("long.mov"), mode: .create)
        try storage.copy(to: file)
        let result = try Probe.ask(
            directory.path("long.mov"), "stream=duration:packet=pts_time,size", level: "warning",
            options: ["-read_intervals", "%+#3"])
        #expect(result.status == 0 && result.errors == "" && result.text.contains("91001.000000"), "\(result.text)")
        #expect(result.text.contains("0.000000,96000\n1.000000,96000000\n1001.000000"), "\(result.text)")
    }
}

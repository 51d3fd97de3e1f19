import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of times in the final header: edit lists, durations, omitted tracks.
@Suite struct FinalHeaderTests {
    private let packet = MediaData([1, 2, 3, 4])

    private func videoTrack(_ id: UInt32) -> MovieTrack {
        MovieTrack(
            id: id, mediaType: .video, format: .video(VideoFormat(codec: .mjpeg, width: 64, height: 48)),
            timeScale: 1_000_000)
    }

    private func audioTrack(_ id: UInt32, priming: Int = 0) -> MovieTrack {
        MovieTrack(
            id: id, mediaType: .audio,
            format: .audio(
                AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2, decoderConfiguration: [0x11, 0x90])),
            timeScale: 48_000, primingFrames: priming)
    }

    /// A video packet at a time in milliseconds.
    private func frame(_ time: Int64, track: Int, decode: Int64? = nil, duration: Int64 = 40) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                format: .video(VideoFormat(codec: .mjpeg, width: 64, height: 48)), content: .data(packet),
                presentationTime: MediaTime(value: time, timescale: 1000),
                decodeTime: decode.map { MediaTime(value: $0, timescale: 1000) },
                duration: MediaTime(value: duration, timescale: 1000)))
    }

    /// A packet of 1024 audio frames that begins at an audio frame.
    private func audio(_ frame: Int64, track: Int) -> TrackSample {
        TrackSample(
            track: track,
            sample: SampleBuffer(
                format: .audio(AudioFormat(codec: .aac, sampleRate: 48_000, channelCount: 2)), content: .data(packet),
                presentationTime: MediaTime(value: frame, timescale: 48_000),
                duration: MediaTime(value: 1024, timescale: 48_000), sampleCount: 1024))
    }

    /// The final `moov` of a recording in one fragment per batch.
    private func header(
        _ tracks: [MovieTrack], _ batches: [[TrackSample]], start: MediaTime = .zero, facts: FinishingInfo = .init()
    ) throws -> Atom {
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1000, creationTime: 0, metadata: [], tracks: tracks, sessionStart: start)
        for batch in batches { try writer.writeFragment(batch) }
        try MovieFinisher.finish(storage, facts: facts)
        var atoms = try TopLevelAtoms(storage)
        let media = try #require(try atoms.header(at: 28))
        let last = try #require(try atoms.header(at: media.end))
        let bytes = try #require(try atoms.contents(of: last))
        return try #require(Atom(parsing: bytes))
    }

    private func edits(_ moov: Atom, _ track: Int) throws -> [EditList.Entry] {
        let elst = try #require(moov.all("trak")[track].find("edts", "elst"))
        return try #require(EditList(payload: elst.payload)).entries
    }

    private func duration(_ moov: Atom) throws -> UInt64? {
        var reader = ByteReader(try #require(moov["mvhd"]).payload)
        _ = reader.skip(24)
        return reader.u64()
    }

    /// The duration of the first track's media, in its ticks.
    private func mediaDuration(_ moov: Atom) throws -> UInt64? {
        var reader = ByteReader(try #require(moov.all("trak")[0].find("mdia", "mdhd")).payload)
        _ = reader.skip(24)
        return reader.u64()
    }

    @Test func header_sessionStart_isTimeZero() throws {
        let start = MediaTime(value: 5, timescale: 1)
        let moov = try header([videoTrack(1)], [[frame(5000, track: 0), frame(5040, track: 0)]], start: start)
        #expect(try edits(moov, 0) == [.init(duration: 80, mediaTime: 0)])
        #expect(try duration(moov) == 80)
    }

    @Test func header_lateTrack_getsAnEmptyEdit() throws {
        let moov = try header(
            [videoTrack(1), videoTrack(2)],
            [[frame(0, track: 0), frame(500, track: 1)], [frame(40, track: 0), frame(540, track: 1)]])
        #expect(try edits(moov, 0) == [.init(duration: 80, mediaTime: 0)])
        #expect(try edits(moov, 1) == [.init(duration: 500, mediaTime: -1), .init(duration: 80, mediaTime: 0)])
        #expect(try duration(moov) == 580)
    }

    @Test func header_trackBegunInTheSecondFragment_keepsItsTime() throws {
        let moov = try header(
            [videoTrack(1), audioTrack(2, priming: 1024)],
            [[frame(0, track: 0)], [frame(40, track: 0), audio(48_000 - 1024, track: 1), audio(48_000, track: 1)]])
        let entries = try edits(moov, 1)
        #expect(entries.count == 2 && entries[0].mediaTime == -1)
        // The priming begins 1024 audio frames before the second.
        #expect(abs(Int64(entries[0].duration) - 979) <= 1 && entries[1].mediaTime == 0)
    }

    @Test func header_priming_isEditedOut() throws {
        let moov = try header(
            [audioTrack(1, priming: 1024)], [[audio(-1024, track: 0), audio(0, track: 0), audio(1024, track: 0)]],
            facts: FinishingInfo(trackEnds: [1: MediaTime(value: 1500, timescale: 48_000)]))
        #expect(try edits(moov, 0) == [.init(duration: 31, mediaTime: 1024)])
    }

    @Test func header_framesDecodedEarly_areShifted() throws {
        let moov = try header(
            [videoTrack(1)],
            [
                [
                    frame(0, track: 0, decode: -80), frame(120, track: 0, decode: -40),
                    frame(40, track: 0, decode: 0), frame(80, track: 0, decode: 40),
                ]
            ])
        #expect(try edits(moov, 0) == [.init(duration: 160, mediaTime: 80_000)])
    }

    @Test func header_gapBeforeTheLastFrame_doesNotExtendIt() throws {
        // Shown at 0, 40, 80, 2000 and 2040; decoded two frames ahead, so that the gap comes before the frame that is
        // shown last.
        let moov = try header(
            [videoTrack(1)],
            [
                [
                    frame(0, track: 0, decode: -80), frame(80, track: 0, decode: -40),
                    frame(40, track: 0, decode: 0),
                    frame(2040, track: 0, decode: 80), frame(2000, track: 0, decode: 2000),
                ]
            ])
        #expect(try edits(moov, 0) == [.init(duration: 2080, mediaTime: 80_000)])
    }

    @Test func header_sessionEnd_trimsEveryTrack() throws {
        let moov = try header(
            [videoTrack(1), audioTrack(2)],
            [(0..<10).map { frame($0 * 40, track: 0) } + (0..<20).map { audio($0 * 1024, track: 1) }],
            facts: FinishingInfo(sessionEnd: MediaTime(value: 200, timescale: 1000)))
        #expect(try edits(moov, 0) == [.init(duration: 200, mediaTime: 0)])
        #expect(try edits(moov, 1) == [.init(duration: 200, mediaTime: 0)])
        #expect(try duration(moov) == 200)
    }

    @Test func header_trackAfterTheSessionEnd_isOmitted() throws {
        let moov = try header(
            [videoTrack(1), videoTrack(2)], [[frame(0, track: 0), frame(40, track: 0), frame(500, track: 1)]],
            facts: FinishingInfo(sessionEnd: MediaTime(value: 80, timescale: 1000)))
        #expect(moov.all("trak").count == 1)
        #expect(try duration(moov) == 80)
    }

    @Test func header_trackWithoutSamples_isOmitted() throws {
        let moov = try header([videoTrack(1), audioTrack(2)], [[frame(0, track: 0), frame(40, track: 0)]])
        #expect(moov.all("trak").compactMap { FinalHeader.trackID($0) } == [1])
    }

    @Test func header_longLastFrame_keepsItsDuration() throws {
        let moov = try header(
            [videoTrack(1)], [[frame(0, track: 0), frame(40, track: 0, duration: 500)]],
            facts: FinishingInfo(trackEnds: [1: MediaTime(value: 540, timescale: 1000)]))
        #expect(try edits(moov, 0) == [.init(duration: 540, mediaTime: 0)])
    }

    /// An edit must not be longer than its media: FFmpeg 7 shortens it.
    @Test func header_trackEndAfterTheLastFrame_extendsTheMedia() throws {
        func moov(sessionEnd: Int64? = nil) throws -> Atom {
            try header(
                [videoTrack(1)], [[frame(0, track: 0), frame(40, track: 0)]],
                facts: FinishingInfo(
                    sessionEnd: sessionEnd.map { MediaTime(value: $0, timescale: 1000) },
                    trackEnds: [1: MediaTime(value: 540, timescale: 1000)]))
        }
        #expect(try edits(moov(), 0) == [.init(duration: 540, mediaTime: 0)])
        #expect(try mediaDuration(moov()) == 540_000)
        #expect(try edits(moov(sessionEnd: 60), 0) == [.init(duration: 60, mediaTime: 0)])
        #expect(try mediaDuration(moov(sessionEnd: 60)) == 80_000)
    }

    @Test func header_trackEndAfterReorderedFrames_extendsTheMedia() throws {
        let moov = try header(
            [videoTrack(1)],
            [
                [
                    frame(0, track: 0, decode: -80), frame(120, track: 0, decode: -40),
                    frame(40, track: 0, decode: 0), frame(80, track: 0, decode: 40),
                ]
            ], facts: FinishingInfo(trackEnds: [1: MediaTime(value: 500, timescale: 1000)]))
        #expect(try edits(moov, 0) == [.init(duration: 500, mediaTime: 80_000)])
        // The frames last 160 ms; 340 ms are added.
        #expect(try mediaDuration(moov) == 500_000)
    }

    @Test func header_metadata_isMergedByKey() throws {
        let storage = MemoryStorage()
        let items = [MetadataItem(key: "a", value: "1"), MetadataItem(key: "b", value: "2")]
        try Recording.short.write(to: storage, metadata: items)
        try MovieFinisher.finish(
            storage,
            facts: FinishingInfo(metadata: [
                MetadataItem(key: "b", value: "3"), MetadataItem(key: "c", value: "4"),
            ]))
        let tags = try judge(storage.bytes) { try Probe($0).format.tags ?? [:] }
        #expect(tags["a"] == "1" && tags["b"] == "3" && tags["c"] == "4")
    }
}

/// Tests of tracks whose last sample lasts for the rest of the session.
@Suite struct LastSampleTests {
    /// The header of a movie with a video track and a track whose handler is changed to another kind.
    private func moov(_ type: String, facts: FinishingInfo) throws -> Atom {
        let storage = MemoryStorage()
        try SyntheticRecording.write(
            [SyntheticRecording.videoTrack(), SyntheticRecording.videoTrack(2)],
            [
                (0..<50).map { SyntheticRecording.frame(Int64($0) * 40) } + [
                    SyntheticRecording.frame(0, track: 1), SyntheticRecording.frame(500, track: 1),
                ]
            ], to: storage, timeScale: 1000)
        let places = storage.bytes.indices.dropLast(8).filter {
            storage.bytes[$0..<($0 + 8)].elementsEqual(Array("mhlrvide".utf8))
        }
        let second = try #require(places.last)
        storage.bytes.replaceSubrange((second + 4)..<(second + 8), with: type.utf8)
        try MovieFinisher.finish(storage, facts: facts)
        return try finalHeader(of: storage)
    }

    private func durations(_ moov: Atom) throws -> [UInt32] {
        let stts = try #require(moov.all("trak")[1].find("mdia", "minf", "stbl", "stts"))
        var reader = ByteReader(stts.payload)
        _ = reader.skip(8)
        var numbers: [UInt32] = []
        while let number = reader.u32() { numbers.append(number) }
        return numbers
    }

    @Test(arguments: ["tmcd", "text", "sbtl"])
    func lastSample_sessionEnd_lastsUntilThen(type: String) throws {
        let end = FinishingInfo(sessionEnd: MediaTime(value: 1500, timescale: 1000))
        let moov = try moov(type, facts: end)
        #expect(try durations(moov) == [1, 500_000, 1, 1_000_000])
        let list = try #require(moov.all("trak")[1].find("edts", "elst"))
        #expect(EditList(payload: list.payload)?.entries == [.init(duration: 1500, mediaTime: 0)])
    }

    @Test func lastSample_noSessionEnd_lastsUntilTheLastFrameEnds() throws {
        #expect(try durations(moov("text", facts: .init())) == [1, 500_000, 1, 1_500_000])
        #expect(try durations(moov("vide", facts: .init())) == [1, 500_000, 1, 40_000])
    }
}

import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct MovieFileWriterTests {
    @Test func writer_fragment_isOneWriteAndOneSync() throws {
        let storage = MemoryStorage()
        let writer = try Recording.short.write(to: storage)
        #expect(storage.writes.count == Recording.short.fragments.count)
        #expect(storage.syncCount == storage.writes.count)
        #expect(writer.byteCount == UInt64(storage.bytes.count))
        var end: UInt64 = 0
        for write in storage.writes {
            #expect(write.offset == end)
            end += UInt64(write.count)
        }
    }

    @Test func writer_fullDisk_keepsWhatWasSynced() throws {
        for failing in 2...3 {
            let storage = MemoryStorage()
            storage.failingWrite = failing
            let error = #expect(throws: MediaError.self) { try Recording.short.write(to: storage) }
            #expect(error?.code == .diskFull)
            let report = try MovieFinisher.finish(storage)
            let synced = Recording.short.fragments[..<(failing - 1)].joined().filter { $0.track == 0 }.count
            let kept = Int(report.sampleCounts[1] ?? 0)
            #expect(kept >= synced && kept <= Recording.short.frameCount && report.wasTorn)
            try judge(storage.bytes) { path in
                let probe = try Probe(path, decodes: true)
                #expect(probe.complaints == "" && probe.video?.frames == kept)
            }
        }
    }

    @Test func writer_lateFormat_isEnteredIntoTheHeader() throws {
        var recording = Recording.short
        recording.tracks[1].format = nil
        let storage = MemoryStorage()
        let writer = recording.makeWriter(storage)
        try writer.writeFragment(recording.fragments[0].filter { $0.track == 0 })
        let before = storage.bytes
        for fragment in recording.fragments.dropFirst() { try writer.writeFragment(fragment) }
        try writer.writeFragment(recording.fragments[1].filter { $0.track == 1 })
        #expect(writer.refusal(track: 1) == nil)
        // The header keeps its length, so that nothing after it moves.
        let length = try #require(before.firstRange(of: Array("moof".utf8))).lowerBound
        #expect(storage.bytes.firstRange(of: Array("moof".utf8))?.lowerBound == length)
        #expect(storage.bytes[..<length] != before[..<length])
        let report = try MovieFinisher.finish(storage)
        #expect(report.sampleCounts == [1: 90, 2: 141])
    }

    /// Repair takes a missing number for a lost fragment, and then reports a pause as lost media.
    @Test(arguments: [1, 1 << 30])
    func writer_onlyPacketsOfARefusedTrack_usesUpNoFragmentNumber(largestFragment: Int) throws {
        let large = VideoFormat(
            codec: .h264, width: 64, height: 48,
            decoderConfiguration: [1, 66, 0, 1, 0xFF, 0xE0, 0] + [UInt8](repeating: 0, count: 10_000))
        func refused(_ time: Int64) -> TrackSample {
            TrackSample(
                track: 1,
                sample: SampleBuffer(
                    format: .video(large), content: .data(MediaData([1, 2, 3])),
                    presentationTime: MediaTime(value: time, timescale: 1000)))
        }
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [],
            tracks: [
                SyntheticRecording.videoTrack(),
                MovieTrack(id: 2, mediaType: .video, format: nil, timeScale: 1000),
            ], sessionStart: .zero, largestFragment: largestFragment)
        try writer.writeFragment([SyntheticRecording.frame(0)])
        try writer.writeFragment([refused(40), refused(80)])
        #expect(writer.refusal(track: 1) != nil)
        try writer.writeFragment([
            refused(120), refused(160), SyntheticRecording.frame(200), SyntheticRecording.frame(240),
        ])
        #expect(writer.byteCount == UInt64(storage.bytes.count))
        let numbers = try FinisherCrashTests.fragments(storage.bytes).map { place in
            FragmentReader.sequenceNumber(
                inMovieFragment: Array(storage.bytes[place.offset..<(place.offset + place.headerSize)]))
        }
        #expect(numbers == (largestFragment == 1 ? [1, 2, 3] : [1, 2]))
    }

    @Test func writer_audioOfUnknownFormat_usesItsSampleRate() throws {
        let format = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1000, creationTime: 0, metadata: [],
            tracks: [MovieTrack(id: 1, mediaType: .audio, format: nil, timeScale: 1_000_000)], sessionStart: .zero)
        for second in 0..<2 {
            let sample = SyntheticMedia.tone(
                from: second * 48_000, count: 48_000, at: MediaTime(value: Int64(second), timescale: 1))
            #expect(sample.format == .audio(format))
            try writer.writeFragment([TrackSample(track: 0, sample: sample)])
        }
        try MovieFinisher.finish(storage)
        try judge(storage.bytes) { path in
            let probe = try Probe(path)
            #expect(abs(probe.format.seconds - 2) < 0.001 && probe.audio?.timeBase == "1/48000")
        }
    }

    @Test func writer_timestampsGoBack_decodeTimesDoNot() throws {
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1000, creationTime: 0, metadata: [],
            tracks: [
                MovieTrack(
                    id: 1, mediaType: .video, format: .video(VideoFormat(codec: .mjpeg, width: 8, height: 8)),
                    timeScale: 1000)
            ], sessionStart: .zero)
        let times: [Int64] = [0, 40, 20, 20, -500, 100]
        let batch = times.map { time in
            TrackSample(
                track: 0,
                sample: SampleBuffer(
                    format: .video(VideoFormat(codec: .mjpeg, width: 8, height: 8)), content: .data(MediaData([1])),
                    presentationTime: MediaTime(value: time, timescale: 1000),
                    duration: MediaTime(value: 40, timescale: 1000)))
        }
        try writer.writeFragment(Array(batch[..<3]))
        try writer.writeFragment(Array(batch[3...]))
        let places = try FinisherCrashTests.fragments(storage.bytes)
        #expect(places.count == 2)
        var end: UInt64 = 0
        for place in places {
            let head = Array(storage.bytes[place.offset..<(place.offset + place.headerSize)])
            let track = try #require(FragmentReader.tracks(inMovieFragment: head)?.first)
            #expect(track.decodeTime >= end && track.chunks[0].runs.dropLast().allSatisfy { $0.duration > 0 })
            end = track.decodeTime + track.chunks[0].runs.dropLast().reduce(0) { $0 + UInt64($1.duration) }
        }
        #expect(try MovieFinisher.finish(storage).sampleCounts[1] == 6)
    }

    @Test func writer_hugeFrameSize_isWritten() throws {
        let format = VideoFormat(
            codec: .mjpeg, width: 100_000, height: 70_000, pixelAspectRatio: Ratio(1000, 1),
            cleanAperture: CleanAperture(width: 5, height: 5))
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1000, creationTime: .max / 2, metadata: [],
            tracks: [MovieTrack(id: 1, mediaType: .video, format: .video(format), timeScale: 1000)],
            sessionStart: .zero)
        try writer.writeFragment([
            TrackSample(
                track: 0,
                sample: SampleBuffer(format: .video(format), content: .data(MediaData([1])), presentationTime: .zero))
        ])
        #expect(try MovieFinisher.finish(storage).sampleCounts[1] == 1)
    }

    @Test(arguments: [1, 2000, 20_000])
    func writer_batchTooLargeForAFragment_isSplit(limit: Int) throws {
        let recording = Recording.short
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [], tracks: recording.tracks,
            sessionStart: recording.sessionStart, largestFragment: limit)
        for fragment in recording.fragments { try writer.writeFragment(fragment) }
        #expect(writer.byteCount == UInt64(storage.bytes.count))
        let report = try MovieFinisher.finish(storage, facts: recording.facts)
        #expect(report.sampleCounts == [1: 90, 2: 142])
        let whole = MemoryStorage()
        try recording.write(to: whole)
        try MovieFinisher.finish(whole, facts: recording.facts)
        func times(_ storage: MemoryStorage) throws -> [Double] {
            try judge(storage.bytes) { try Probe.frameTimes($0) }
        }
        #expect(try times(storage) == times(whole))
    }
}

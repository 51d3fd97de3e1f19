import Foundation
import Glibc
import MediaTypes
import MovieFile
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the rules of `AssetWriter`, in the order of the contract. Others of its rules: `WriterContractTests`
/// (output file, states), `WriterStateTests` (every transition), `SessionTests`, `WriterFailureTests`.
@Suite struct AssetWriterTableTests {
    private static let video = OutputSettings.video(VideoSettings(width: 64, height: 48))

    // MARK: One writer per output file; URL and container format

    @Test func writer_noFileType_usesTheExtension() throws {
        let directory = try TemporaryDirectory()
        for (name, type) in [
            ("a.mov", FileType.mov), ("a.MP4", .mp4), ("a.m4v", .m4v), ("a.m4a", .m4a), ("a", .mov),
        ] { #expect(try AssetWriter(outputURL: directory.file(name)).fileType == type) }
        #expect(try AssetWriter(outputURL: directory.file("a.part"), fileType: .mp4).fileType == .mp4)
        let error = #expect(throws: MediaError.self) { try AssetWriter(outputURL: directory.file("a.avi")) }
        #expect(error?.code == .unsupported && error?.wayOut.contains(".m4v") == true)
        #expect(directory.names == [])
    }

    @Test func writer_formatUnsupportedByTheContainer_isNotAdded() throws {
        let jpeg = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let h264 = FormatDescription.video(VideoFormat(codec: .h264, width: 64, height: 48))
        let timecode = FormatDescription.timecode(
            TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 30), framesPerSecond: 30))
        let metadata = FormatDescription.metadata(
            MetadataFormat(keys: [MetadataFormat.Key(id: 1, name: [0x61], dataType: .wellKnown(1))]))
        let aac = OutputSettings.audio(AudioSettings(sampleRate: 48_000, channelCount: 2))
        let pcm = OutputSettings.audio(AudioSettings(codec: .linearPCM, sampleRate: 48_000, channelCount: 2))
        let cases: [(FileType, MediaType, OutputSettings?, FormatDescription?, Bool)] = [
            (.mov, .video, nil, jpeg, true), (.mov, .video, nil, nil, true), (.mov, .audio, pcm, nil, true),
            (.mov, .timecode, nil, timecode, true), (.mov, .metadata, nil, metadata, true),
            (.mp4, .metadata, nil, metadata, false),
            (.mp4, .video, nil, jpeg, false), (.mp4, .video, nil, h264, true), (.mp4, .video, nil, nil, false),
            (.mp4, .audio, pcm, nil, false), (.mp4, .audio, aac, nil, true), (.mp4, .video, Self.video, nil, true),
            (.m4v, .video, nil, jpeg, false),
            (.m4a, .video, Self.video, nil, false), (.m4a, .audio, aac, nil, true),
        ]
        let directory = try TemporaryDirectory()
        for (type, media, settings, hint, fits) in cases {
            let writer = try AssetWriter(outputURL: directory.file("a.\(type.rawValue)"))
            let input = try AssetWriterInput(mediaType: media, outputSettings: settings, sourceFormatHint: hint)
            let what = "\(media) in \(type.rawValue)"
            #expect(writer.canAdd(input) == fits, "\(what)")
            #expect(code { try writer.add(input) } == (fits ? nil : .unsupported), "\(what)")
            #expect(writer.inputs.count == (fits ? 1 : 0))
        }
    }

    // MARK: canAdd, add

    @Test func writer_inputOfAnotherWriter_isNotAdded() throws {
        let (first, second) = (try WriterFixture(), try WriterFixture())
        let input = try AssetWriterInput(mediaType: .video, outputSettings: Self.video)
        let receiver = try first.writer.inputReceiver(for: input)
        #expect(!second.writer.canAdd(receiver.input))
        #expect(code { try second.writer.add(receiver.input) } == .invalidState)
        // A refused input can be added elsewhere.
        let third = try AssetWriterInput(mediaType: .video, outputSettings: Self.video)
        let music = try WriterFixture(name: "a.m4a")
        #expect(code { _ = try music.writer.inputReceiver(for: third) } == .unsupported)
        _ = try second.writer.inputReceiver(for: third)
    }

    // MARK: Session

    @Test func sessionStart_isStoredInTheEditList() async throws {
        let fixture = try WriterFixture()
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        try await audio.feed(.receiver, 60) { WriterFixture.audio($0) }
        try await fixture.writer.finishWriting()
        let trace = try Probe.ask(fixture.path, level: "trace").errors
        // AAC's priming is before the session.
        #expect(trace.contains("track[0].edit_count = 1") && trace.contains("media time: 1024"))
        #expect(try Probe(fixture.path).audio?.start == 0)
    }

    // MARK: finishWriting

    @Test func finishWriting_bothForms_doTheSame() async throws {
        for usesHandler in [false, true] {
            let fixture = try WriterFixture()
            let video = try fixture.addPullVideo()
            try fixture.begin()
            try await video.feed(.receiver, 30) { WriterFixture.frame($0) }
            if usesHandler {
                let results = Locked<[Result<Void, MediaError>]>([])
                fixture.writer.finishWriting { result in results.withLock { $0.append(result) } }
                #expect(code { _ = try video.append(WriterFixture.frame(30)) } == .invalidState)
                #expect(eventually { results.withLock { $0.count } == 1 })
                #expect(throws: Never.self) { try results.withLock { $0[0] }.get() }
            } else {
                try await fixture.writer.finishWriting()
            }
            #expect(fixture.writer.status == .completed && fixture.directory.names == ["movie.mov"])
            #expect(try Probe(fixture.path, decodes: true).video?.frames == 30)
        }
    }

    @Test func finishWriting_anyEnd_callsTheHandlerOnce() async throws {
        func outcome(_ fixture: WriterFixture) -> MediaError.Code? {
            let results = Locked<[Result<Void, MediaError>]>([])
            fixture.writer.finishWriting { result in results.withLock { $0.append(result) } }
            #expect(eventually { results.withLock { $0.count } == 1 })
            return code { try results.withLock { $0[0] }.get() }
        }
        let early = try WriterFixture()
        #expect(outcome(early) == .invalidState && early.writer.status == .unknown)
        let empty = try WriterFixture()
        _ = try empty.addPullVideo()
        try empty.begin()
        #expect(outcome(empty) == .invalidState && empty.writer.status == .failed)
        let full = try WriterFixture {
            $0.openFile = { path throws(MediaError) in try FaultyDisk(path, failingWrite: 1) }
        }
        let video = try full.addPullVideo()
        try full.begin()
        try await video.feed(.receiver, 3) { WriterFixture.frame($0) }
        #expect(outcome(full) == .diskFull)
    }

    @Test func writer_diskFullAtTheEnd_failsAndIsRepairable() async throws {
        // Five seconds are six writes; the seventh is the final header.
        for failingWrite in 1... {
            let fixture = try WriterFixture {
                $0.openFile = { path throws(MediaError) in try FaultyDisk(path, failingWrite: failingWrite) }
            }
            let video = try fixture.addPullVideo()
            try fixture.begin()
            do { try await video.feed(.receiver, 150) { WriterFixture.frame($0) } } catch { continue }
            let written = eventually(within: 2) { video.ledger.pending == 0 || fixture.writer.status == .failed }
            guard written, fixture.writer.status == .writing else { continue }
            let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
            guard video.ledger.written == 150 else { continue }
            #expect(error?.code == .diskFull && fixture.writer.status == .failed && fixture.writer.error == error)
            #expect(fixture.directory.names == ["movie.recording.mov"])
            let file = try DiskFile(path: fixture.writer.temporaryURL.path, mode: .update)
            #expect(try MovieFinisher.finish(file).sampleCounts[1] == 150)
            #expect(try Probe(fixture.writer.temporaryURL.path, decodes: true).video?.frames == 150)
            return
        }
    }

    @Test func writer_optimizedForNetworkUse_putsTheHeaderFirst() async throws {
        for replaces in [false, true] {
            let fixture = try WriterFixture()
            if replaces { try Data("old".utf8).write(to: fixture.writer.outputURL) }
            try fixture.writer.configure {
                $0.shouldOptimizeForNetworkUse = true
                $0.overwritesExistingFile = replaces
            }
            let video = try fixture.addPullVideo()
            let audio = try fixture.addPullAudio()
            try fixture.begin()
            async let frames: Void = video.feed(.receiver, 90) { WriterFixture.frame($0) }
            async let audioFeed: Void = audio.feed(.receiver, 90) { WriterFixture.audio($0) }
            _ = try await (frames, audioFeed)
            try await fixture.writer.finishWriting()
            #expect(fixture.directory.names == ["movie.mov"])
            let bytes = try Data(contentsOf: fixture.writer.outputURL)
            let header = try #require(bytes.range(of: Data("moov".utf8)))
            let media = try #require(bytes.range(of: Data("mdat".utf8)))
            #expect(header.lowerBound < media.lowerBound && header.lowerBound < 64)
            #expect(fixture.writer.bytesWritten == Int64(bytes.count))
            let probe = try Probe(fixture.path, decodes: true)
            #expect(probe.complaints == "" && probe.video?.frames == 90 && abs(probe.format.seconds - 3) < 0.001)
        }
    }

    @Test func writer_rewritingFails_leavesARepairableRecording() async throws {
        let fixture = try WriterFixture {
            $0.openFile = { path throws(MediaError) in
                try FaultyDisk(path, failingWrite: path.contains("rewriting") ? 2 : nil)
            }
        }
        try fixture.writer.configure { $0.shouldOptimizeForNetworkUse = true }
        let video = try fixture.addPullVideo()
        try fixture.begin()
        try await video.feed(.receiver, 30) { WriterFixture.frame($0) }
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.code == .diskFull && fixture.directory.names == ["movie.recording.mov"])
        try RecordingRepair.repair(path: fixture.writer.temporaryURL.path)
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 30)
    }

    // MARK: The writer's own tracks

    @Test func addChapter_beforeAndWhileWriting_isStored() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        try fixture.writer.addChapter("Two", at: WriterFixture.time(2))
        try fixture.writer.addChapter("One", at: WriterFixture.start)
        #expect(code { try fixture.writer.addChapter("Again", at: WriterFixture.start) } == .invalidSample)
        try fixture.begin()
        try fixture.writer.addChapter("Three", at: WriterFixture.time(3))
        let late = #expect(throws: MediaError.self) { try fixture.writer.addChapter("x", at: WriterFixture.time(3)) }
        #expect(late?.code == .invalidSample)
        #expect(code { try fixture.writer.addChapter("x", at: .invalid) } == .invalidSample)
        try await video.feed(.receiver, 150) { WriterFixture.frame($0) }
        try await fixture.writer.finishWriting()
        #expect(code { try fixture.writer.addChapter("x", at: WriterFixture.time(4)) } == .invalidState)
        // They belong to the writer, not to the client.
        #expect(fixture.writer.inputs.count == 1)
        #expect(try Probe(fixture.path).streams.count == 2)
    }

    @Test func addChapter_noChapterTrack_throwsWhileWriting() throws {
        for isWanted in [false, true] {
            let fixture = try WriterFixture()
            _ = try fixture.addPullVideo()
            try fixture.writer.configure { $0.writesChapters = isWanted }
            try fixture.begin()
            let failure = code { try fixture.writer.addChapter("Now", at: WriterFixture.time(1)) }
            #expect(failure == (isWanted ? nil : .invalidState))
            fixture.writer.cancelWriting()
        }
    }

    @Test func writer_invalidTimecode_isNamed() throws {
        let fixture = try WriterFixture()
        for (duration, rate) in [
            (MediaTime.zero, 30), (MediaTime(value: 1, timescale: 30), 0), (MediaTime(value: 1, timescale: 30), 256),
        ] {
            let error = #expect(throws: MediaError.self) {
                try fixture.writer.configure {
                    $0.timecode = TimecodeFormat(frameDuration: duration, framesPerSecond: rate)
                }
            }
            #expect(error?.code == .invalidSettings && error?.reason.contains("timecode") == true)
        }
        #expect(fixture.writer.configuration.timecode == nil)
    }

    // MARK: Set-up

    /// The types of a file's top-level atoms, by ffprobe.
    private func topLevelAtoms(_ path: String) throws -> [Substring] {
        let trace = try Probe.ask(path, level: "trace").errors
        return trace.split(separator: "\n").compactMap { line in
            guard line.contains("parent:'root'"), let type = line.firstRange(of: "type:'") else { return nil }
            return line[type.upperBound...].prefix(4)
        }
    }

    @Test(arguments: [(0.25, 0.0), (0.5, 0.0), (1.0, 0.0), (0.5, 3.0)])
    func writer_fragmentIntervals_areUsed(interval: Double, initial: Double) async throws {
        let directory = try TemporaryDirectory()
        do {
            let writer = try AssetWriter(outputURL: directory.file("movie.mov"))
            try writer.configure {
                $0.movieFragmentInterval = MediaTime(seconds: interval)
                $0.initialMovieFragmentInterval = MediaTime(seconds: initial)
            }
            // All packets of audio are keyframes: only the interval ends a fragment.
            let audio = try AssetWriterInput(
                mediaType: .audio, outputSettings: .audio(AudioSettings()),
                sourceFormatHint: .audio(SyntheticMedia.pcm))
            try writer.add(audio)
            try writer.startWriting()
            try writer.startSession(atSourceTime: WriterFixture.start)
            try await audio.feed(.receiver, 182, finishes: false) { WriterFixture.audio($0) }
            // All samples except those of the next fragment.
            #expect(eventually { Double(audio.ledger.written) >= (6 - 2 * interval) * 48_000 })
        }
        let fragments = try topLevelAtoms(directory.path("movie.recording.mov")).filter { $0 == "moof" }.count
        // Six seconds; without an initial interval the first fragment has one packet.
        let expected = initial > 0 ? 1 + (6 - initial) / interval : 1 + 6 / interval
        #expect(abs(Double(fragments) - expected) <= 2, "\(fragments) fragments, about \(expected) expected")
    }

    @Test func configure_afterTheStart_throwsForEachProperty() throws {
        let changes: [(inout AssetWriter.Configuration) -> Void] = [
            { $0.movieTimeScale = 600 }, { $0.movieFragmentInterval = MediaTime(value: 2, timescale: 1) },
            { $0.initialMovieFragmentInterval = MediaTime(value: 2, timescale: 1) },
            { $0.overwritesExistingFile = true }, { $0.shouldOptimizeForNetworkUse = true },
            { $0.isRecoverable = false },
            { $0.directoryForTemporaryFiles = URL(fileURLWithPath: "/tmp") },
            { $0.metadata = [MetadataItem(key: "a", value: "b")] },
            { $0.creationDate = Date(timeIntervalSince1970: 0) }, { $0.writesChapters = true },
            { $0.openingChapterTitle = "Start" },
            { $0.segmentInterval = MediaTime(value: 4, timescale: 1) },
            { $0.segmentStart = MediaTime(value: 4, timescale: 1) }, { $0.segmentProfile = .cmaf },
            {
                $0.timecode = TimecodeFormat(frameDuration: MediaTime(value: 1, timescale: 30), framesPerSecond: 30)
            },
        ]
        #expect(changes.count == Mirror(reflecting: AssetWriter.Configuration()).children.count)
        let fixture = try WriterFixture()
        _ = try fixture.addPullVideo()
        try fixture.writer.startWriting()
        let before = fixture.writer.configuration
        for change in changes { #expect(code { try fixture.writer.configure(change) } == .invalidState) }
        #expect(fixture.writer.configuration == before)
        fixture.writer.cancelWriting()
    }
}

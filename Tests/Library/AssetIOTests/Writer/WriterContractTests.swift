import Foundation
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the rules of `AssetWriter` and `AssetWriterInput`, one each.
@Suite struct WriterContractTests {
    // MARK: Output file

    @Test func writer_directoryMissing_throwsAtOnce() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("missing/movie.mov")
        let error = #expect(throws: MediaError.self) { try AssetWriter(outputURL: url) }
        #expect(error?.code == .cannotCreate && error?.description.contains(directory.path("missing")) == true)
        #expect(directory.names == [])
    }

    @Test func writer_pathIsADirectory_throwsAtOnce() throws {
        let directory = try TemporaryDirectory()
        #expect(code { _ = try AssetWriter(outputURL: directory.url) } == .cannotCreate)
        try Data().write(to: directory.file("file"))
        #expect(code { _ = try AssetWriter(outputURL: directory.file("file/movie.mov")) } == .cannotCreate)
    }

    @Test func writer_directoryNotWritable_throwsAndCreatesNothing() throws {
        let directory = try TemporaryDirectory()
        // The superuser can write to every directory except those of the kernel.
        let url = geteuid() == 0 ? URL(fileURLWithPath: "/proc/self/movie.mov") : directory.file("movie.mov")
        chmod(directory.url.path, 0o555)
        defer { chmod(directory.url.path, 0o755) }
        let failure = code {
            let writer = try AssetWriter(outputURL: url)
            try writer.add(
                AssetWriterInput(
                    mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48))))
            try writer.startWriting()
        }
        #expect(failure == .notPermitted || failure == .notFound)
        #expect(directory.names == [])
    }

    @Test func writer_unsupportedFileType_throws() throws {
        let directory = try TemporaryDirectory()
        let type = FileType(rawValue: "avi")
        #expect(code { _ = try AssetWriter(outputURL: directory.file("a.avi"), fileType: type) } == .unsupported)
    }

    @Test func writer_outputExists_failsAndKeepsIt() throws {
        let fixture = try WriterFixture()
        _ = try fixture.addVideo()
        try Data("precious".utf8).write(to: fixture.writer.outputURL)
        #expect(code { try fixture.writer.startWriting() } == .outputExists)
        #expect(fixture.writer.status == .failed && fixture.writer.error?.code == .outputExists)
        #expect(fixture.directory.names == ["movie.mov"])
        #expect(try Data(contentsOf: fixture.writer.outputURL) == Data("precious".utf8))
    }

    @Test func writer_overwriting_replacesOnlyAtTheEnd() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try Data("precious".utf8).write(to: fixture.writer.outputURL)
        try fixture.writer.configure { $0.overwritesExistingFile = true }
        try fixture.begin()
        try fixture.appendFrames(0..<10, to: video)
        #expect(try Data(contentsOf: fixture.writer.outputURL) == Data("precious".utf8))
        try await fixture.writer.finishWriting()
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 10)
        #expect(fixture.directory.names == ["movie.mov"])
    }

    @Test func writer_outputAppearsMeanwhile_isNotReplaced() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<10, to: video)
        try Data("precious".utf8).write(to: fixture.writer.outputURL)
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.code == .outputExists && fixture.writer.status == .failed)
        #expect(try Data(contentsOf: fixture.writer.outputURL) == Data("precious".utf8))
        // The recording is complete under its first name.
        #expect(try Probe(fixture.writer.temporaryURL.path, decodes: true).video?.frames == 10)
    }

    /// The calls come while an encoder is opened, as they may from another thread.
    @Test func writer_callsWhileItStarts_areRefused() async throws {
        let codes = Locked<[MediaError.Code?]>([])
        let starting = Locked<AssetWriter?>(nil)
        let fixture = try WriterFixture {
            $0.makeEncoder = { _, _ in
                if let writer = starting.withLock({ $0 }) {
                    let refusals = [
                        code { try writer.startSession(atSourceTime: .zero) },
                        code { try writer.addChapter("One", at: .zero) }, code { try writer.core.beginFinishing() },
                    ]
                    codes.withLock { $0 = refusals }
                }
                return FakeTrackEncoder()
            }
        }
        let video = try fixture.addVideo()
        starting.withLock { $0 = fixture.writer }
        try fixture.begin()
        starting.withLock { $0 = nil }
        #expect(codes.withLock { $0 } == [.invalidState, .invalidState, .invalidState])
        try fixture.appendFrames(0..<2, to: video)
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 2)
    }

    @Test func writer_secondWriterOfTheSameFile_changesNothing() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<10, to: video)
        for ending in ["start", "cancel"] {
            let second = try AssetWriter(outputURL: fixture.writer.outputURL)
            try second.add(
                AssetWriterInput(
                    mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48))))
            if ending == "start" { #expect(code { try second.startWriting() } == .outputExists) }
            second.cancelWriting()
            #expect(fixture.directory.names == ["movie.recording.mov"])
        }
        try await fixture.writer.finishWriting()
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 10)
    }

    @Test func writer_nameWithoutExtension_isAccepted() async throws {
        let fixture = try WriterFixture(name: "movie")
        let video = try fixture.addVideo()
        try fixture.begin()
        #expect(fixture.directory.names == ["movie.recording"])
        try fixture.appendFrames(0..<2, to: video)
        try await fixture.writer.finishWriting()
        #expect(fixture.directory.names == ["movie"])
    }

    // MARK: States

    @Test func writer_noInputs_doesNotStart() throws {
        let fixture = try WriterFixture()
        #expect(code { try fixture.writer.startWriting() } == .invalidState)
        #expect(fixture.directory.names == [] && fixture.writer.status == .unknown)
    }

    @Test func writer_addOrConfigureAfterTheStart_throws() throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let late = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        #expect(fixture.writer.canAdd(late) && !fixture.writer.canAdd(video))
        try fixture.writer.startWriting()
        #expect(!fixture.writer.canAdd(late))
        #expect(code { try fixture.writer.add(late) } == .invalidState)
        #expect(code { try fixture.writer.configure { $0.movieTimeScale = 600 } } == .invalidState)
        #expect(code { try video.configure { $0.languageCode = "deu" } } == .invalidState)
        #expect(code { try video.configure { $0.expectsMediaDataInRealTime = false } } == .invalidState)
        #expect(code { try fixture.writer.startWriting() } == .invalidState)
        fixture.writer.cancelWriting()
    }

    @Test func writer_inputAddedTwice_throws() throws {
        let first = try WriterFixture()
        let second = try WriterFixture()
        let video = try first.addVideo()
        #expect(!second.writer.canAdd(video) && code { try second.writer.add(video) } == .invalidState)
        #expect(code { try first.writer.add(video) } == .invalidState)
    }

    @Test func append_outsideASession_throws() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let frame = SyntheticMedia.videoSample(0, at: WriterFixture.start, width: 64, height: 48)
        #expect(code { _ = try video.append(frame) } == .invalidState && !video.isReadyForMoreMediaData)
        #expect(code { try fixture.writer.startSession(atSourceTime: .zero) } == .invalidState)
        try fixture.writer.startWriting()
        #expect(code { _ = try video.append(frame) } == .invalidState)
        try fixture.writer.startSession(atSourceTime: WriterFixture.start)
        #expect(video.isReadyForMoreMediaData)
        #expect(try video.append(frame))
        #expect(code { try fixture.writer.startSession(atSourceTime: WriterFixture.time(1)) } == .invalidState)
        try await fixture.writer.finishWriting()
        #expect(code { _ = try video.append(frame) } == .invalidState && !video.isReadyForMoreMediaData)
        #expect(code { try fixture.writer.endSession(atSourceTime: WriterFixture.start) } == .invalidState)
    }

    @Test func finishWriting_noSession_throwsAndChangesNothing() async throws {
        let fixture = try WriterFixture()
        _ = try fixture.addVideo()
        await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        try fixture.writer.startWriting()
        await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(fixture.writer.status == .writing)
        fixture.writer.cancelWriting()
        #expect(fixture.writer.status == .cancelled && fixture.directory.names == [])
    }

    @Test func finishWriting_noSamples_failsAndLeavesNothing() async throws {
        let fixture = try WriterFixture()
        _ = try fixture.addVideo()
        try fixture.begin()
        await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(fixture.writer.status == .failed && fixture.writer.error != nil && fixture.directory.names == [])
    }

    @Test func cancelWriting_calledTwice_leavesNothing() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<90, to: video)
        #expect(eventually { fixture.writer.bytesWritten > 0 })
        fixture.writer.cancelWriting()
        fixture.writer.cancelWriting()
        #expect(fixture.writer.status == .cancelled && fixture.writer.error == nil && fixture.directory.names == [])
        await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(code { try fixture.appendFrames(90..<91, to: video) } == .cancelled)
    }

    @Test func cancelWriting_movieCompleted_keepsIt() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.begin()
        try fixture.appendFrames(0..<3, to: video)
        try await fixture.writer.finishWriting()
        fixture.writer.cancelWriting()
        #expect(fixture.writer.status == .completed && fixture.directory.names == ["movie.mov"])
        await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
    }

    @Test func writer_released_leavesItsRecordingAsACrashWould() throws {
        let directory = try TemporaryDirectory()
        do {
            let writer = try AssetWriter(outputURL: directory.file("movie.mov"))
            let input = try AssetWriterInput(
                mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
            try input.configure { $0.expectsMediaDataInRealTime = true }
            try writer.add(input)
            try writer.startWriting()
            try writer.startSession(atSourceTime: WriterFixture.start)
            for number in 0..<30 {
                try input.append(
                    SyntheticMedia.videoSample(
                        number, at: WriterFixture.time(Double(number) / 30), width: 64, height: 48))
            }
            #expect(eventually { writer.bytesWritten > 0 })
        }
        #expect(directory.names == ["movie.recording.mov"])
        #expect(try Probe(directory.path("movie.recording.mov")).video?.codecName == "h264")
    }

    @Test func writer_releasedBeforeTheFirstFrame_leavesNothing() throws {
        let directory = try TemporaryDirectory()
        do {
            let writer = try AssetWriter(outputURL: directory.file("movie.mov"))
            try writer.add(
                AssetWriterInput(
                    mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48))))
            try writer.startWriting()
            #expect(directory.names == ["movie.recording.mov"])
        }
        #expect(directory.names == [])
    }

    @Test func writer_inputsFinishedFirst_completes() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        try fixture.appendFrames(0..<60, to: video)
        try fixture.appendTone(0..<60, to: audio)
        video.markAsFinished()
        audio.markAsFinished()
        audio.markAsFinished()
        #expect(eventually { video.ledger.pending == 0 && audio.ledger.pending == 0 })
        #expect(fixture.writer.status == .writing)
        try fixture.writer.endSession(atSourceTime: WriterFixture.time(1))
        try await fixture.writer.finishWriting()
        #expect(abs(try Probe(fixture.path).format.seconds - 1) < 0.001)
    }
}

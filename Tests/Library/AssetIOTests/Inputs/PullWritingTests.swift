import Dispatch
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of complete movies from sources that can wait: all forms of feeding share one core.
@Suite struct PullWritingTests {
    @Test(arguments: PullForm.allCases) func pullWriting_everyForm_writesTheSameMovie(form: PullForm) async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        async let frames: Void = video.feed(form, 150) { WriterFixture.frame($0) }
        async let audioFeed: Void = audio.feed(form, 150) { WriterFixture.audio($0) }
        _ = try await (frames, audioFeed)
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 150 && video.ledger.droppedInAll == 0)
        #expect(audio.ledger.written == 240_000 && audio.ledger.droppedInAll == 0)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 150 && abs(probe.format.seconds - 5) < 0.001)
        let errors = try Probe.brightness(fixture.path).enumerated().map { Int($1) - Int(SyntheticMedia.luma($0)) }
        #expect(errors.count == 150 && errors.allSatisfy { abs($0) <= 3 })
    }

    @Test(arguments: PullForm.allCases) func pullWriting_otherTrackStarved_isBoundedUntilThatFinishes(form: PullForm)
        async throws
    {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        let made = Locked(0)
        let frames = Task {
            try await video.feed(form, 300) { number in
                made.withLock { $0 = max($0, number) }
                return WriterFixture.frame(number)
            }
        }
        // One second of frames, and the frame that exceeds it.
        #expect(eventually { made.withLock { $0 } >= 31 && !video.isReadyForMoreMediaData && video.queueDepth == 0 })
        #expect(video.ledger.captured == 32 && made.withLock { $0 } <= 32)
        audio.markAsFinished()
        try await frames.value
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 300)
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 300)
    }

    @Test(arguments: PullForm.allCases) func pullWriting_diskFull_throwsToTheCaller(form: PullForm) async throws {
        let fixture = try WriterFixture {
            $0.openFile = { path throws(MediaError) in try FaultyDisk(path, failingWrite: 2) }
        }
        let video = try fixture.addPullVideo()
        try fixture.begin()
        let error = await #expect(throws: MediaError.self) {
            try await video.feed(form, 100_000) { WriterFixture.frame($0) }
        }
        #expect(error?.code == .diskFull && fixture.writer.status == .failed && fixture.writer.error == error)
        #expect(video.error == error && !video.isReadyForMoreMediaData)
        #expect(throws: MediaError.self) { try video.append(WriterFixture.frame(100_000)) }
    }

    @Test(arguments: PullForm.allCases) func pullWriting_writerCancelled_throwsToTheCaller(form: PullForm) async throws
    {
        guard form != .request else { return }
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        _ = try fixture.addPullAudio()
        try fixture.begin()
        let feeding = Task { try await video.feed(form, 300) { WriterFixture.frame($0) } }
        #expect(eventually { video.ledger.captured == 32 })
        fixture.writer.cancelWriting()
        let error = await #expect(throws: MediaError.self) { try await feeding.value }
        #expect(error?.code == .cancelled && fixture.directory.names == [])
    }

    @Test func receiver_outsideTheSession_throws() async throws {
        let fixture = try WriterFixture()
        let input = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        let receiver = try fixture.writer.inputReceiver(for: input)
        for step in 0..<2 {
            if step == 1 { try fixture.writer.startWriting() }
            let error = await #expect(throws: MediaError.self) { try await receiver.append(WriterFixture.frame(0)) }
            #expect(error?.code == .invalidState)
            #expect(code { _ = try receiver.appendImmediately(WriterFixture.frame(0)) } == .invalidState)
        }
        try fixture.writer.startSession(atSourceTime: WriterFixture.start)
        try await receiver.append(WriterFixture.frame(0))
        receiver.finish()
        receiver.finish()
        let error = await #expect(throws: MediaError.self) { try await receiver.append(WriterFixture.frame(1)) }
        #expect(error?.code == .invalidState)
        try await fixture.writer.finishWriting()
        #expect(try Probe(fixture.path, decodes: true).video?.frames == 1)
    }

    // MARK: Suspended appends

    /// A receiver whose input is not ready: it is a second ahead of a track that delivers nothing.
    private func suspended() async throws -> (WriterFixture, AssetWriterInput.SampleBufferReceiver, AssetWriterInput) {
        let fixture = try WriterFixture()
        let input = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(width: 64, height: 48)))
        let receiver = try fixture.writer.inputReceiver(for: input)
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        for number in 0..<32 { try await receiver.append(WriterFixture.frame(number)) }
        #expect(try !receiver.appendImmediately(WriterFixture.frame(32)))
        return (fixture, receiver, audio)
    }

    @Test func append_suspended_resumesWhenTheOtherTrackAdvances() async throws {
        let (fixture, receiver, audio) = try await suspended()
        let append = Task { try await receiver.append(WriterFixture.frame(32)) }
        #expect(try audio.append(WriterFixture.audio(0)) && audio.append(WriterFixture.audio(1)))
        try await append.value
        #expect(receiver.input.ledger.captured == 33)
        fixture.writer.cancelWriting()
    }

    @Test func append_suspendedAndTaskCancelled_throws() async throws {
        let (fixture, receiver, _) = try await suspended()
        let append = Task { try await receiver.append(WriterFixture.frame(32)) }
        append.cancel()
        let error = await #expect(throws: MediaError.self) { try await append.value }
        #expect(error?.code == .cancelled && fixture.writer.status == .writing)
        #expect(receiver.input.ledger.captured == 32)
        fixture.writer.cancelWriting()
    }

    @Test func append_suspendedAndInputFinished_throws() async throws {
        for endsByWriter in [false, true] {
            let (fixture, receiver, _) = try await suspended()
            let append = Task { try await receiver.append(WriterFixture.frame(32)) }
            if endsByWriter { try await fixture.writer.finishWriting() } else { receiver.finish() }
            let error = await #expect(throws: MediaError.self) { try await append.value }
            #expect(error?.code == .invalidState)
            fixture.writer.cancelWriting()
        }
    }

    // MARK: Readiness

    @Test func readiness_severalObservers_reportsToEach() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let audio = try fixture.addPullAudio()
        let observers = (0..<3).map { _ in video.readiness.makeAsyncIterator() }
        for index in observers.indices {
            var observer = observers[index]
            #expect(await observer.next() == false)
        }
        try fixture.begin()
        var readers: [AssetWriterInput.ReadinessSequence.AsyncIterator] = []
        for _ in 0..<3 {
            var reader = video.readiness.makeAsyncIterator()
            #expect(await reader.next() == true)
            readers.append(reader)
        }
        #expect(try video.append(WriterFixture.frame(60)))
        for index in readers.indices { #expect(await readers[index].next() == false) }
        audio.markAsFinished()
        for index in readers.indices { #expect(await readers[index].next() == true) }
        video.markAsFinished()
        for index in readers.indices { #expect(await readers[index].next() == nil) }
        try await fixture.writer.finishWriting()
        var late = video.readiness.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func readiness_writerNeverStarted_endsWithIt() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        var reader = video.readiness.makeAsyncIterator()
        #expect(await reader.next() == false)
        fixture.writer.cancelWriting()
        #expect(await reader.next() == nil)
    }

    @Test func readiness_taskCancelled_ends() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        let reading = Task {
            var seen: [Bool] = []
            for await isReady in video.readiness { seen.append(isReady) }
            return seen
        }
        reading.cancel()
        #expect(await reading.value.allSatisfy { !$0 })
    }
}

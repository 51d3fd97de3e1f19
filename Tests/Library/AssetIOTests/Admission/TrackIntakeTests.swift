import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the admission of a live track, without threads: nothing is encoded unless a test does it.
@Suite struct TrackIntakeTests {
    private static let failure = MediaError(.codecFailure, "cannot encode", reason: "test")

    private func core(
        _ type: MediaType = .video, milliseconds: Int64 = 1000, bytes: Int = .max, isRealTime: Bool = true,
        start: MediaTime = .zero
    ) -> TrackIntake {
        let core = TrackIntake(
            TrackTraits(
                mediaType: type, isRealTime: isRealTime,
                budget: RealTimeBudget(duration: MediaTime(value: milliseconds, timescale: 1000), bytes: bytes)))
        core.open(sessionStart: start)
        return core
    }

    private func frame(_ milliseconds: Int64) -> SampleBuffer {
        SyntheticMedia.videoSample(0, at: MediaTime(value: milliseconds, timescale: 1000), width: 4, height: 4)
    }

    private func popped(_ core: TrackIntake) -> SampleBuffer? {
        if case .sample(let sample) = core.nextWork().work { sample } else { nil }
    }

    @Test func intake_encoderBehind_refusesAndCountsFrames() throws {
        let core = core()
        var taken = 0
        for time in stride(from: 0, to: 3000, by: 100) as StrideTo<Int64> where try core.append(frame(time)) {
            taken += 1
        }
        #expect(taken == 11 && core.queueDepth == 11)
        #expect(core.ledger.captured == 30 && core.ledger[dropped: .encoder] == 19)
        #expect(core.ledger.pending == 11 && !core.hasRoom)
    }

    /// 3 of 4 frames arrive faster than they are encoded; the source drops those that the input is not ready for.
    @Test(arguments: [1, 7, 8, 9]) func readyLiveInput_behindItsEncoder_refusesNoFrame(frames: Int) throws {
        let core = core(bytes: frames * frame(0).byteCount + 1)
        var counts = (ready: 0, refused: 0, notReady: 0)
        for number in 0..<400 as Range<Int64> {
            if number % 4 == 3, core.queueDepth > 0 { _ = popped(core) }
            guard core.readiness.value == .ready else {
                counts.notReady += 1
                continue
            }
            counts.ready += 1
            if try !core.append(frame(number * 33)) { counts.refused += 1 }
        }
        #expect(counts.refused == 0 && counts.ready > 90 && counts.notReady > 200, "\(counts)")
        #expect(core.ledger.droppedInAll == 0)
    }

    @Test func intake_encoderWaitsForDisk_countsDropsAsDisk() throws {
        let core = core(bytes: 1)
        #expect(try core.append(frame(0)))
        core.setWaitingForDisk(true)
        #expect(try !core.append(frame(1)))
        core.setWaitingForDisk(false)
        #expect(try !core.append(frame(2)))
        #expect(core.ledger[dropped: .disk] == 1 && core.ledger[dropped: .encoder] == 1)
    }

    @Test(arguments: [5, 4, -100] as [Int64]) func intake_frameTimeNotRising_countsItAsCorrupt(time: Int64) throws {
        let core = core(start: MediaTime(value: -1, timescale: 1))
        #expect(try core.append(frame(5)))
        #expect(try !core.append(frame(time)))
        #expect(core.ledger[dropped: .corrupt] == 1)
        #expect(try core.append(frame(6)))
    }

    @Test func intake_frameRefused_acceptsAnEarlierFrame() throws {
        let core = core(bytes: 1)
        #expect(try core.append(frame(0)))
        #expect(try !core.append(frame(50)))
        _ = core.nextWork()
        #expect(try core.append(frame(40)))
    }

    @Test func intake_audioBeforeTheSession_isTrimmedToTheAudioFrame() throws {
        // The session starts 123.25 samples into the block. No audio from before it remains, not even the partial
        // sample.
        let start = MediaTime(value: 493, timescale: 4 * 48_000)
        let core = core(.audio, start: start)
        #expect(try core.append(SyntheticMedia.tone(from: 0, count: 480, at: .zero)))
        let sample = try #require(popped(core))
        #expect(sample.sampleCount == 357 && core.ledger.captured == 357)
        #expect(sample.presentationTime == MediaTime(value: 123, timescale: 48_000))
        guard case .data(let data) = sample.content,
            case .data(let whole) = SyntheticMedia.tone(from: 123, count: 357, at: .zero).content
        else { return #expect(Bool(false)) }
        #expect(data.bytes.elementsEqual(whole.bytes))
    }

    @Test func intake_samplesBeforeTheSession_areNotCounted() throws {
        let audio = core(.audio, start: MediaTime(value: 1, timescale: 1))
        #expect(try !audio.append(SyntheticMedia.tone(from: 0, count: 480, at: .zero)))
        let frames = core(start: MediaTime(value: 1, timescale: 1))
        #expect(try !frames.append(frame(999)))
        #expect(try frames.append(frame(1000)))
        #expect(audio.ledger == Ledger() && frames.ledger.captured == 1)
    }

    @Test func intake_deviceReportsLoss_countsCapturedAndDropped() {
        let core = core()
        core.recordLoss(7, cause: .device)
        #expect(core.ledger.captured == 7 && core.ledger[dropped: .device] == 7 && core.ledger.isBalanced)
    }

    @Test func append_encoderStuck_neverBlocks() throws {
        let core = core(milliseconds: 100)
        let isStuck = Locked(true)
        let encoder = try NamedThread("stuck") {
            _ = core.nextWork()
            isStuck.waiting { $0 ? nil : () }
        }
        var slowest: Int64 = 0
        let clock = MonotonicClock()
        for time in 0..<20_000 as Range<Int64> {
            let before = clock.nanoseconds
            _ = try core.append(frame(time))
            slowest = max(slowest, clock.nanoseconds - before)
        }
        isStuck.withLock { $0 = false }
        isStuck.broadcast()
        encoder.join()
        // The encoder is stuck for as long as the test wants; an append that waited for it would never have returned.
        #expect(core.ledger.captured == 20_000 && core.ledger.written == 0)
        #expect(core.ledger[dropped: .encoder] >= 20_000 - 102)
        #expect(slowest < 2_000_000_000)
    }

    @Test func intake_budgetBelowOneBlock_wakesTheEncoder() throws {
        // 20 ms of audio are fewer audio frames than the encoder usually waits for.
        for isRealTime in [true, false] {
            let core = core(.audio, milliseconds: isRealTime ? 20 : 10_000, isRealTime: isRealTime)
            let count = Locked(0)
            let encoder = try NamedThread("encoder") {
                while case .sample = core.nextWork().work { count.withLock { $0 += 1 } }
            }
            var time: Int64 = 0
            for _ in 0..<100 {
                let size = isRealTime ? 480 : 10
                let sample = SyntheticMedia.tone(from: 0, count: size, at: MediaTime(value: time, timescale: 48_000))
                #expect(eventually { core.hasRoom })
                #expect(try core.append(sample))
                time += Int64(size)
            }
            core.markAsFinished()
            encoder.join()
            #expect(count.withLock { $0 } == 100)
        }
    }

    @Test func append_wrongSampleSize_throws() throws {
        let core = core(.audio)
        let format = SyntheticMedia.pcm
        for (bytes, count) in [(400, 101), (400, 99), (400, 0), (400, -1), (400, Int.max), (0, 0), (399, 99)] {
            let data = MediaData([UInt8](repeating: 0, count: bytes))
            let sample = SampleBuffer(
                format: .audio(format), content: .data(data), presentationTime: .zero, sampleCount: count)
            let error = #expect(throws: MediaError.self) { try core.append(sample) }
            #expect(error?.code == .invalidSample)
        }
        let mute = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 0)
        #expect(throws: MediaError.self) {
            try core.append(SampleBuffer(pcm: MediaData([1, 2]), format: mute, presentationTime: .zero))
        }
        #expect(core.ledger == Ledger())
    }

    @Test func append_wrongMediaTypeOrInvalidTime_isRefused() throws {
        #expect(throws: MediaError.self) { try core(.audio).append(frame(0)) }
        for time in [MediaTime.invalid, .positiveInfinity] {
            let live = core()
            #expect(try !live.append(SyntheticMedia.videoSample(0, at: time, width: 4, height: 4)))
            #expect(live.ledger[dropped: .corrupt] == 1 && live.ledger.isBalanced)
        }
    }

    @Test func append_outsideTheSession_throws() throws {
        let early = TrackIntake(TrackTraits(mediaType: .video, isRealTime: true))
        #expect(throws: MediaError.self) { try early.append(frame(0)) }
        let finished = core()
        finished.markAsFinished()
        #expect(throws: MediaError.self) { try finished.append(frame(0)) }
        let cancelled = core()
        cancelled.cancel()
        let error = #expect(throws: MediaError.self) { try cancelled.append(frame(0)) }
        #expect(error?.code == .cancelled)
        #expect(early.ledger == Ledger() && finished.ledger == Ledger())
    }

    @Test func intake_finished_encodesQueuedSamples() throws {
        let core = core()
        _ = try core.append(frame(0))
        core.markAsFinished()
        #expect(popped(core) != nil)
        guard case .finish = core.nextWork().work else { return #expect(Bool(false)) }
    }

    @Test func ledger_encoderFails_isBalancedAndCountsItsPackets() throws {
        let core = core()
        for time in 0..<10 as Range<Int64> { _ = try core.append(frame(time)) }
        for _ in 0..<5 { _ = core.nextWork() }
        core.recordPushed(3)
        core.recordWritten(1)
        core.close(.encoder, error: Self.failure, isFileLost: false)
        // One is written, two are on their way to the file; the two inside the encoder and the five in the queue are
        // dropped.
        #expect(core.ledger[dropped: .encoder] == 7 && core.ledger.pending == 2 && core.error == Self.failure)
        #expect(try !core.append(frame(100)))
        core.recordWritten(2)
        #expect(core.ledger.written == 3 && core.ledger.captured == 11 && core.ledger.isBalanced)
        guard case .stop = core.nextWork().work else { return #expect(Bool(false)) }
    }

    @Test func ledger_fileLost_isBalancedAtOnce() throws {
        let core = core()
        for time in 0..<10 as Range<Int64> { _ = try core.append(frame(time)) }
        _ = core.nextWork()
        core.recordPushed(4)
        core.recordWritten(2)
        core.close(.disk, error: Self.failure, isFileLost: true)
        #expect(core.ledger.written == 2 && core.ledger[dropped: .disk] == 8)
        // Later reports from the threads change nothing.
        core.recordWritten(2)
        core.recordDropped(1, cause: .corrupt)
        core.recordLeftOut(1, cause: .encoder)
        #expect(core.ledger.isBalanced && core.ledger.written == 2)
        core.close(.encoder, error: Self.failure, isFileLost: false)
        #expect(try !core.append(frame(100)))
        #expect(core.ledger[dropped: .disk] == 9 && core.ledger.isBalanced)
    }

    @Test func ledger_fileLostAfterEncoderFailure_dropsPendingPackets() throws {
        let core = core()
        for time in 0..<4 as Range<Int64> { _ = try core.append(frame(time)) }
        core.recordPushed(2)
        core.close(.encoder, error: Self.failure, isFileLost: false)
        core.close(.disk, error: Self.failure, isFileLost: true)
        #expect(core.ledger[dropped: .encoder] == 2 && core.ledger[dropped: .disk] == 2 && core.ledger.isBalanced)
    }
}

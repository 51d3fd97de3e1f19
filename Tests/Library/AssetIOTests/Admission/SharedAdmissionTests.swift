import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the admission of a live track, without threads: nothing is encoded unless a test does it.
@Suite struct SharedAdmissionTests {
    private static let failure = MediaError(.codecFailure, "cannot encode", reason: "test")

    private func admission(
        _ type: MediaType = .video, milliseconds: Int64 = 1000, bytes: Int = .max, isRealTime: Bool = true,
        start: MediaTime = .zero
    ) -> SharedAdmission {
        let admission = SharedAdmission(
            TrackTraits(
                mediaType: type, isRealTime: isRealTime,
                budget: RealTimeBudget(duration: MediaTime(value: milliseconds, timescale: 1000), bytes: bytes)))
        admission.open(sessionStart: start)
        return admission
    }

    private func frame(_ milliseconds: Int64) -> SampleBuffer {
        SyntheticMedia.videoSample(0, at: MediaTime(value: milliseconds, timescale: 1000), width: 4, height: 4)
    }

    private func popped(_ admission: SharedAdmission) -> SampleBuffer? {
        if case .sample(let sample) = admission.waitForWork().work { sample } else { nil }
    }

    @Test func admission_encoderBehind_refusesAndCountsFrames() throws {
        let admission = admission()
        var taken = 0
        for time in stride(from: 0, to: 3000, by: 100) as StrideTo<Int64> where try admission.append(frame(time)) {
            taken += 1
        }
        #expect(taken == 11 && admission.queueDepth == 11)
        #expect(admission.ledger.captured == 30 && admission.ledger[dropped: .encoder] == 19)
        #expect(admission.ledger.pending == 11 && !admission.isReady)
    }

    /// 3 of 4 frames arrive faster than they are encoded; the source drops those that the input is not ready for.
    @Test(arguments: [1, 7, 8, 9]) func readyLiveInput_behindItsEncoder_refusesNoFrame(frames: Int) throws {
        let admission = admission(bytes: frames * frame(0).byteCount + 1)
        var counts = (ready: 0, refused: 0, notReady: 0)
        for number in 0..<400 as Range<Int64> {
            if number % 4 == 3, admission.queueDepth > 0 { _ = popped(admission) }
            guard admission.readiness.value == .ready else {
                counts.notReady += 1
                continue
            }
            counts.ready += 1
            if try !admission.append(frame(number * 33)) { counts.refused += 1 }
        }
        #expect(counts.refused == 0 && counts.ready > 90 && counts.notReady > 200, "\(counts)")
        #expect(admission.ledger.droppedInAll == 0)
    }

    @Test func admission_encoderWaitsForDisk_countsDropsAsDisk() throws {
        let admission = admission(bytes: 1)
        #expect(try admission.append(frame(0)))
        admission.setWaitingForDisk(true)
        #expect(try !admission.append(frame(1)))
        admission.setWaitingForDisk(false)
        #expect(try !admission.append(frame(2)))
        #expect(admission.ledger[dropped: .disk] == 1 && admission.ledger[dropped: .encoder] == 1)
    }

    @Test(arguments: [5, 4, -100] as [Int64]) func admission_frameTimeNotRising_countsItAsCorrupt(time: Int64) throws {
        let admission = admission(start: MediaTime(value: -1, timescale: 1))
        #expect(try admission.append(frame(5)))
        #expect(try !admission.append(frame(time)))
        #expect(admission.ledger[dropped: .corrupt] == 1)
        #expect(try admission.append(frame(6)))
    }

    @Test func admission_frameRefused_acceptsAnEarlierFrame() throws {
        let admission = admission(bytes: 1)
        #expect(try admission.append(frame(0)))
        #expect(try !admission.append(frame(50)))
        _ = admission.waitForWork()
        #expect(try admission.append(frame(40)))
    }

    @Test func admission_audioBeforeTheSession_isTrimmedToTheAudioFrame() throws {
        // The session starts 123.25 samples into the block. No audio from before it remains, not even the partial
        // sample.
        let start = MediaTime(value: 493, timescale: 4 * 48_000)
        let admission = admission(.audio, start: start)
        #expect(try admission.append(SyntheticMedia.tone(from: 0, count: 480, at: .zero)))
        let sample = try #require(popped(admission))
        #expect(sample.sampleCount == 357 && admission.ledger.captured == 357)
        #expect(sample.presentationTime == MediaTime(value: 123, timescale: 48_000))
        guard case .data(let data) = sample.content,
            case .data(let whole) = SyntheticMedia.tone(from: 123, count: 357, at: .zero).content
        else { return #expect(Bool(false)) }
        #expect(data.bytes.elementsEqual(whole.bytes))
    }

    @Test func admission_samplesBeforeTheSession_areNotCounted() throws {
        let audio = admission(.audio, start: MediaTime(value: 1, timescale: 1))
        #expect(try !audio.append(SyntheticMedia.tone(from: 0, count: 480, at: .zero)))
        let frames = admission(start: MediaTime(value: 1, timescale: 1))
        #expect(try !frames.append(frame(999)))
        #expect(try frames.append(frame(1000)))
        #expect(audio.ledger == Ledger() && frames.ledger.captured == 1)
    }

    @Test func admission_deviceReportsLoss_countsCapturedAndDropped() {
        let admission = admission()
        admission.recordLoss(7, cause: .device)
        #expect(admission.ledger.captured == 7 && admission.ledger[dropped: .device] == 7)
        #expect(admission.ledger.isBalanced)
    }

    @Test func append_encoderStuck_neverBlocks() throws {
        let admission = admission(milliseconds: 100)
        let isStuck = Locked(true)
        let encoder = try NamedThread("stuck") {
            _ = admission.waitForWork()
            isStuck.waiting { $0 ? nil : () }
        }
        var slowest: Int64 = 0
        let clock = MonotonicClock()
        for time in 0..<20_000 as Range<Int64> {
            let before = clock.nanoseconds
            _ = try admission.append(frame(time))
            slowest = max(slowest, clock.nanoseconds - before)
        }
        isStuck.withLock { $0 = false }
        isStuck.broadcast()
        encoder.join()
        // The encoder is stuck for as long as the test wants; an append that waited for it would never have returned.
        #expect(admission.ledger.captured == 20_000 && admission.ledger.written == 0)
        #expect(admission.ledger[dropped: .encoder] >= 20_000 - 102)
        #expect(slowest < 2_000_000_000)
    }

    @Test func admission_budgetBelowOneBlock_wakesTheEncoder() throws {
        // 20 ms of audio are fewer audio frames than the encoder usually waits for.
        for isRealTime in [true, false] {
            let admission = admission(.audio, milliseconds: isRealTime ? 20 : 10_000, isRealTime: isRealTime)
            let count = Locked(0)
            let encoder = try NamedThread("encoder") {
                while case .sample = admission.waitForWork().work { count.withLock { $0 += 1 } }
            }
            var time: Int64 = 0
            for _ in 0..<100 {
                let size = isRealTime ? 480 : 10
                let sample = SyntheticMedia.tone(from: 0, count: size, at: MediaTime(value: time, timescale: 48_000))
                #expect(eventually { admission.isReady })
                #expect(try admission.append(sample))
                time += Int64(size)
            }
            admission.markAsFinished()
            encoder.join()
            #expect(count.withLock { $0 } == 100)
        }
    }

    @Test func append_wrongSampleSize_throws() throws {
        let admission = admission(.audio)
        let format = SyntheticMedia.pcm
        for (bytes, count) in [(400, 101), (400, 99), (400, 0), (400, -1), (400, Int.max), (0, 0), (399, 99)] {
            let data = MediaData([UInt8](repeating: 0, count: bytes))
            let sample = SampleBuffer(
                format: .audio(format), content: .data(data), presentationTime: .zero, sampleCount: count)
            let error = #expect(throws: MediaError.self) { try admission.append(sample) }
            #expect(error?.code == .invalidSample)
        }
        let mute = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 0)
        #expect(throws: MediaError.self) {
            try admission.append(SampleBuffer(pcm: MediaData([1, 2]), format: mute, presentationTime: .zero))
        }
        #expect(admission.ledger == Ledger())
    }

    @Test func append_wrongMediaTypeOrInvalidTime_isRefused() throws {
        #expect(throws: MediaError.self) { try admission(.audio).append(frame(0)) }
        for time in [MediaTime.invalid, .positiveInfinity] {
            let live = admission()
            #expect(try !live.append(SyntheticMedia.videoSample(0, at: time, width: 4, height: 4)))
            #expect(live.ledger[dropped: .corrupt] == 1 && live.ledger.isBalanced)
        }
    }

    /// A recorder is left alone for years, and its session begins with the first frame of the process.
    @Test func liveSession_ofYears_refusesOnlyTimesOfAnotherClock() throws {
        let admission = admission()
        let day: Int64 = 86_400_000
        for days in [0, 365, 366, 367, 800, 3650] as [Int64] {
            #expect(try admission.append(frame(days * day)))
            _ = popped(admission)
        }
        // A time of the wall clock.
        #expect(try !admission.append(frame(20_000 * day)))
        #expect(try admission.append(frame(3651 * day)))
        // An encoder that is opened after years, e.g. because the camera has reconnected.
        #expect(try self.admission().append(frame(3651 * day)))
        #expect(admission.ledger[dropped: .corrupt] == 1 && admission.ledger.captured == 8)
    }

    @Test func append_yearsAfterTheStart_isAnErrorForASourceThatWaits() throws {
        let admission = admission(isRealTime: false)
        let error = #expect(throws: MediaError.self) { try admission.append(frame(367 * 86_400_000)) }
        #expect(error?.code == .invalidSample && error?.reason.contains("a year") == true)
    }

    @Test func append_outsideTheSession_throws() throws {
        let early = SharedAdmission(TrackTraits(mediaType: .video, isRealTime: true))
        #expect(throws: MediaError.self) { try early.append(frame(0)) }
        let finished = admission()
        finished.markAsFinished()
        #expect(throws: MediaError.self) { try finished.append(frame(0)) }
        let cancelled = admission()
        cancelled.cancel()
        let error = #expect(throws: MediaError.self) { try cancelled.append(frame(0)) }
        #expect(error?.code == .cancelled)
        #expect(early.ledger == Ledger() && finished.ledger == Ledger())
    }

    @Test func admission_finished_encodesQueuedSamples() throws {
        let admission = admission()
        _ = try admission.append(frame(0))
        admission.markAsFinished()
        #expect(popped(admission) != nil)
        guard case .finish = admission.waitForWork().work else { return #expect(Bool(false)) }
    }

    @Test func ledger_encoderFails_isBalancedAndCountsItsPackets() throws {
        let admission = admission()
        for time in 0..<10 as Range<Int64> { _ = try admission.append(frame(time)) }
        for _ in 0..<5 { _ = admission.waitForWork() }
        admission.recordPushed(3)
        admission.recordWritten(1)
        admission.fail(.encoder, error: Self.failure, isFileLost: false)
        // One is written, two are on their way to the file; the two inside the encoder and the five in the queue are
        // dropped.
        #expect(admission.ledger[dropped: .encoder] == 7 && admission.ledger.pending == 2)
        #expect(admission.error == Self.failure)
        #expect(try !admission.append(frame(100)))
        admission.recordWritten(2)
        #expect(admission.ledger.written == 3 && admission.ledger.captured == 11 && admission.ledger.isBalanced)
        guard case .stop = admission.waitForWork().work else { return #expect(Bool(false)) }
    }

    @Test func ledger_fileLost_isBalancedAtOnce() throws {
        let admission = admission()
        for time in 0..<10 as Range<Int64> { _ = try admission.append(frame(time)) }
        _ = admission.waitForWork()
        admission.recordPushed(4)
        admission.recordWritten(2)
        admission.fail(.disk, error: Self.failure, isFileLost: true)
        #expect(admission.ledger.written == 2 && admission.ledger[dropped: .disk] == 8)
        // Later reports from the threads change nothing.
        admission.recordWritten(2)
        admission.recordDropped(1, cause: .corrupt)
        admission.recordLeftOut(1, cause: .encoder)
        #expect(admission.ledger.isBalanced && admission.ledger.written == 2)
        admission.fail(.encoder, error: Self.failure, isFileLost: false)
        #expect(try !admission.append(frame(100)))
        #expect(admission.ledger[dropped: .disk] == 9 && admission.ledger.isBalanced)
    }

    @Test func ledger_fileLostAfterEncoderFailure_dropsPendingPackets() throws {
        let admission = admission()
        for time in 0..<4 as Range<Int64> { _ = try admission.append(frame(time)) }
        admission.recordPushed(2)
        admission.fail(.encoder, error: Self.failure, isFileLost: false)
        admission.fail(.disk, error: Self.failure, isFileLost: true)
        #expect(admission.ledger[dropped: .encoder] == 2 && admission.ledger[dropped: .disk] == 2)
        #expect(admission.ledger.isBalanced)
    }
}

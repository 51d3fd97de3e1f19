import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the readiness that sources that can wait see. The test itself plays the encoder.
@Suite struct PullAdmissionTests {
    /// Tracks of one writer whose session starts at zero.
    ///
    /// - Parameter isAwaited: true if the packet sink cannot continue without packets of the tracks.
    private func tracks(
        _ types: [(MediaType, isRealTime: Bool)], isAwaited: @escaping @Sendable () -> Bool = { false }
    ) -> [SharedAdmission] {
        let gate = InterleavingGate(
            Interleaving(
                fragmentInterval: MediaTime(value: 1, timescale: 1),
                takesPart: types.map { !$0.isRealTime && ($0.0 == .video || $0.0 == .audio) }))
        let admissions = types.enumerated().map { index, type in
            SharedAdmission(
                TrackTraits(index: index, mediaType: type.0, isRealTime: type.isRealTime), gate: gate,
                isAwaited: isAwaited)
        }
        gate.join(admissions)
        gate.begin(at: .zero)
        for admission in admissions { admission.open(sessionStart: .zero) }
        return admissions
    }

    private func frame(_ milliseconds: Int64, size: Int = 4) -> SampleBuffer {
        SyntheticMedia.videoSample(0, at: MediaTime(value: milliseconds, timescale: 1000), width: size, height: size)
    }

    private func audioSample(_ milliseconds: Int64) -> SampleBuffer {
        SyntheticMedia.tone(from: 0, count: 4800, at: MediaTime(value: milliseconds, timescale: 1000))
    }

    private func take(_ admission: SharedAdmission) -> SampleBuffer? {
        if case .sample(let sample) = admission.waitForWork().work { sample } else { nil }
    }

    @Test func videoTrack_aheadOfAudio_isReadyAgainAfterAudio() throws {
        let admissions = tracks([(.video, false), (.audio, false)])
        let (video, audio) = (admissions[0], admissions[1])
        for time in stride(from: 0, through: 1000, by: 100) as StrideThrough<Int64> {
            #expect(video.isReady)
            #expect(try video.append(frame(time)))
        }
        #expect(try video.append(frame(1100)))
        #expect(!video.isReady && audio.isReady)
        let before = (video.queueDepth, video.ledger)
        #expect(try !video.append(frame(1200)))
        #expect(video.queueDepth == before.0 && video.ledger == before.1)
        // 100 ms of audio reduce the distance to one second: the end of the audio counts.
        #expect(try audio.append(audioSample(0)))
        #expect(video.isReady)
        #expect(try video.append(frame(1200)))
    }

    /// The packets of the track's own encoder may end the wait of the sink, between the two calls.
    @Test func track_noLongerAwaited_isReadyForOneSample() throws {
        let isAwaited = Locked(false)
        let video = tracks([(.video, false), (.audio, false)], isAwaited: { isAwaited.withLock { $0 } })[0]
        #expect(try video.append(frame(5000)))
        #expect(!video.isReady)
        isAwaited.withLock { $0 = true }
        video.updateReadiness()
        #expect(video.isReady)
        isAwaited.withLock { $0 = false }
        // The encoder's thread takes the sample, and another track wakes this one.
        #expect(take(video) != nil)
        video.updateReadiness()
        #expect(video.isReady)
        #expect(try video.append(frame(5040)))
        #expect(!video.isReady)
        #expect(try !video.append(frame(5080)))
    }

    @Test func track_queueFull_isReadyAgainWhenTheEncoderTakesASample() throws {
        let video = tracks([(.video, false)])[0]
        for time in 0..<32 as Range<Int64> { #expect(try video.append(frame(time))) }
        #expect(!video.isReady)
        #expect(try !video.append(frame(32)))
        #expect(take(video) != nil && video.readiness.value == .ready)
        #expect(try video.append(frame(32)))
    }

    @Test(arguments: [MediaTime.positiveInfinity, .invalid]) func sample_durationNotANumber_isUnknown(
        duration: MediaTime
    ) throws {
        let video = tracks([(.video, false)])[0]
        #expect(try video.append(frame(0).lasting(duration)))
        #expect(video.ledger.captured == 1)
        let taken = try #require(take(video))
        #expect(taken.duration == nil && taken.presentationTime == .zero)
        let negative = MediaTime(value: -1, timescale: 25)
        #expect(throws: MediaError.self) { try video.append(frame(40).lasting(negative)) }
    }

    @Test func queue_largeFrames_isLimitedByBytes() throws {
        let video = tracks([(.video, false)])[0]
        var count: Int64 = 0
        while try video.append(frame(count, size: 2048)) { count += 1 }
        // 6 MiB each: three fit, whatever their size.
        #expect(count == 3)
    }

    @Test func tracks_encoderReturnsNothing_continueInTurn() throws {
        // This encoder never returns anything; both tracks still continue in turn.
        let admissions = tracks([(.video, false), (.audio, false)])
        for step in 0..<600 as Range<Int64> {
            #expect(try admissions[0].append(frame(step * 100)))
            #expect(try admissions[1].append(audioSample(step * 100)))
            _ = take(admissions[0])
            _ = take(admissions[1])
        }
    }

    @Test func track_otherStarved_isBoundedUntilThatFinishes() throws {
        let admissions = tracks([(.video, false), (.audio, false)])
        var taken: Int64 = 0
        while try admissions[0].append(frame(taken * 33)) {
            taken += 1
            _ = take(admissions[0])
        }
        #expect(taken == 32)
        admissions[1].markAsFinished()
        for _ in 0..<1000 {
            #expect(try admissions[0].append(frame(taken * 33)))
            taken += 1
            _ = take(admissions[0])
        }
    }

    @Test func track_otherFails_isReleased() throws {
        let admissions = tracks([(.video, false), (.audio, false)])
        #expect(try admissions[0].append(frame(5000)))
        #expect(admissions[0].readiness.value == .notReady)
        admissions[1].fail(.encoder, error: MediaError(.codecFailure, "x", reason: "y"), isFileLost: false)
        #expect(admissions[0].readiness.value == .ready && admissions[1].readiness.value == .failed)
    }

    @Test func track_othersSilentOrSparse_doesNotWait() throws {
        let admissions = tracks([(.video, false), (.audio, true), (.text, false), (.timecode, false)])
        for step in 0..<100 as Range<Int64> {
            #expect(try admissions[0].append(frame(step * 1000)))
            _ = take(admissions[0])
        }
    }

    @Test func audioTrack_longGap_isReadyAgainWhenVideoArrives() throws {
        let admissions = tracks([(.video, false), (.audio, false)])
        #expect(try admissions[1].append(audioSample(3_600_000)))
        #expect(admissions[1].readiness.value == .notReady)
        for step in 0...3600 as ClosedRange<Int64> {
            #expect(try admissions[0].append(frame(step * 1000)))
            _ = take(admissions[0])
        }
        #expect(admissions[1].readiness.value == .ready)
    }

    @Test func append_fromTwoThreads_keepsTheOrder() throws {
        let video = tracks([(.video, false)])[0]
        let outcome = Locked((taken: 0, refused: 0))
        let threads = try (0..<2).map { _ in
            try NamedThread("append") {
                for time in 0..<500 as Range<Int64> {
                    while true {
                        do {
                            guard try video.append(self.frame(time)) else { continue }
                            outcome.withLock { $0.taken += 1 }
                        } catch {
                            outcome.withLock { $0.refused += (error as? MediaError)?.code == .invalidSample ? 1 : 0 }
                        }
                        break
                    }
                }
            }
        }
        var last = MediaTime(value: -1, timescale: 1)
        while last < MediaTime(value: 499, timescale: 1000), let sample = take(video) {
            #expect(sample.presentationTime > last)
            last = sample.presentationTime
        }
        for thread in threads { thread.join() }
        #expect(outcome.withLock { $0.taken + $0.refused } == 1000 && outcome.withLock { $0.taken } == 500)
    }
}

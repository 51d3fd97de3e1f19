import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of samples that do not fit: an error for a source that can wait, a counted refusal for a live one. In both
/// cases the movie has all the others.
@Suite struct BadInputTests {
    enum Fault: String, CaseIterable, Sendable {
        case equalTime, earlierTime, noTime, infiniteTime, anotherClock, badDecodeTime, farDecodeTime, negativeDuration
        case otherCodec, noSize, noBytes
    }

    private static let nv12 = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 64, height: 48))

    /// The frame after number 29, with a fault.
    private func frame(_ fault: Fault) -> SampleBuffer {
        let time = WriterFixture.time(1)
        func frame(_ time: MediaTime, decodeTime: MediaTime? = nil, duration: MediaTime? = nil) -> SampleBuffer {
            SampleBuffer(
                format: Self.nv12, content: .pixels(SyntheticMedia.frame(30, width: 64, height: 48)),
                presentationTime: time, decodeTime: decodeTime, duration: duration)
        }
        switch fault {
        case .equalTime: return frame(WriterFixture.time(29.0 / 30))
        case .earlierTime: return frame(WriterFixture.time(0.5))
        case .noTime: return frame(.invalid)
        case .infiniteTime: return frame(.positiveInfinity)
        // Seconds since 1970, while the others count from the machine's start.
        case .anotherClock: return frame(MediaTime(value: 1_800_000_000, timescale: 1))
        case .badDecodeTime: return frame(time, decodeTime: .invalid)
        case .farDecodeTime: return frame(time, decodeTime: time - MediaTime(value: 3600, timescale: 1))
        case .negativeDuration: return frame(time, duration: MediaTime(value: -1, timescale: 30))
        case .otherCodec, .noBytes:
            let format = fault == .noBytes ? Self.nv12 : .video(VideoFormat(codec: .hevc, width: 64, height: 48))
            let bytes: [UInt8] = fault == .noBytes ? [] : [1, 2, 3]
            return SampleBuffer(format: format, content: .data(MediaData(bytes)), presentationTime: time)
        case .noSize: return SyntheticMedia.videoSample(30, at: time, width: 0, height: 48)
        }
    }

    @Test(arguments: Fault.allCases, [false, true]) func append_invalidFrame_isLeftOutAndReported(
        fault: Fault, isRealTime: Bool
    ) async throws {
        let fixture = try WriterFixture()
        let settings = OutputSettings.video(VideoSettings(expectedFrameRate: 30))
        let video =
            try isRealTime
            ? fixture.add(.video, settings, hint: Self.nv12) : fixture.addPull(.video, settings, hint: Self.nv12)
        try fixture.begin()
        for number in 0..<30 {
            #expect(eventually { video.isReadyForMoreMediaData })
            #expect(try video.append(WriterFixture.frame(number)))
        }
        let before = video.ledger.captured
        if isRealTime {
            #expect(try !video.append(frame(fault)))
            #expect(video.ledger[dropped: .corrupt] == 1 && video.ledger.captured == before + 1)
        } else {
            let error = #expect(throws: MediaError.self) { try video.append(frame(fault)) }
            #expect(error?.code == .invalidSample && error?.reason.isEmpty == false)
            #expect(video.ledger.captured == before)
        }
        for number in 31..<60 {
            #expect(eventually { video.isReadyForMoreMediaData })
            #expect(try video.append(WriterFixture.frame(number)))
        }
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 59 && video.ledger.isBalanced)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 59 && abs(probe.format.seconds - 2) < 0.001)
    }

    enum AudioFault: String, CaseIterable, Sendable {
        case equalTime, earlierTime, noTime, anotherClock, rate, channels, bits
    }

    private func audioSample(_ fault: AudioFault) -> SampleBuffer {
        let time = WriterFixture.time(1)
        func block(_ format: AudioFormat, at time: MediaTime) -> SampleBuffer {
            SampleBuffer(
                pcm: MediaData([UInt8](repeating: 1, count: 480 * (format.bytesPerFrame ?? 1))), format: format,
                presentationTime: time)
        }
        switch fault {
        case .equalTime: return WriterFixture.audio(29)
        case .earlierTime: return WriterFixture.audio(3)
        case .noTime: return block(SyntheticMedia.pcm, at: .invalid)
        case .anotherClock: return block(SyntheticMedia.pcm, at: MediaTime(value: 1_800_000_000, timescale: 1))
        case .rate: return block(AudioFormat(pcm: .s16, sampleRate: 44_100, channelCount: 2), at: time)
        case .channels: return block(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1), at: time)
        case .bits: return block(AudioFormat(pcm: .s32, sampleRate: 48_000, channelCount: 2), at: time)
        }
    }

    @Test(arguments: AudioFault.allCases, [false, true]) func append_invalidAudio_isLeftOutAndReported(
        fault: AudioFault, isRealTime: Bool
    ) async throws {
        // A thirtieth of a second is within a live source's jitter.
        guard !(isRealTime && fault == .equalTime) else { return }
        let fixture = try WriterFixture()
        let settings = AudioSettings(codec: .linearPCM)
        let audio = try isRealTime ? fixture.addAudio(settings) : fixture.addPullAudio(settings)
        try fixture.begin()
        func append(_ blocks: Range<Int>) throws {
            for block in blocks {
                #expect(eventually { audio.isReadyForMoreMediaData })
                #expect(try audio.append(WriterFixture.audio(block)))
            }
        }
        try append(0..<30)
        if isRealTime {
            // Repeated audio is cut by the timeline, after it was accepted.
            #expect(try audio.append(audioSample(fault)) == (fault == .earlierTime))
        } else {
            let error = #expect(throws: MediaError.self) { try audio.append(audioSample(fault)) }
            #expect(error?.code == .invalidSample)
        }
        try append(30..<60)
        try await fixture.writer.finishWriting()
        #expect(audio.ledger.written == 96_000 && audio.ledger.isBalanced)
        #expect((audio.ledger[dropped: .corrupt] > 0) == isRealTime)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && abs(probe.format.seconds - 2) < 0.001)
    }

    @Test func append_formatDiffersFromTheHint_namesTheDifference() throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPull(.video, .video(VideoSettings()), hint: Self.nv12)
        let audio = try fixture.addPullAudio()
        try fixture.begin()
        func reason(_ body: () throws -> Void) -> String {
            do { try body() } catch { return (error as? MediaError)?.reason ?? "" }
            return ""
        }
        #expect(reason { _ = try video.append(frame(.noSize)) } == "its size, 0×48, is not between 1 and 32767")
        #expect(reason { _ = try video.append(frame(.otherCodec)) } == "its codec is hevc, but the track's is raw")
        #expect(
            reason { _ = try audio.append(audioSample(.rate)) } == "its sample rate is 44100, but the track's is 48000")
        #expect(
            reason { _ = try audio.append(audioSample(.channels)) } == "its channel count is 1, but the track's is 2")
        #expect(
            reason { _ = try audio.append(audioSample(.bits)) } == "its sample format is s32, but the track's is s16")
        fixture.writer.cancelWriting()
    }

    @Test func append_packetThatCannotBeStored_throws() throws {
        let jpeg = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let configured = FormatDescription.video(
            VideoFormat(codec: .h264, width: 64, height: 48, decoderConfiguration: [1, 2]))
        let other = FormatDescription.video(
            VideoFormat(codec: .h264, width: 64, height: 48, decoderConfiguration: [3]))
        let otherSize = FormatDescription.video(
            VideoFormat(codec: .h264, width: 32, height: 48, decoderConfiguration: [1, 2]))
        func packet(_ format: FormatDescription, isKeyframe: Bool = true) -> SampleBuffer {
            SampleBuffer(
                format: format, content: .data(MediaData([1])), presentationTime: WriterFixture.start,
                isKeyframe: isKeyframe)
        }
        for (hint, sample) in [
            (jpeg, WriterFixture.frame(0)), (jpeg, packet(configured)),
            (configured, packet(other, isKeyframe: false)), (configured, packet(configured, isKeyframe: false)),
            (configured, packet(otherSize)),
        ] {
            let fixture = try WriterFixture()
            let video = try fixture.addPull(.video, nil, hint: hint)
            try fixture.begin()
            #expect(code { _ = try video.append(sample) } == .invalidSample)
            fixture.writer.cancelWriting()
        }
        // A keyframe may begin a new format of the same codec: it is stored with its own description.
        let fixture = try WriterFixture()
        let video = try fixture.addPull(.video, nil, hint: configured)
        try fixture.begin()
        #expect(try video.append(packet(other)))
        fixture.writer.cancelWriting()
    }

    @Test func append_noHint_firstSampleSetsTheFormat() throws {
        let fixture = try WriterFixture()
        let audio = try fixture.addPull(.audio, .audio(AudioSettings(sampleRate: 48_000, channelCount: 2)))
        try fixture.begin()
        #expect(try audio.append(WriterFixture.audio(0)))
        #expect(code { _ = try audio.append(audioSample(.rate)) } == .invalidSample)
        fixture.writer.cancelWriting()
    }

    @Test func pullWriter_sampleCannotBeEncoded_fails() async throws {
        let fixture = try WriterFixture()
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let video = try fixture.addPull(.video, .video(VideoSettings()), hint: format)
        _ = try fixture.addPullAudio()
        try fixture.begin()
        let broken = SampleBuffer(
            format: format, content: .data(MediaData([0xFF, 0xD8, 0xFF, 0xD9])), presentationTime: WriterFixture.start)
        #expect(try video.append(broken))
        #expect(eventually { fixture.writer.status == .failed })
        #expect(video.error != nil && fixture.writer.error == video.error)
        #expect(throws: MediaError.self) { try video.append(broken.at(WriterFixture.time(1))) }
    }

    @Test func pullWriter_frameWithMissingRows_fails() throws {
        for mode in VideoSettings.ScalingMode.allCases {
            for width in [64, 32] {
                let fixture = try WriterFixture()
                var settings = VideoSettings(width: 64, height: 48)
                settings.scalingMode = mode
                let video = try fixture.addPull(.video, .video(settings))
                try fixture.begin()
                let plane = PixelLayout.Plane(offset: 0, bytesPerRow: 16, rows: 48)
                let layout = PixelLayout(format: .nv12, width: width, height: 48, planes: [plane, plane])
                let frame = MutablePixelBuffer(layout: layout).finish()
                #expect(try video.append(SampleBuffer(pixels: frame, presentationTime: WriterFixture.start)))
                #expect(eventually { fixture.writer.status == .failed })
                #expect(fixture.writer.error?.code == .invalidSample)
            }
        }
    }

    @Test func writer_negativeTimes_areAccepted() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        try fixture.writer.startWriting()
        let start = MediaTime(value: -5, timescale: 1)
        try fixture.writer.startSession(atSourceTime: start)
        try await video.feed(.receiver, 90) { number in
            SyntheticMedia.videoSample(
                number, at: start + MediaTime(value: Int64(number) - 30, timescale: 30), width: 64, height: 48)
        }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 60 && abs(probe.format.seconds - 2) < 0.001)
    }

    @Test func writer_gapOfThirtyDays_isKept() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        try fixture.begin()
        let gap = 30 * 86_400.0
        try await video.feed(.receiver, 60) { number in
            SyntheticMedia.videoSample(
                number, at: WriterFixture.time(Double(number) / 30 + (number < 30 ? 0 : gap)), width: 64, height: 48)
        }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path)
        #expect(fixture.writer.status == .completed && probe.video?.nbFrames == "60")
        #expect(abs(probe.format.seconds - gap - 2) < 0.001)
    }
}

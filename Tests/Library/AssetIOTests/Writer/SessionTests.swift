import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Tests that samples inside the session are presented at their times, and samples outside it are not.
@Suite struct SessionTests {
    @Test func session_samplesBeforeTheStart_areNotStored() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        // Both sources began a second before the session.
        try fixture.appendFrames(-30..<60, to: video)
        try fixture.appendTone(-30..<60, to: audio)
        try await fixture.writer.finishWriting()
        #expect(video.ledger.captured == 60 && audio.ledger.captured == 96_000)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.video?.frames == 60 && probe.video?.start == 0 && probe.audio?.start == 0)
        #expect(abs(probe.format.seconds - 2) < 0.001)
    }

    @Test func session_end_cutsBothTracks() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        try fixture.appendFrames(0..<90, to: video)
        try fixture.appendTone(0..<90, to: audio)
        try fixture.writer.endSession(atSourceTime: WriterFixture.time(2))
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path)
        #expect(abs(probe.format.seconds - 2) < 1.0 / 60)
        #expect(abs((probe.video?.seconds ?? 0) - 2) < 0.001 && abs((probe.audio?.seconds ?? 0) - 2) < 0.001)
        // ffmpeg cuts the end at a packet, not at a sample.
        let frames = try Probe.decodedAudio(fixture.path, as: "s16le").count / 4
        #expect((96_000...97_024).contains(frames))
        #expect(try Probe.frameTimes(fixture.path).filter { $0 >= 0 }.count == 60)
    }

    @Test func session_trackBeginsLate_keepsItsTime() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio(AudioSettings(codec: .linearPCM))
        try fixture.begin()
        try fixture.appendFrames(0..<60, to: video)
        try fixture.appendTone(15..<60, to: audio)
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path)
        #expect(abs((probe.audio?.start ?? 0) - 0.5) < 0.001 && probe.video?.start == 0)
        #expect(abs(probe.format.seconds - 2) < 0.001)
    }

    @Test func session_trackWithoutSamples_isLeftOut() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        _ = try fixture.addAudio()
        try fixture.begin()
        try fixture.appendFrames(0..<30, to: video)
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path)
        #expect(probe.streams.count == 1 && probe.complaints == "")
        #expect(
            try Command.run("mediainfo", "--Output=General;%AudioCount%", fixture.path).text.trimmingCharacters(
                in: .whitespacesAndNewlines) == "")
    }

    @Test func session_audioStops_videoContinues() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        // Half a second of audio, then never again.
        try fixture.appendTone(0..<15, to: audio)
        try fixture.appendFrames(0..<300, to: video)
        // All frames except those in the encoder and the last fragment reach the file while the audio is silent.
        #expect(eventually { video.ledger.written >= 240 })
        try await fixture.writer.finishWriting()
        #expect(video.ledger.written == 300 && audio.ledger.written == 24_000)
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.video?.frames == 300 && abs((probe.audio?.seconds ?? 0) - 0.5) < 0.001)
    }

    @Test func session_videoStops_audioContinues() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.begin()
        try fixture.appendFrames(0..<15, to: video)
        try fixture.appendTone(0..<300, to: audio)
        #expect(eventually { audio.ledger.written >= 6 * 48_000 })
        try await fixture.writer.finishWriting()
        #expect(video.ledger.isBalanced && audio.ledger.written == 480_000)
        #expect(abs(try Probe(fixture.path).format.seconds - 10) < 0.001)
    }
}

import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of packets before the session's start: stored as far as decoding needs them, and hidden by an edit.
@Suite struct PassthroughSessionTests {
    /// Three seconds of frames that encode their number, with B-frames and a keyframe every second, in decode order.
    /// Their times begin at zero.
    private static let packets: [SampleBuffer] = {
        let settings = VideoSettings(
            width: 64, height: 48, preset: "medium", keyframeInterval: MediaTime(value: 1, timescale: 1),
            expectedFrameRate: 30)
        var packets: [SampleBuffer] = []
        let encoder = try! H264Encoder(settings: settings, color: .bt601, timeScale: 90_000, isRealTime: false)
        for number in 0..<90 {
            let frame = SyntheticMedia.frame(number, width: 64, height: 48)
            try! encoder.encode(frame, at: MediaTime(value: Int64(number), timescale: 30)) { packets.append($0) }
        }
        try! encoder.finish { packets.append($0) }
        return packets
    }()

    /// The numbers of the keyframes: one a second, and one at each restart of the brightness.
    private static let keyframes = packets.filter(\.isKeyframe).map { Int($0.presentationTime.ticks(in: 30)) }

    /// The number of packets from the keyframe with this number to the end.
    private static func packets(from number: Int) -> Int {
        packets.drop { $0.presentationTime.ticks(in: 30) != Int64(number) }.count
    }

    private func movie(from start: MediaTime, isRealTime: Bool, dropping: Int = 0) async throws -> (
        WriterFixture, AssetWriterInput
    ) {
        let fixture = try WriterFixture()
        let hint = Self.packets[0].format
        let video =
            try isRealTime ? fixture.add(.video, nil, hint: hint) : fixture.addPull(.video, nil, hint: hint)
        try fixture.writer.startWriting()
        try fixture.writer.startSession(atSourceTime: start)
        for packet in Self.packets.dropFirst(dropping) {
            #expect(eventually { video.isReadyForMoreMediaData })
            // A live input refuses the packets that no frame needs.
            _ = try video.append(packet)
        }
        try await fixture.writer.finishWriting()
        return (fixture, video)
    }

    /// The differences between the brightness of a movie's frames and that of the frames with these numbers.
    private func errors(_ fixture: WriterFixture, _ numbers: Range<Int>) throws -> [Int] {
        let found = try Probe.brightness(fixture.path)
        #expect(found.count == numbers.count, "\(found.count) frames")
        return zip(found, numbers).map { abs(Int($0) - Int(SyntheticMedia.luma($1))) }
    }

    @Test(arguments: [false, true]) func session_startsInsideAGOP_presentsThatFrameFirst(isRealTime: Bool)
        async throws
    {
        #expect(Self.packets.contains { ($0.decodeTime ?? $0.presentationTime) < $0.presentationTime })
        let (fixture, video) = try await movie(from: MediaTime(value: 45, timescale: 30), isRealTime: isRealTime)
        #expect(try errors(fixture, 45..<90).allSatisfy { $0 <= 3 })
        let probe = try Probe(fixture.path, decodes: true)
        #expect(probe.complaints == "" && abs(probe.format.seconds - 1.5) < 0.001 && probe.video?.start == 0)
        // Packets from the preceding keyframe on are stored: frames up to 44 are only needed to decode the others.
        let key = try #require(Self.keyframes.last { $0 <= 45 })
        let stored = Self.packets(from: key)
        #expect(key < 45 && stored < 90)
        #expect(video.ledger.written == Int64(stored) && probe.video?.nbFrames == String(stored))
    }

    @Test func session_startsAtAKeyframe_storesNothingBeforeIt() async throws {
        let key = try #require(Self.keyframes.last)
        let start = MediaTime(value: Int64(key), timescale: 30)
        let (fixture, video) = try await movie(from: start, isRealTime: false)
        #expect(try errors(fixture, key..<90).allSatisfy { $0 <= 3 })
        #expect(key > 45 && video.ledger.written == Int64(90 - key))
        #expect(abs(try Probe(fixture.path).format.seconds - Double(90 - key) / 30) < 0.001)
    }

    @Test func passthrough_firstKeyframeMissing_beginsWithTheNext() async throws {
        // The preceding keyframe was never appended; live packets before the next one are counted as dropped.
        let (fixture, video) = try await movie(from: .zero, isRealTime: true, dropping: 35)
        let key = try #require(Self.keyframes.first { $0 > 35 })
        let lost = 55 - Self.packets(from: key)
        #expect(video.ledger.written == Int64(90 - key) && video.ledger[dropped: .corrupt] == Int64(lost))
        #expect(video.ledger.isBalanced)
        #expect(try errors(fixture, key..<90).allSatisfy { $0 <= 3 })
        let pull = try WriterFixture()
        let input = try pull.addPull(.video, nil, hint: Self.packets[0].format)
        try pull.writer.startWriting()
        try pull.writer.startSession(atSourceTime: .zero)
        #expect(code { _ = try input.append(Self.packets[35]) } == .invalidSample)
        pull.writer.cancelWriting()
    }

    @Test func append_pullPacketOutOfDecodeOrder_throws() throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPull(.video, nil, hint: Self.packets[0].format)
        try fixture.writer.startWriting()
        try fixture.writer.startSession(atSourceTime: .zero)
        for packet in Self.packets.prefix(10) { #expect(try video.append(packet)) }
        #expect(code { _ = try video.append(Self.packets[8]) } == .invalidSample)
        #expect(code { _ = try video.append(Self.packets[9]) } == .invalidSample)
        #expect(try video.append(Self.packets[10]))
        fixture.writer.cancelWriting()
    }

    @Test func session_framesBeforeTheStart_areNotStored() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addPullVideo()
        try fixture.begin()
        try await video.feed(.receiver, 60) { WriterFixture.frame($0 - 30) }
        try await fixture.writer.finishWriting()
        let probe = try Probe(fixture.path)
        #expect(video.ledger.captured == 30 && probe.video?.nbFrames == "30")
    }

    @Test func session_startsInsideCompressedAudio_keepsPrecedingPackets() async throws {
        var packets: [SampleBuffer] = []
        let encoder = try AudioEncoders.open(AudioSettings(), input: SyntheticMedia.pcm)
        encoder.setAnchor(.zero)
        guard case .data(let tone) = SyntheticMedia.tone(from: 0, count: 96_000, at: .zero).content else { return }
        try encoder.encode(tone.bytes) { packets.append($0) }
        let fixture = try WriterFixture()
        let audio = try fixture.addPull(.audio, nil, hint: .audio(encoder.format))
        try fixture.writer.startWriting()
        try fixture.writer.startSession(atSourceTime: MediaTime(value: 48_000, timescale: 48_000))
        for packet in packets {
            #expect(eventually { audio.isReadyForMoreMediaData })
            #expect(try audio.append(packet))
        }
        try await fixture.writer.finishWriting()
        // The packet that spans the start, and two before it.
        let inside = packets.filter { $0.presentationTime >= MediaTime(value: 1, timescale: 1) }.count
        let probe = try Probe(fixture.path)
        #expect(probe.complaints == "" && probe.audio?.nbFrames == String(inside + 3))
        let decoded = try Probe.decodedAudio(fixture.path, as: "f32le").withUnsafeBytes {
            Array($0.bindMemory(to: Float.self))
        }
        // The tone starts with the first sample; its amplitude is 8000 of 32768.
        let loudest = decoded.prefix(480).map(abs).max() ?? 0
        #expect(abs(loudest - 8000.0 / 32_768) < 0.02)
    }
}

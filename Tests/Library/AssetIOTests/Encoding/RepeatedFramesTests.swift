import MediaCodecs
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Frames that are left out because they repeat the one before: the decision, and what an encoder makes of it.
@Suite struct RepeatedFramesTests {
    private static func time(_ frame: Int) -> MediaTime { MediaTime(value: Int64(frame), timescale: 25) }

    @Test func decision_repeatedFrame_isLeftOutUntilAKeyframeIsDue() {
        var rule = RepeatedFrames(keyframeInterval: MediaTime(value: 1, timescale: 1))
        var encoded: [Int] = []
        for frame in 0..<60 {
            // The content changes at the frames 10 and 40.
            switch rule.decide(at: Self.time(frame), asKeyframe: frame == 33, repeats: { frame != 10 && frame != 40 }) {
            case .leaveOut: break
            case .encode(let asKeyframe):
                encoded.append(asKeyframe ? -frame : frame)
                if asKeyframe { rule.recordKeyframe(at: Self.time(frame)) }
            }
        }
        // Keyframes are negative: the first, after a second, as requested, and a second after that.
        #expect(encoded == [0, 10, -25, -33, 40, -58])
    }

    @Test func decision_keyframeOfTheEncoder_delaysTheNext() {
        var rule = RepeatedFrames(keyframeInterval: MediaTime(value: 1, timescale: 1))
        rule.recordKeyframe(at: Self.time(0))
        rule.recordKeyframe(at: Self.time(20))
        #expect(rule.decide(at: Self.time(25), asKeyframe: false, repeats: { true }) == .leaveOut)
        #expect(rule.decide(at: Self.time(44), asKeyframe: false, repeats: { false }) == .encode(asKeyframe: false))
        #expect(rule.decide(at: Self.time(45), asKeyframe: false, repeats: { true }) == .encode(asKeyframe: true))
    }

    @Test func decision_longKeyframeInterval_stillHasAFrameEachTenSeconds() {
        var rule = RepeatedFrames(keyframeInterval: MediaTime(value: 3600, timescale: 1))
        rule.recordKeyframe(at: .zero)
        #expect(rule.decide(at: Self.time(249), asKeyframe: false, repeats: { true }) == .leaveOut)
        #expect(rule.decide(at: Self.time(250), asKeyframe: false, repeats: { true }) == .encode(asKeyframe: true))
    }

    @Test func decision_frameThatMustBeEncoded_isNotCompared() {
        let rule = RepeatedFrames(keyframeInterval: MediaTime(value: 1, timescale: 1))
        var compared = 0
        _ = rule.decide(at: .zero, asKeyframe: false) {
            compared += 1
            return true
        }
        #expect(compared == 0)
    }

    // MARK: The encoder

    /// A sink that keeps the times of packets and of frames without one, and confirms packets as a recorder does.
    private final class Sink: PacketSink {
        struct Packet: Sendable, Equatable {
            var frame: Int64
            var isKeyframe: Bool
        }

        private let encoder = Locked<LiveEncoder?>(nil)
        private let state = Locked<(packets: [Packet], continued: [Int64])>(([], []))

        func start(_ encoder: LiveEncoder) throws {
            self.encoder.withLock { $0 = encoder }
            try encoder.start(at: .zero)
        }

        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
            let one = Packet(frame: packet.presentationTime.ticks(in: 25), isKeyframe: packet.isKeyframe)
            state.withLock { $0.packets.append(one) }
            encoder.withLock { $0 }?.recordHandedOn(count)
        }

        func continues(at time: MediaTime) { state.withLock { $0.continued.append(time.ticks(in: 25)) } }
        func end(at end: MediaTime?) { encoder.withLock { $0 = nil } }

        var packets: [Packet] { state.withLock { $0.packets } }
        var continued: [Int64] { state.withLock { $0.continued } }
    }

    /// Encodes frames at 25 fps, whose content is `content`, and requests a keyframe at some of them.
    private func encode(
        _ count: Int, format: PixelFormat = .nv12, mayLeaveOut: (@Sendable () -> Bool)?, keyframes: [Int] = [],
        before: (Int) -> Void = { _ in }, content: (Int) -> Int
    ) throws -> (sink: Sink, ledger: Ledger) {
        var settings = VideoSettings(
            width: 64, height: 48, preset: "ultrafast", keyframeInterval: MediaTime(value: 1, timescale: 1),
            expectedFrameRate: 25)
        (settings.maximumBFrames, settings.lookAhead) = (0, 0)
        let source = SyntheticMedia.frame(0, width: 64, height: 48, format: format)
        let sink = Sink()
        let encoder = try LiveEncoder(
            .video, settings: .video(settings), format: .video(source.videoFormat), sink: sink, isLowLatency: true,
            mayLeaveOutRepeats: mayLeaveOut)
        try sink.start(encoder)
        for frame in keyframes { encoder.requestAnotherKeyframe(at: Self.time(frame)) }
        for number in 0..<count {
            before(number)
            encoder.append(
                SampleBuffer(
                    pixels: SyntheticMedia.frame(content(number), width: 64, height: 48, format: format),
                    presentationTime: Self.time(number)))
            #expect(eventually { sink.packets.count + sink.continued.count == number + 1 })
        }
        encoder.markAsFinished()
        encoder.join()
        return (sink, encoder.ledger)
    }

    @Test(arguments: [PixelFormat.nv12, .yuyv, .i420])
    func encoder_stillSlides_encodesChangesAndKeyframes(format: PixelFormat) throws {
        let (sink, ledger) = try encode(
            100, format: format, mayLeaveOut: { true }, keyframes: [60], content: { $0 / 40 })
        let frames = sink.packets.map(\.frame)
        // The slides begin at 0, 40 and 80. x264 may make a change of scene a keyframe, which delays the next one.
        #expect(frames.first == 0 && [0, 40, 60, 80].allSatisfy { frames.contains($0) })
        #expect(sink.packets.first { $0.frame == 60 }?.isKeyframe == true)
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 <= 25 })
        let keys = sink.packets.filter(\.isKeyframe).map(\.frame)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 <= 25 })
        #expect(frames.count <= 9)
        #expect((frames + sink.continued).sorted() == Array(0..<100))
        #expect(ledger.captured == 100 && ledger.written == Int64(frames.count))
        #expect(ledger[dropped: .repeated] == Int64(sink.continued.count))
        #expect(ledger.droppedInAll == 0 && ledger.pending == 0)
    }

    @Test func encoder_notAsked_encodesEveryFrame() throws {
        let policies: [(@Sendable () -> Bool)?] = [nil, { false }]
        for mayLeaveOut in policies {
            let (sink, ledger) = try encode(60, mayLeaveOut: mayLeaveOut) { _ in 1 }
            #expect(sink.packets.map(\.frame) == Array(0..<60) && sink.continued.isEmpty)
            #expect(ledger.written == 60 && ledger[dropped: .repeated] == 0)
        }
    }

    @Test func encoder_mayLeaveOutLater_beginsWithTheFrameAfter() throws {
        let mayLeaveOut = Locked(false)
        let (sink, _) = try encode(
            20, mayLeaveOut: { mayLeaveOut.withLock { $0 } },
            before: { number in mayLeaveOut.withLock { $0 = (10..<15).contains(number) } }, content: { _ in 1 })
        // The first frame of each part is encoded: nothing was kept to compare it with, or it may not be left out.
        #expect(sink.packets.map(\.frame) == Array(0...10) + Array(15..<20))
        #expect(sink.continued == Array(11..<15))
    }

    @Test func encoder_changingFrames_encodesEachOnce() throws {
        let (sink, ledger) = try encode(60, mayLeaveOut: { true }, content: { $0 })
        #expect(sink.packets.map(\.frame) == Array(0..<60) && ledger.written == 60)
        // The rule and x264 agree about the keyframes: none follows another directly.
        let keys = sink.packets.filter(\.isKeyframe).map(\.frame)
        #expect(keys.first == 0 && zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 > 1 && $1 - $0 <= 25 })
    }
}

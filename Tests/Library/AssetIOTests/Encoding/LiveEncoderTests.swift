import Glibc
import MediaCodecs
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the admission of a live encoder that is stalled.
@Suite struct LiveEncoderTests {
    /// A sink that passes packets to a handler, and confirms them as a recorder does.
    private final class Sink: PacketSink {
        private let handler: @Sendable (SampleBuffer) -> Void
        private let encoder = Locked<LiveEncoder?>(nil)
        private let endings = Locked<[MediaError?]>([])

        init(_ handler: @escaping @Sendable (SampleBuffer) -> Void = { _ in }) { self.handler = handler }

        func start(_ encoder: LiveEncoder, after preparation: (@Sendable () -> Void)? = nil) throws {
            self.encoder.withLock { $0 = encoder }
            try encoder.start(at: .zero, after: preparation)
        }

        func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
            handler(packet)
            encoder.withLock { $0 }?.recordHandedOn(count)
        }

        func end(at end: MediaTime?) {
            let error = encoder.withLock { encoder -> MediaError? in
                defer { encoder = nil }
                return encoder?.error
            }
            endings.withLock { $0.append(error) }
        }

        /// The errors of all ends; nil for an end without an error.
        var ends: [MediaError?] { endings.withLock { $0 } }
    }

    /// Returns how many frames are accepted during the stall, and how many are written in all.
    private func taken(_ layout: PixelFormat, bytes: Int) throws -> (taken: Int, written: Int64) {
        let frame = SyntheticMedia.frame(1, width: 64, height: 48, format: layout)
        let isFree = Locked(false)
        let isHeld = Locked(false)
        let sink = Sink { _ in
            isHeld.withLock { $0 = true }
            _ = isFree.waiting { $0 ? true : nil }
        }
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(width: 64, height: 48, preset: "ultrafast", expectedFrameRate: 30)),
            format: .video(frame.videoFormat), sink: sink,
            budget: RealTimeBudget(duration: MediaTime(value: 60, timescale: 1), bytes: bytes))
        try sink.start(encoder)
        var taken = 0
        func append(_ number: Int) -> Bool {
            encoder.append(
                SampleBuffer(pixels: frame, presentationTime: MediaTime(value: Int64(number), timescale: 30)))
        }
        // Frames until the encoder stalls.
        while !isHeld.withLock({ $0 }) {
            if append(taken) { taken += 1 }
            #expect(eventually { encoder.queueDepth == 0 || isHeld.withLock { $0 } })
        }
        #expect(eventually { isHeld.withLock { $0 } })
        let before = taken
        while append(taken) { taken += 1 }
        let waiting = taken - before
        isFree.withLock { $0 = true }
        isFree.broadcast()
        encoder.markAsFinished()
        encoder.join()
        #expect(encoder.ledger.written == Int64(taken))
        return (waiting, encoder.ledger.written)
    }

    @Test(arguments: [PixelFormat.yuyv, .uyvy, .i422, .bgra]) func liveEncoder_largerLayout_queuesAsManyFrames(
        layout: PixelFormat
    ) throws {
        let bytes = PixelLayout(format: .nv12, width: 64, height: 48, alignment: 64).byteCount * 20
        // The first frame that waits keeps its layout.
        let small = try taken(.nv12, bytes: bytes).taken
        #expect(try taken(layout, bytes: bytes).taken >= small - 3)
    }

    /// A camera reconnects and sends packets of its own, while the encoder of its earlier frames still works.
    @Test func liveEncoder_packetsAfterAnEncoder_waitWithoutBlockingTheDevice() throws {
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let isFree = Locked(false)
        let times = Locked<[Int64]>([])
        let sink = Sink { packet in times.withLock { $0.append(packet.presentationTime.value) } }
        let encoder = try LiveEncoder(.video, settings: nil, format: format, sink: sink)
        try sink.start(encoder, after: { _ = isFree.waiting { $0 ? true : nil } })
        func append(_ number: Int64) -> Bool {
            encoder.append(
                SampleBuffer(
                    format: format, content: .data(MediaData([0xFF, 0xD8, 0xFF, 0xD9])),
                    presentationTime: MediaTime(value: number, timescale: 30)))
        }
        // These appends would never return if they waited.
        #expect((0..<5).allSatisfy { append($0) } && times.withLock { $0.isEmpty } && encoder.queueDepth == 5)
        isFree.withLock { $0 = true }
        isFree.broadcast()
        #expect(eventually { times.withLock { $0.count } == 5 })
        #expect((5..<10).allSatisfy { append($0) })
        encoder.markAsFinished()
        encoder.join()
        #expect(times.withLock { $0 } == Array(0..<10) && encoder.ledger.written == 10 && encoder.ledger.isBalanced)
        #expect(sink.ends == [nil])
    }

    @Test func liveEncoder_packets_areDeliveredOnTheAppendingThread() throws {
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let sample = SampleBuffer(
            format: format, content: .data(MediaData([0xFF, 0xD8, 0xFF, 0xD9])), presentationTime: .zero)
        let threads = try threads(nil, format, sample)
        #expect(threads == [UInt(pthread_self())])
    }

    @Test func liveEncoder_frames_areEncodedOnAnotherThread() throws {
        let frame = SyntheticMedia.frame(1, width: 64, height: 48, format: .nv12)
        let threads = try threads(
            .video(VideoSettings(preset: "ultrafast")), .video(frame.videoFormat),
            SampleBuffer(pixels: frame, presentationTime: .zero))
        #expect(threads.count == 1 && !threads.contains(UInt(pthread_self())))
    }

    /// Returns the threads that deliver the packet of one sample.
    private func threads(
        _ settings: OutputSettings?, _ format: FormatDescription, _ sample: SampleBuffer
    ) throws -> Set<UInt> {
        let threads = Locked<Set<UInt>>([])
        let sink = Sink { _ in threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
        let encoder = try LiveEncoder(.video, settings: settings, format: format, sink: sink)
        try sink.start(encoder)
        let isAccepted = encoder.append(sample)
        #expect(isAccepted)
        encoder.markAsFinished()
        encoder.join()
        #expect(encoder.ledger.written == 1 && sink.ends == [nil])
        return threads.withLock { $0 }
    }

    @Test func liveEncoder_otherSizeOrMissingRows_scalesOrCountsAsCorrupt() throws {
        let format = SyntheticMedia.frame(1, width: 64, height: 48, format: .yuyv).videoFormat
        let sink = Sink()
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(preset: "ultrafast")), format: .video(format), sink: sink)
        try sink.start(encoder)
        let short = PixelLayout(
            format: .yuyv, width: 64, height: 48, planes: [.init(offset: 0, bytesPerRow: 64, rows: 48)])
        for number in 0..<20 {
            let frame =
                number < 10
                ? SyntheticMedia.frame(number, width: 32, height: 48, format: .yuyv)
                : MutablePixelBuffer(layout: short).finish()
            encoder.append(
                SampleBuffer(pixels: frame, presentationTime: MediaTime(value: Int64(number), timescale: 30)))
        }
        encoder.markAsFinished()
        encoder.join()
        #expect(encoder.ledger.written == 10 && encoder.ledger[dropped: .corrupt] == 10)
    }

    /// - Parameters:
    ///   - damaged: true for each frame that is damaged.
    ///   - count: the number of damaged frames since the last intact one.
    @Test(arguments: [([true, true, false], nil), ([false, true, true, true], 3)] as [([Bool], Int64?)])
    func liveEncoder_damagedFrames_areReportedUntilAnIntactOne(damaged: [Bool], count: Int64?) throws {
        let format = SyntheticMedia.frame(1, width: 64, height: 48, format: .yuyv).videoFormat
        let sink = Sink()
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(preset: "ultrafast")), format: .video(format), sink: sink)
        try sink.start(encoder)
        let short = PixelLayout(
            format: .yuyv, width: 64, height: 48, planes: [.init(offset: 0, bytesPerRow: 64, rows: 48)])
        for (number, isDamaged) in damaged.enumerated() {
            let frame =
                isDamaged
                ? MutablePixelBuffer(layout: short).finish()
                : SyntheticMedia.frame(number, width: 64, height: 48, format: .yuyv)
            encoder.append(
                SampleBuffer(pixels: frame, presentationTime: MediaTime(value: Int64(number), timescale: 30)))
        }
        encoder.markAsFinished()
        encoder.join()
        let damage = encoder.facts.damage
        #expect(damage?.count == count)
        #expect(damage.map { $0.error.code == .invalidSample } ?? true)
    }

    /// An encoder that holds a frame back and loses every fifth one, the last one too.
    private final class LossyEncoder: VideoEncoder {
        let format = VideoFormat(codec: .h264, width: 64, height: 48, decoderConfiguration: [1])
        let timeScale: Int32
        let input = EncoderInput(bitDepth: 8)
        let threadCount = 0
        let efforts = [EncoderEffort.full]
        private(set) var lostFrames: Int64 = 0
        var latestFault: MediaError? {
            lostFrames == 0 ? nil : MediaError(.codecFailure, "cannot encode", reason: "loss \(lostFrames)")
        }
        let copyReason: MediaError? = MediaError(.unsupported, "cannot import", reason: "other rows")
        private var held: MediaTime?
        private var count = 0

        init(timeScale: Int32) { self.timeScale = timeScale }

        func encode(
            _ pixels: PixelBuffer, at time: MediaTime, asKeyframe isKeyframe: Bool, output: (SampleBuffer) -> Void
        ) throws(MediaError) {
            release(output)
            held = time
        }

        func finish(output: (SampleBuffer) -> Void) throws(MediaError) { release(output) }

        func ease(to effort: EncoderEffort) -> Bool { false }

        private func release(_ output: (SampleBuffer) -> Void) {
            guard let time = held else { return }
            held = nil
            count += 1
            guard count % 5 != 0 else {
                lostFrames += 1
                return
            }
            output(
                SampleBuffer(
                    format: .video(format), content: .data(MediaData([1])), presentationTime: time, decodeTime: time))
        }
    }

    @Test func liveEncoder_encoderThatLosesFrames_countsThem() throws {
        let frame = SyntheticMedia.frame(1, width: 64, height: 48, format: .nv12)
        let sink = Sink()
        let opened = Locked<[VideoSettings]>([])
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(rateControl: .bitRate(1_000_000))),
            format: .video(frame.videoFormat), sink: sink,
            opening: { settings, _, timeScale throws(MediaError) in
                opened.withLock { $0.append(settings) }
                return LossyEncoder(timeScale: timeScale)
            })
        try sink.start(encoder)
        for number in 0..<20 {
            let isAccepted = encoder.append(
                SampleBuffer(pixels: frame, presentationTime: MediaTime(value: Int64(number), timescale: 30)))
            #expect(isAccepted)
        }
        encoder.markAsFinished()
        encoder.join()
        #expect(opened.withLock { $0.map(\.width) } == [64] && encoder.format?.video?.decoderConfiguration == [1])
        #expect(encoder.ledger.written == 16 && encoder.ledger[dropped: .encoder] == 4)
        #expect(encoder.ledger.isBalanced && sink.ends == [nil])
        #expect(encoder.facts.fault?.reason == "loss 4" && encoder.facts.lost == 4)
        #expect(encoder.facts.copyReason?.reason == "other rows")
    }
}

import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the admission of a live encoder that is stalled.
@Suite struct LiveEncoderTests {
    /// Returns how many frames are accepted during the stall, and how many are written in all.
    private func taken(_ layout: PixelFormat, bytes: Int) throws -> (taken: Int, written: Int64) {
        let frame = SyntheticMedia.frame(1, width: 64, height: 48, format: layout)
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(width: 64, height: 48, preset: "ultrafast", expectedFrameRate: 30)),
            format: .video(frame.videoFormat),
            budget: RealTimeBudget(duration: MediaTime(value: 60, timescale: 1), bytes: bytes))
        let isFree = Locked(false)
        let isHeld = Locked(false)
        try encoder.start(at: .zero) { _ in
            isHeld.withLock { $0 = true }
            _ = isFree.waiting { $0 ? true : nil }
        }
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
        let encoder = try LiveEncoder(.video, settings: nil, format: format)
        let isFree = Locked(false)
        let times = Locked<[Int64]>([])
        try encoder.start(
            at: .zero,
            after: { _ = isFree.waiting { $0 ? true : nil } },
            receiver: { event in
                guard case .packet(let packet) = event else { return }
                times.withLock { $0.append(packet.presentationTime.value) }
            })
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
    }

    @Test func liveEncoder_packets_areDeliveredOnTheAppendingThread() throws {
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 48))
        let sample = SampleBuffer(
            format: format, content: .data(MediaData([0xFF, 0xD8, 0xFF, 0xD9])), presentationTime: .zero)
        let encoder = try LiveEncoder(.video, settings: nil, format: format)
        #expect(try threads(encoder, sample) == [UInt(pthread_self())])
    }

    @Test func liveEncoder_frames_areEncodedOnAnotherThread() throws {
        let frame = SyntheticMedia.frame(1, width: 64, height: 48, format: .nv12)
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(preset: "ultrafast")), format: .video(frame.videoFormat))
        let threads = try threads(encoder, SampleBuffer(pixels: frame, presentationTime: .zero))
        #expect(threads.count == 1 && !threads.contains(UInt(pthread_self())))
    }

    /// Returns the threads that deliver the packet of one sample.
    private func threads(_ encoder: LiveEncoder, _ sample: SampleBuffer) throws -> Set<UInt> {
        let threads = Locked<Set<UInt>>([])
        try encoder.start(at: .zero) { event in
            if case .packet = event { threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
        }
        let isAccepted = encoder.append(sample)
        #expect(isAccepted)
        encoder.markAsFinished()
        encoder.join()
        #expect(encoder.ledger.written == 1)
        return threads.withLock { $0 }
    }

    @Test func liveEncoder_otherSizeOrMissingRows_scalesOrCountsAsCorrupt() throws {
        let format = SyntheticMedia.frame(1, width: 64, height: 48, format: .yuyv).videoFormat
        let encoder = try LiveEncoder(
            .video, settings: .video(VideoSettings(preset: "ultrafast")), format: .video(format))
        try encoder.start(at: .zero) { _ in }
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
}

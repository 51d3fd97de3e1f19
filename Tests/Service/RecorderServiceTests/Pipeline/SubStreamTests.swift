import FakeDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The life of the sub-stream's encoder, on fake encoders.
@Suite(.timeLimit(.minutes(10))) struct SubStreamTests {
    private final class Bench: Sendable {
        let encoders = FakeEncoders()
        let clock = ManualClock(nanoseconds: 1_000_000_000)
        let errors = Locked<[MediaError]>([])
        let stream: SubStream

        init() {
            let (encoders, errors) = (encoders, errors)
            stream = SubStream(
                SubstreamSettings(FrameSize(320, 180), frameRate: FrameRate(5)), clock: clock,
                make: { format, sink throws(MediaError) in try encoders.make(format, sink) },
                report: { error in errors.withLock { $0.append(error) } })
        }

        var made: [FakeEncoder] { encoders.made(.video) }

        func watch() throws(MediaError) -> LiveWatch { try stream.watch(limit: 1 << 20) { _ in nil }.watch }

        func offer(_ times: some Sequence<Int>, width: Int = 64) {
            for time in times {
                let layout = PixelLayout(format: .nv12, width: width, height: 32)
                let pixels = PixelBuffer(
                    layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
                stream.offer(SampleBuffer(pixels: pixels, presentationTime: milliseconds(time)))
            }
        }

        /// Offers the frame that opens the encoder.
        func open(at time: Int, width: Int = 64) async throws {
            offer([time], width: width)
            try await waitUntil { self.stream.figures.isEncoding }
        }
    }

    private func times(_ watch: LiveWatch) async throws -> [Int64] {
        try #require(await watch.watcher.next()).map { $0.presentationTime.ticks(in: 1000) }
    }

    @Test func offer_withoutViewers_opensNoEncoder() {
        let bench = Bench()
        bench.offer(stride(from: 0, to: 10_000, by: 40))
        #expect(bench.made.isEmpty && bench.stream.figures == SubStream.Figures())
    }

    @Test func viewer_first_getsAKeyframeOfTheNextFrame() async throws {
        let bench = Bench()
        let watch = try bench.watch()
        try await bench.open(at: 1000)
        bench.offer([1040])
        let packet = try #require(await watch.watcher.next()?.first)
        #expect(packet.isKeyframe && packet.presentationTime == milliseconds(1040))
        #expect(bench.stream.figures.viewers == 1)
    }

    @Test func viewer_second_getsAKeyframeOfTheNextFrame() async throws {
        let bench = Bench()
        let first = try bench.watch()
        try await bench.open(at: 1000)
        bench.offer(stride(from: 1040, through: 1640, by: 40))
        let second = try bench.watch()
        bench.offer([1680])
        #expect(try await times(second) == [1680])
        #expect(try await times(first) == [1040, 1240, 1440, 1640, 1680])
        #expect(bench.made.count == 1)
    }

    @Test func frames_ofAFasterCamera_areReducedToTheRate() async throws {
        let bench = Bench()
        let watch = try bench.watch()
        try await bench.open(at: 1000)
        bench.offer(stride(from: 1040, through: 2040, by: 40))
        #expect(try await times(watch) == [1040, 1240, 1440, 1640, 1840, 2040])
        #expect(bench.stream.figures.dropped == 0)
    }

    @Test func encoder_twoFramesWait_dropsTheNextAndCountsIt() async throws {
        let bench = Bench()
        let watch = try bench.watch()
        try await bench.open(at: 1000)
        bench.offer([1040])
        bench.made[0].wait(2)
        bench.offer([1240, 1440])
        bench.made[0].wait(1)
        bench.offer([1640])
        #expect(try await times(watch) == [1040, 1640])
        #expect(bench.stream.figures.dropped == 2)
    }

    @Test func lastViewer_leaves_encoderEndsAfterSeconds() async throws {
        let bench = Bench()
        do {
            let watch = try bench.watch()
            try await bench.open(at: 1000)
            bench.stream.tick(at: 0)
            withExtendedLifetime(watch) {}
        }
        #expect(bench.stream.figures.viewers == 0)
        bench.stream.tick(at: 1_000_000_000)
        bench.stream.tick(at: SubStream.linger)
        #expect(!bench.made[0].isOver)
        // A page that is reloaded finds the encoder open.
        do {
            let watch = try bench.watch()
            bench.stream.tick(at: 2 * SubStream.linger)
            withExtendedLifetime(watch) {}
        }
        bench.stream.tick(at: 3 * SubStream.linger)
        #expect(!bench.made[0].isOver)
        bench.stream.tick(at: 4 * SubStream.linger)
        #expect(bench.made[0].isOver && !bench.stream.figures.isEncoding)
    }

    @Test func viewer_afterTheEncoderEnded_getsAnother() async throws {
        let bench = Bench()
        do {
            let watch = try bench.watch()
            try await bench.open(at: 1000)
            withExtendedLifetime(watch) {}
        }
        bench.stream.tick(at: 0)
        bench.stream.tick(at: SubStream.linger)
        let watch = try bench.watch()
        try await bench.open(at: 9000)
        bench.offer([9040])
        #expect(try await times(watch) == [9040])
        #expect(bench.made.count == 2)
    }

    @Test func camera_anotherFormat_getsAnotherEncoder() async throws {
        let bench = Bench()
        let watch = try bench.watch()
        try await bench.open(at: 1000)
        bench.offer([1040])
        bench.offer([1240], width: 128)
        try await waitUntil { bench.made.count == 2 && bench.stream.figures.isEncoding }
        #expect(bench.made[0].isOver)
        bench.offer([1440], width: 128)
        let packets = try #require(await watch.watcher.next())
        #expect(packets.map { $0.format.video?.width } == [64, 128])
        #expect(packets.allSatisfy { $0.isKeyframe })
    }

    @Test func encoder_cannotOpen_isReportedAndTriedAgainLater() async throws {
        let bench = Bench()
        bench.encoders.refuse(MediaError(.codecFailure, "cannot open", reason: "no memory"))
        let watch = try bench.watch()
        bench.offer([1000])
        try await waitUntil { bench.errors.withLock { $0.count } == 1 }
        #expect(await watch.watcher.next() == nil)
        let error = #expect(throws: MediaError.self) { try bench.watch() }
        #expect(error?.reason == "no memory")
        bench.encoders.refuse(nil)
        bench.clock.advance(by: SubStream.patience)
        let again = try bench.watch()
        try await bench.open(at: 20_000)
        bench.offer([20_040])
        #expect(try await times(again) == [20_040])
    }

    @Test func encoder_fails_endsTheViewersAndReports() async throws {
        let bench = Bench()
        let watch = try bench.watch()
        try await bench.open(at: 1000)
        bench.made[0].end(MediaError(.codecFailure, "cannot encode", reason: "broken"))
        #expect(await watch.watcher.next() == nil)
        #expect(bench.errors.withLock { $0.map(\.reason) } == ["broken"])
        #expect(!bench.stream.figures.isEncoding)
    }

    @Test func finish_whileAnEncoderIsOpened_endsIt() async throws {
        let bench = Bench()
        let watch = try bench.watch()
        bench.encoders.hold(true)
        bench.offer([1000])
        bench.stream.finish()
        #expect(await watch.watcher.next() == nil)
        bench.encoders.hold(false)
        try await waitUntil { bench.made.first?.isOver == true }
        bench.offer([1040])
        #expect(bench.made.count == 1 && bench.errors.withLock { $0.isEmpty })
    }
}

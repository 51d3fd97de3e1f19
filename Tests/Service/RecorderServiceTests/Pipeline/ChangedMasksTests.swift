import FakeDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A change of masks while a frame with the former ones is between the stage and the pipeline.
struct ChangedMasksTests {
    private final class Bench: Sendable {
        let tracks: LiveTrackBench
        let clock = ManualClock(nanoseconds: 2_000_000_000)
        let encoders = FakeEncoders()
        let pipeline: LivePipeline

        init() throws {
            tracks = try LiveTrackBench(starts: false)
            let encoders = encoders
            let subStream = SubStream(
                SubstreamSettings(FrameSize(320, 180), frameRate: FrameRate(25)), clock: clock,
                make: { format, sink throws(MediaError) in try encoders.make(format, sink) }, report: { _ in })
            pipeline = LivePipeline(
                dispatcher: tracks.dispatcher, video: tracks.track, audio: nil, audioFormat: nil,
                frameDuration: milliseconds(40), subStream: subStream, keepsGoing: true, clock: clock,
                notify: { _ in })
        }

        func frames(_ times: Int...) { for time in times { pipeline.handleFrame(ChangedMasksTests.frame(time)) } }
    }

    fileprivate static func frame(_ time: Int) -> SampleBuffer {
        let layout = PixelLayout(format: .nv12, width: 64, height: 32)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        return SampleBuffer(pixels: pixels, presentationTime: milliseconds(time))
    }

    private func times(_ watch: LiveWatch) async throws -> [Int64] {
        try #require(await watch.watcher.next()).map { $0.presentationTime.ticks(in: 1000) }
    }

    @Test func stage_change_returnsTheLastFrameThatMayHaveTheFormerSettings() {
        let stage = CameraStage(FrameStageSettings())
        var settings = FrameStageSettings()
        settings.maskStyle = .color(red: 255, green: 255, blue: 255)
        #expect(stage.change(to: settings) == nil)
        for time in [1000, 1040] { _ = stage.apply(.sample(Self.frame(time))) }
        #expect(stage.change(to: FrameStageSettings()) == milliseconds(1040))
    }

    @Test func snapshot_formerFrameOnItsWay_getsTheNextFrame() throws {
        let bench = try Bench()
        bench.frames(1000, 1040)
        bench.pipeline.masksChanged(after: milliseconds(1080))
        let taken = Locked<[MediaTime]>([])
        bench.pipeline.nextFrame { frame in taken.withLock { $0.append(frame.presentationTime) } }
        bench.frames(1080)
        #expect(taken.withLock { $0 } == [])
        bench.frames(1120)
        #expect(taken.withLock { $0 } == [milliseconds(1120)])
    }

    @Test func snapshot_formerFrameOfALaterTimeThanNow_getsTheNextFrame() throws {
        let bench = try Bench()
        bench.pipeline.masksChanged(after: milliseconds(2050))
        let taken = Locked<[MediaTime]>([])
        bench.pipeline.nextFrame { frame in taken.withLock { $0.append(frame.presentationTime) } }
        bench.frames(2050, 2090)
        #expect(taken.withLock { $0 } == [milliseconds(2090)])
    }

    @Test func snapshot_frameBehindTheClock_isTakenAtOnce() throws {
        let bench = try Bench()
        bench.frames(1000)
        bench.pipeline.masksChanged(after: milliseconds(1000))
        let taken = Locked<[MediaTime]>([])
        bench.pipeline.nextFrame { frame in taken.withLock { $0.append(frame.presentationTime) } }
        // Captured before the change, and masked after it.
        bench.frames(1040)
        #expect(taken.withLock { $0 } == [milliseconds(1040)])
    }

    @Test func record_formerFrameOfALaterTimeThanNow_beginsAfterIt() throws {
        let bench = try Bench()
        bench.tracks.dispatcher.endNow()
        bench.frames(1920, 1960, 2000)
        bench.pipeline.masksChanged(after: milliseconds(2050))
        bench.clock.advance(by: 60_000_000)
        bench.pipeline.begin(duration: nil, preRoll: nil, limits: .none, accounts: TrackAccounts())
        bench.frames(2050, 2090, 2130)
        let file = try #require(bench.tracks.files.all.last)
        #expect(file.times(.video) == [2090, 2130])
    }

    @Test func substream_formerFrameOnItsWay_isLeftOut() async throws {
        let bench = try Bench()
        let subStream = try #require(bench.pipeline.subStream)
        let first = try subStream.watch(limit: 1 << 20) { _ in nil }.watch
        bench.frames(1000)
        try await waitUntil { subStream.figures.isEncoding }
        bench.frames(1040)
        bench.pipeline.masksChanged(after: milliseconds(1080))
        let second = try subStream.watch(limit: 1 << 20) { _ in nil }.watch
        bench.clock.advance(by: 40_000_000)
        bench.frames(1080, 2000, 2040)
        #expect(try await times(first) == [1040, 2000, 2040])
        #expect(try await times(second) == [2000, 2040])
    }

    @Test func watch_formerKeyframeStillInTheEncoder_beginsAtTheNextOne() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.track.masksChanged(at: milliseconds(120))
        let watch = bench.dispatcher.watch(limit: 1 << 20) { _ in nil }.watch
        let encoder = try #require(bench.encoders.made(.video).first)
        encoder.requestKeyframe(at: milliseconds(80))
        encoder.give(at: milliseconds(80))
        encoder.requestKeyframe(at: milliseconds(120))
        bench.frames([120, 160])
        #expect(try await times(watch) == [120, 160])
    }

    @Test func watch_masksChangeBeforeAWakingEncoderBegins_beginsAtAKeyframeOfTheChange() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.dispatcher.endNow()
        bench.track.rest()
        try await waitUntil { bench.track.isPrepared }
        bench.frames([1000, 1040])
        bench.track.wake()
        bench.track.masksChanged(at: milliseconds(1080))
        let watch = bench.dispatcher.watch(limit: 1 << 20) { _ in nil }.watch
        bench.frames([1080, 1120])
        #expect(try await times(watch) == [1080, 1120])
    }
}

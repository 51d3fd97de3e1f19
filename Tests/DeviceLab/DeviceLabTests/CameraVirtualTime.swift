import MediaTypes
import RealTime
import Testing

@testable import Capture

/// The kernel's vivid camera, in virtual time: no frame is ever late.
@Suite(.serialized) struct CameraVirtualTime {
    static let path = "/dev/video0"

    /// Opens vivid, by default small and at 30 fps.
    static func camera(
        _ size: FrameSize = FrameSize(640, 360), rate: FrameRate = FrameRate(30), _ format: CameraPixelFormat = .yuyv,
        controls: [(name: String, value: Int64)] = []
    ) throws -> V4L2Camera {
        try V4L2Camera(
            device: path, request: CameraRequest(size: size, frameRate: rate, pixelFormat: format), controls: controls)
    }

    /// Changes a control of vivid while it streams, as another program would.
    static func turn(_ control: String, _ value: Int64 = 1) throws {
        try V4L2Controls(device: V4L2Device(path: path)).set([(control, value)])
    }

    @Test(arguments: [CameraPixelFormat.nv12, .i420, .yuyv, .uyvy])
    func camera_everyPixelFormat_deliversFramesWithoutAGap(format: CameraPixelFormat) throws {
        let camera = try Self.camera(format)
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 20) { $0.samples.count >= 300 })
        camera.stop()
        let state = log.now
        #expect(state.failure == nil && state.lost.isEmpty)
        #expect(CaptureLog.steps(state.samples).allSatisfy { abs($0 - 1.0 / 30) < 0.005 })
        #expect(state.samples.allSatisfy { $0.byteCount == camera.format.video?.layoutByteCount })
        #expect(camera.copiedCount == 0)
    }

    private static func camera(_ format: CameraPixelFormat) throws -> V4L2Camera {
        try camera(FrameSize(640, 360), rate: FrameRate(30), format)
    }

    @Test func camera_timestamps_areTheKernelsAndRecent() throws {
        let camera = try Self.camera()
        #expect(!camera.summary.contains("timed when read"))
        let log = CaptureLog()
        let latest = Locked<Double>(0)
        try camera.start(
            log.receiver { sample in
                let age = MediaTime(nanoseconds: MonotonicClock().nanoseconds) - sample.presentationTime
                latest.withLock { $0 = max($0, age.seconds) }
            })
        #expect(log.waits(atMost: 10) { $0.samples.count >= 60 })
        camera.stop()
        // vivid stamps a frame at its end, and the frame's time is its beginning: one interval earlier.
        #expect(latest.withLock { $0 } < 0.068)
        #expect(log.now.samples.allSatisfy { $0.time.timescale == 1_000_000 })
    }

    @Test func camera_bufferWithErrorFlag_isCountedAsCorrupt() throws {
        let camera = try Self.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 10 })
        try Self.turn("inject_v4l2_buf_flag_error")
        #expect(log.waits(atMost: 5) { $0.lost[.corrupt] == 1 && $0.samples.count >= 60 })
        camera.stop()
        #expect(log.now.lost == [.corrupt: 1])
        #expect(log.now.failure == nil)
    }

    @Test func camera_droppedBuffers_areCountedForTheDevice() throws {
        let camera = try Self.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 10 })
        try Self.turn("percentage_of_dropped_buffers", 30)
        #expect(log.waits(atMost: 10) { ($0.lost[.device] ?? 0) > 10 })
        try Self.turn("percentage_of_dropped_buffers", 0)
        let count = log.now.samples.count
        #expect(log.waits(atMost: 10) { $0.samples.count >= count + 30 })
        camera.stop()
        let state = log.now
        // Delivered and dropped frames add up to the frames of this time range.
        let first = try #require(state.samples.first)
        let last = try #require(state.samples.last)
        let captured = Int64(((last.time - first.time).seconds * 30).rounded()) + 1
        #expect(Int64(state.samples.count) + (state.lost[.device] ?? 0) == captured)
    }

    @Test func camera_wrappedSequenceNumbers_areNotAGap() throws {
        try Self.turn("wrap_sequence_number", 1)
        defer { try? Self.turn("wrap_sequence_number", 0) }
        let camera = try Self.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 20) { $0.samples.count >= 300 })
        camera.stop()
        #expect(log.now.lost.isEmpty)
    }

    @Test(arguments: [1, 2] as [Int64])
    func camera_wrappedTimestamps_areReplacedByTheClock(kind: Int64) throws {
        try Self.turn("wrap_timestamp", kind)
        defer { try? Self.turn("wrap_timestamp", 0) }
        let camera = try Self.camera()
        let log = CaptureLog()
        let before = MediaTime(nanoseconds: MonotonicClock().nanoseconds)
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 40) { $0.samples.count >= 900 })
        camera.stop()
        let after = MediaTime(nanoseconds: MonotonicClock().nanoseconds)
        // A frame's time is its beginning, one interval before its stamp.
        let interval = MediaTime(value: 1, timescale: 30)
        #expect(log.now.samples.allSatisfy { $0.time >= before - interval && $0.time <= after })
        #expect(CaptureLog.steps(log.now.samples).allSatisfy { $0 > 0 })
    }

    @Test func camera_receiverHoldsEveryFrame_copiesAndDropsNothing() throws {
        let camera = try Self.camera()
        let log = CaptureLog()
        let held = Locked<[SampleBuffer]>([])
        try camera.start(log.receiver { sample in held.withLock { $0.append(sample) } })
        #expect(log.waits(atMost: 20) { $0.samples.count >= 90 })
        camera.stop()
        #expect(log.now.lost.isEmpty && log.now.failure == nil)
        #expect(camera.copiedCount > 60)
        // Each frame, lent or copied, is readable after the camera is closed.
        let sum = held.withLock { $0.reduce(0) { $0 + Self.firstByte($1) } }
        #expect(sum > 0)
        // The camera can be opened again although its frames are still held.
        let second = try Self.camera()
        second.stop()
        held.withLock { $0 = [] }
    }

    private static func firstByte(_ sample: SampleBuffer) -> Int {
        guard case .pixels(let frame) = sample.content else { return 0 }
        return frame.plane(0).reduce(0) { $0 + Int($1) }
    }

    @Test func camera_returnedBuffers_areUsedAgain() throws {
        let camera = try Self.camera()
        let log = CaptureLog()
        let lastThree = Locked<[SampleBuffer]>([])
        try camera.start(
            log.receiver { sample in
                lastThree.withLock { list in
                    list.append(sample)
                    if list.count > 3 { list.removeFirst() }
                }
            })
        #expect(log.waits(atMost: 20) { $0.samples.count >= 300 })
        camera.stop()
        #expect(log.now.lost.isEmpty)
        #expect(camera.copiedCount == 0)
    }

    @Test func camera_stopAtOneFramePerSecond_takesUnderFiftyMilliseconds() throws {
        let camera = try Self.camera(rate: FrameRate(1))
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 1 })
        let before = MonotonicClock().nanoseconds
        camera.stop()
        #expect(MonotonicClock().nanoseconds - before < 50_000_000)
        camera.stop()
    }

    @Test func camera_startedAgain_isRefused() throws {
        let camera = try Self.camera()
        try camera.start { _ in }
        #expect(throws: MediaError.self) { try camera.start { _ in } }
        camera.stop()
        let error = #expect(throws: MediaError.self) { try camera.start { _ in } }
        #expect(error?.code == .invalidState)
    }

    @Test func camera_reducedFrameRate_doesNotFail() throws {
        let camera = try Self.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 10) { $0.samples.count >= 30 })
        try Self.turn("reduced_framerate", 1)
        defer { try? Self.turn("reduced_framerate", 0) }
        let count = log.now.samples.count
        #expect(log.waits(atMost: 10) { $0.samples.count >= count + 30 })
        camera.stop()
        #expect(log.now.failure == nil)
    }
}

extension CameraVirtualTime {
    @Test func camera_halvedFrameRate_dropsNothing() throws {
        let camera = try Self.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 10) { $0.samples.count >= 60 })
        // This imitates low light: another program changes the frame rate instead of the camera.
        #expect(LabCommand.run("v4l2-ctl -d \(Self.path) -p 15") == 0)
        let count = log.now.samples.count
        #expect(log.waits(atMost: 20) { $0.samples.count >= count + 60 })
        camera.stop()
        let state = log.now
        #expect(state.lost.isEmpty && state.failure == nil)
        #expect(CaptureLog.steps(Array(state.samples.suffix(40))).allSatisfy { abs($0 - 1.0 / 15) < 0.005 })
    }
}

extension VideoFormat {
    /// The bytes of a raw frame without padding.
    var layoutByteCount: Int? {
        pixelFormat.map { PixelLayout(format: $0, width: width, height: height).byteCount }
    }
}

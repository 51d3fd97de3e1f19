import Glibc
import MediaTypes
import RealTime
import Testing

@testable import Capture

/// Cameras with other formats than small raw frames, and their discovery.
@Suite(.serialized) struct CameraKindsVirtualTime {
    private func record(
        _ camera: V4L2Camera, frames: Int, atMost seconds: Double,
        also: @escaping @Sendable (SampleBuffer) -> Void = { _ in }
    ) throws -> CaptureLog.State {
        let log = CaptureLog()
        try camera.start(log.receiver(also: also))
        #expect(log.waits(atMost: seconds) { $0.samples.count >= frames || $0.failure != nil })
        camera.stop()
        return log.now
    }

    @Test(arguments: [
        (FrameSize(1920, 1080), FrameRate(30)), (FrameSize(1280, 720), FrameRate(60)),
        (FrameSize(640, 360), FrameRate(25, per: 2)),
    ])
    func camera_requestedSizeAndRate_areDelivered(size: FrameSize, rate: FrameRate) throws {
        let camera = try CameraVirtualTime.camera(size, rate: rate)
        #expect(camera.mode == CameraMode(.yuyv, size: size, frameRate: rate))
        let state = try record(camera, frames: 120, atMost: 30)
        #expect(state.lost.isEmpty && state.failure == nil)
        let span = try #require(state.samples.last).time - state.samples[0].time
        let expected = Double(state.samples.count - 1) / rate.framesPerSecond
        #expect(abs(span.seconds - expected) < 0.01)
    }

    @Test func camera_noRequest_choosesFullHDAt30() throws {
        let camera = try V4L2Camera(device: "/dev/video0")
        #expect(camera.mode == CameraMode(.nv12, size: FrameSize(1920, 1080), frameRate: FrameRate(30)))
        #expect(camera.summary == "vivid /dev/video0: 1920×1080 nv12 at 30 fps")
        // vivid reports sRGB by default.
        #expect(camera.format.video?.color == ColorDescription(primaries: 1, transfer: 13, matrix: 6))
        camera.stop()
    }

    @Test func camera_motionJPEG_deliversPackets() throws {
        try withLoopbackCamera("-c:v mjpeg -q:v 5") {
            let camera = try V4L2Camera(device: "/dev/video9")
            #expect(camera.mode.pixelFormat == .mjpeg && camera.format.video?.codec == .mjpeg)
            let intact = Locked(0)
            let state = try record(camera, frames: 120, atMost: 30) { sample in
                guard case .data(let data) = sample.content, data.count > 1_000, data.bytes[0] == 0xFF,
                    data.bytes[1] == 0xD8
                else { return }
                intact.withLock { $0 += 1 }
            }
            #expect(state.failure == nil)
            #expect(intact.withLock { $0 } == state.samples.count)
            #expect(CaptureLog.steps(state.samples).allSatisfy { $0 > 0 })
        }
    }

    @Test func camera_h264_deliversPacketsWithKeyframesMarked() throws {
        try withLoopbackCamera("-c:v libx264 -preset ultrafast -tune zerolatency -g 30 -bf 0") {
            let camera = try V4L2Camera(device: "/dev/video9")
            #expect(camera.mode.pixelFormat == .h264 && camera.format.video?.codec == .h264)
            let keys = Locked(0)
            let state = try record(camera, frames: 120, atMost: 30) { sample in
                if sample.isKeyframe { keys.withLock { $0 += 1 } }
            }
            #expect(state.failure == nil)
            #expect((3...6).contains(keys.withLock { $0 }))
        }
    }

    @Test func camera_vendorFormat_isConvertedByLibV4L2() throws {
        try withLoopbackCamera("-pix_fmt bgr24 -c:v rawvideo") {
            let camera = try V4L2Camera(device: "/dev/video9")
            #expect(camera.mode.isEmulated && camera.mode.pixelFormat == .i420)
            #expect(camera.summary.contains("converted by libv4l2"))
            let state = try record(camera, frames: 60, atMost: 30)
            #expect(state.failure == nil && state.lost[.corrupt] == nil)
        }
    }

    @Test func camera_stalled_countsAsDisconnected() throws {
        try withLoopbackCamera("-c:v mjpeg") { feed in
            let camera = try V4L2Camera(
                device: "/dev/video9", frameTimeout: MediaTime(value: 2, timescale: 1))
            let log = CaptureLog()
            try camera.start(log.receiver())
            #expect(log.waits(atMost: 10) { $0.samples.count >= 10 })
            feed.end()
            #expect(log.waits(atMost: 10) { $0.failure != nil })
            camera.stop()
            #expect(log.now.failure?.code == .deviceLost)
        }
    }

    @Test func discovery_nodeThatOnlyPlays_isNotACamera() throws {
        try reloadLoopback()
        let error = #expect(throws: MediaError.self) { try V4L2Camera(device: "/dev/video9") }
        #expect(error?.code == .deviceUnsuitable)
        #expect(CameraDiscovery.cameras().map(\.path) == ["/dev/video0"])
    }

    @Test func discovery_camera_isFoundWithItsCapabilities() throws {
        let cameras = CameraDiscovery.cameras()
        let vivid = try #require(cameras.first)
        #expect(cameras.count == 1)
        #expect(vivid.path == "/dev/video0" && vivid.name == "vivid" && vivid.driver == "vivid")
        #expect(vivid.bus.contains("vivid") && vivid.problem == nil)
        #expect(Set(vivid.capabilities.formats.map(\.pixelFormat)).isSuperset(of: [.yuyv, .uyvy, .nv12, .i420]))
        #expect(vivid.defaultMode?.size == FrameSize(1920, 1080))
    }

    @Test func camera_pathLinkNodeOrName_isFound() throws {
        let link = "platform-vivid.0-video-index0"
        #expect(LabCommand.run("mkdir -p /dev/v4l/by-path && ln -sf ../../video0 /dev/v4l/by-path/\(link)") == 0)
        defer { _ = LabCommand.run("rm -r /dev/v4l") }
        #expect(CameraDiscovery.cameras().first?.stableNames == [link])
        for name in ["/dev/video0", "/dev/v4l/by-path/\(link)", link, "video0", "vivid", "VIVID", "viv"] {
            let camera = try V4L2Camera(device: name, request: CameraRequest(size: FrameSize(320, 180)))
            camera.stop()
        }
    }

    @Test func twoCameras_runSideBySide() throws {
        try withLoopbackCamera("-c:v mjpeg") {
            let (a, b) = (CaptureLog(), CaptureLog())
            let first = try CameraVirtualTime.camera()
            let second = try V4L2Camera(device: "/dev/video9")
            try first.start(a.receiver())
            try second.start(b.receiver())
            #expect(a.waits(atMost: 20) { $0.samples.count >= 60 })
            #expect(b.waits(atMost: 20) { $0.samples.count >= 40 })
            first.stop()
            second.stop()
            #expect(a.now.lost.isEmpty)
        }
    }
}

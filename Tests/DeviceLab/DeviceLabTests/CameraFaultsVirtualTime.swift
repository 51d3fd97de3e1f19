import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import Capture

/// Faults of cameras: on opening, and while they run.
@Suite(.serialized) struct CameraFaultsVirtualTime {
    private func error(_ device: String, _ request: CameraRequest = CameraRequest()) -> MediaError? {
        #expect(throws: MediaError.self) { try V4L2Camera(device: device, request: request) }
    }

    @Test func camera_missing_isNotFound() {
        #expect(error("/dev/video77")?.code == .notFound)
        #expect(error("/nonsense/path")?.code == .notFound)
        let named = error("no such camera")
        #expect(named?.code == .notFound && named?.wayOut.contains("/dev/video0 (vivid)") == true)
    }

    @Test func camera_otherKindOfFile_isUnsuitable() {
        #expect(error("/dev/null")?.code == .deviceUnsuitable)
        #expect(error("/etc/passwd")?.code == .deviceUnsuitable)
        #expect(error("/dev")?.code == .deviceUnsuitable)
    }

    @Test func camera_inUse_isBusyWithHowToFindTheUser() throws {
        let first = try CameraVirtualTime.camera()
        let busy = error("/dev/video0")
        #expect(busy?.code == .busy)
        #expect(busy?.description.contains("run `fuser /dev/video0` to see which") == true)
        first.stop()
        let second = try CameraVirtualTime.camera()
        second.stop()
    }

    @Test func camera_unsupportedSizeOrRate_namesTheNearest() {
        let size = error("/dev/video0", CameraRequest(size: FrameSize(1281, 721)))
        #expect(
            size?.description
                == "cannot record 1281x721 from /dev/video0: it does not offer this size; nearest is 1280x720")
        let rate = error("/dev/video0", CameraRequest(size: FrameSize(1280, 720), frameRate: FrameRate(400)))
        #expect(rate?.wayOut == "nearest is 60 fps")
        let format = error("/dev/video0", CameraRequest(pixelFormat: .h264))
        #expect(format?.code == .deviceUnsuitable && format?.reason.contains("yuyv") == true)
    }

    @Test func controls_byName_areSetAndMistakesSayHowToFixThem() throws {
        let camera = try CameraVirtualTime.camera(controls: [("Brightness", 100), ("menu", 4), ("boolean", 0)])
        camera.stop()
        let values = LabCommand.run(
            "v4l2-ctl -d /dev/video0 -C brightness,menu,boolean | tr '\\n' ' ' | grep -q 'brightness: 100 menu: 4 .*boolean: 0'"
        )
        #expect(values == 0)
        func failure(_ name: String, _ value: Int64) -> MediaError? {
            #expect(throws: MediaError.self) { try CameraVirtualTime.camera(controls: [(name, value)]) }
        }
        #expect(failure("brightnes", 1)?.wayOut.contains("brightness") == true)
        #expect(failure("brightness", 300)?.description.contains("from 0 to 255; nearest is 255") == true)
        #expect(failure("menu", 2)?.reason == "the control accepts only 1, 3, 4")
        #expect(failure("read_only_integer_32_bits", 2)?.reason == "the control is read-only")
    }

    @Test func controls_described_haveRangesAndChoices() throws {
        let controls = V4L2Controls(device: try V4L2Device(path: CameraVirtualTime.path)).described()
        func control(_ name: String) -> CameraControl? { controls.first { $0.name == name } }
        #expect(control("brightness")?.maximum == 255 && control("brightness")?.choices.isEmpty == true)
        #expect(control("menu")?.choices == [1: 1, 3: 3, 4: 4])
        // An integer menu, whose items are numbers: 1, 1, 2, 3, 5, 8, 13, 21, 42.
        #expect(control("integer_menu")?.choices[8] == 42)
        #expect(control("read_only_integer_32_bits")?.isReadOnly == true)
    }

    @Test func camera_unplugged_failsOnceAndLentFramesStayReadable() throws {
        let camera = try CameraVirtualTime.camera()
        let log = CaptureLog()
        let held = Locked<[SampleBuffer]>([])
        try camera.start(log.receiver { sample in held.withLock { if $0.count < 3 { $0.append(sample) } } })
        #expect(log.waits(atMost: 5) { $0.samples.count >= 10 })
        let unplug = LabPlug.unplugCamera()
        #expect(log.waits(atMost: 10) { $0.failure != nil })
        camera.stop()
        #expect(log.now.failure?.code == .deviceLost)
        #expect(log.now.failure?.description.contains("unplugged") == true)
        #expect(log.now.eventsAfterFailure == 0)
        let sum = held.withLock { list in
            list.reduce(0) { sum, sample in
                guard case .pixels(let frame) = sample.content else { return sum }
                return frame.plane(0).reduce(sum) { $0 + Int($1) }
            }
        }
        #expect(sum > 0)
        held.withLock { $0 = [] }
        unplug.wait()
        #expect(error("/dev/video0")?.code == .notFound)
        #expect(CameraDiscovery.cameras().isEmpty)
        // The camera is connected again.
        try LabPlug.plugInCamera()
        #expect(eventually { access("/dev/video0", R_OK | W_OK) == 0 })
        let again = try CameraVirtualTime.camera()
        let second = CaptureLog()
        try again.start(second.receiver())
        #expect(second.waits(atMost: 5) { $0.samples.count >= 10 })
        again.stop()
    }

    @Test func camera_fatalStreamingError_fails() throws {
        let camera = try CameraVirtualTime.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        #expect(log.waits(atMost: 5) { $0.samples.count >= 10 })
        try CameraVirtualTime.turn("inject_fatal_streaming_error")
        #expect(log.waits(atMost: 10) { $0.failure != nil })
        camera.stop()
        #expect(log.now.failure?.code == .deviceLost)
    }

    @Test func camera_driverRefusesToStart_isReported() throws {
        let camera = try CameraVirtualTime.camera()
        try CameraVirtualTime.turn("inject_vidioc_streamon_error")
        let refused = #expect(throws: MediaError.self) { try camera.start { _ in } }
        #expect(refused?.action == "cannot start /dev/video0")
        let second = try CameraVirtualTime.camera()
        second.stop()
    }

    @Test func camera_driverRefusesABuffer_dropsNothing() throws {
        let camera = try CameraVirtualTime.camera()
        let log = CaptureLog()
        try camera.start(log.receiver())
        for _ in 0..<12 {
            let count = log.now.samples.count
            #expect(log.waits(atMost: 5) { $0.samples.count >= count + 5 })
            try CameraVirtualTime.turn("inject_vidioc_qbuf_error")
        }
        let count = log.now.samples.count
        #expect(log.waits(atMost: 5) { $0.samples.count >= count + 60 })
        camera.stop()
        #expect(log.now.lost.isEmpty && log.now.failure == nil)
    }
}

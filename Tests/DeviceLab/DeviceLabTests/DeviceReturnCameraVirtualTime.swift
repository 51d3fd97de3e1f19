import Capture
import Glibc
import MediaTypes
import RealTime
import RecorderService
import RecorderStorage
import TestSupport
import Testing

/// Cameras that disconnect and reconnect while a keeper holds them.
@Suite(.serialized) struct DeviceReturnCameraVirtualTime {
    static func configuration(_ camera: RecordingConfiguration.Device) -> RecordingConfiguration {
        var configuration = RecordingConfiguration()
        configuration.camera = camera
        configuration.microphone = .none
        configuration.size = FrameSize(640, 360)
        configuration.frameRate = FrameRate(30)
        return configuration
    }

    private func keeper(_ camera: RecordingConfiguration.Device = .named("/dev/video0")) throws -> DeviceKeeper {
        try #require(try DeviceOpener().openKeepers(Self.configuration(camera)).camera)
    }

    /// Returns a keeper of vivid. `opening` is called before each opening with its number.
    private func keeper(before opening: @escaping @Sendable (Int) -> Void) throws -> DeviceKeeper {
        let count = Locked(0)
        return try DeviceKeeper(name: "camera") { () throws(MediaError) in
            opening(
                count.withLock {
                    $0 += 1
                    return $0
                })
            return try V4L2Camera(
                device: "/dev/video0", request: CameraRequest(size: FrameSize(640, 360), frameRate: FrameRate(30)))
        }
    }

    private func sleep(_ seconds: Int64) {
        let clock = MonotonicClock()
        clock.sleep(until: clock.nanoseconds + seconds * 1_000_000_000)
    }

    /// Expects that every frame was delivered soon after its own time, and that delivered and dropped frames fill the
    /// elapsed time.
    private func expectTrueTimes(_ state: KeeperLog.State, absences: Int64) {
        let lost = state.lost[.device] ?? 0
        let all = state.capturedFrames(at: 30)
        #expect(abs(Int64(state.samples.count) + lost - all) <= absences, "\(state.samples.count) + \(lost) of \(all)")
        #expect(state.samples.allSatisfy { ($0.received - $0.time).seconds < 0.1 })
        #expect(zip(state.samples, state.samples.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test func camera_unpluggedFiveTimes_reconnectsAndCountsItsDrops() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        for round in 1...5 {
            #expect(log.waitsForMore(30))
            let unplug = LabPlug.unplugCamera()
            #expect(log.waits(atMost: 10) { $0.gone.count == round })
            unplug.wait()
            sleep(3)
            let plugged = MediaTime(nanoseconds: MonotonicClock().nanoseconds)
            try LabPlug.plugInCamera()
            #expect(
                log.waits(atMost: 10) { $0.returns.count == round && $0.samples.count > $0.returns[round - 1].index })
            let state = log.now
            let back = state.returns[round - 1]
            // The watcher noticed the camera, before the next timed attempt.
            #expect((state.samples[back.index].time - plugged).seconds < 0.5)
            let last = state.samples[back.index - 1].time
            #expect(abs((back.awaySince - last).seconds - 1.0 / 30) < 0.001)
        }
        #expect(log.waitsForMore(30))
        keeper.stop()
        let state = log.now
        #expect(state.gone.allSatisfy { $0.code == .deviceLost } && state.returns.count == 5)
        // Three seconds each, except for the frames at both ends.
        #expect((state.lost[.device] ?? 0) >= 5 * 88)
        expectTrueTimes(state, absences: 5)
    }

    @Test func camera_disconnectedByItsDriver_isOpenedAgain() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(30))
        #expect(LabCommand.run("v4l2-ctl -d /dev/video0 -c disconnect=1") == 0)
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(30))
        keeper.stop()
        #expect(log.now.gone.count == 1)
        expectTrueTimes(log.now, absences: 1)
    }

    @Test func camera_driverRefusesTwice_isOpenedAtTheThirdAttempt() throws {
        let keeper = try keeper { opening in
            if opening == 2 || opening == 3 { try? CameraVirtualTime.turn("inject_vidioc_streamon_error") }
        }
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(30))
        try CameraVirtualTime.turn("inject_fatal_streaming_error")
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(30))
        keeper.stop()
        let state = log.now
        #expect(state.gone.map(\.code) == [.deviceLost, .ioFailure])
        // The attempts come at once, after 0.25 s and after 0.5 s more.
        let back = state.returns[0]
        let away = (state.samples[back.index].time - back.awaySince).seconds
        #expect(away > 0.7 && away < 1)
        expectTrueTimes(state, absences: 1)
    }

    @Test func camera_dropsAcrossADisconnect_areCountedOnce() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(10))
        try CameraVirtualTime.turn("percentage_of_dropped_buffers", 20)
        for _ in 0..<3 {
            try CameraVirtualTime.turn("inject_v4l2_buf_flag_error")
            #expect(log.waitsForMore(20))
        }
        try CameraVirtualTime.turn("inject_fatal_streaming_error")
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(60))
        try CameraVirtualTime.turn("percentage_of_dropped_buffers", 0)
        #expect(log.waitsForMore(30))
        keeper.stop()
        let state = log.now
        #expect(state.lost[.corrupt] == 3)
        let accounted = Int64(state.samples.count) + state.lost.values.reduce(0, +)
        let all = state.capturedFrames(at: 30)
        #expect(abs(accounted - all) <= 1, "\(accounted) of \(all)")
    }

    @Test func camera_anotherCameraHasItsNumber_waitsForItsOwn() throws {
        let keeper = try keeper()
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(30))
        let unplug = LabPlug.unplugCamera()
        #expect(log.waits(atMost: 10) { $0.gone.count == 1 })
        unplug.wait()
        // Another camera gets its node, once the keeper has closed it …
        try reloadLoopback(as: 0)
        let feed = LabCommand(
            "exec ffmpeg -v error -re -f lavfi -i testsrc2=s=640x360:r=30 -pix_fmt yuyv422 -f v4l2 /dev/video0")
        defer {
            feed.end()
            LabPlug.unplugCamera().wait()
            try? reloadLoopback()
            try? LabPlug.plugInCamera()
            _ = eventually { access("/dev/video0", R_OK | W_OK) == 0 }
        }
        #expect(eventually { CameraDiscovery.cameras().contains { $0.path == "/dev/video0" && $0.name != "vivid" } })
        sleep(5)
        guard case .away(_, let error) = keeper.state else {
            Issue.record("\(keeper.state)")
            return
        }
        #expect(error.description.contains("cannot find vivid again"))
        // … and the first one reconnects as another node.
        try LabPlug.plugInCamera()
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(30))
        #expect(keeper.summary.hasPrefix("vivid /dev/video1: 640×360"))
        keeper.stop()
        expectTrueTimes(log.now, absences: 1)
    }

    @Test(arguments: ["vivid", "platform:vivid-000", "/dev/front-door"])
    func camera_givenByNameSocketOrLink_reconnects(name: String) throws {
        symlink("/dev/video0", "/dev/front-door")
        defer { unlink("/dev/front-door") }
        let keeper = try keeper(.named(name))
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(10))
        let unplug = LabPlug.unplugCamera()
        #expect(log.waits(atMost: 10) { $0.gone.count == 1 })
        unplug.wait()
        try LabPlug.plugInCamera()
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(10))
        keeper.stop()
    }

    @Test func camera_stalled_disconnectsAndReconnects() throws {
        try withLoopbackCamera("-pix_fmt yuyv422") { feed in
            let keeper = try keeper(.named("/dev/video9"))
            let log = KeeperLog()
            try keeper.start { log.receive($0) }
            #expect(log.waitsForMore(30))
            feed.send(SIGSTOP)
            #expect(log.waits(atMost: 20) { $0.gone.count == 1 })
            #expect(log.now.gone.first?.reason == "no frame for 5 s")
            // This driver shows its last frame at each opening: the camera returns with that frame, and is lost again.
            sleep(7)
            #expect(log.now.samples.count < 35)
            feed.send(SIGCONT)
            #expect(log.waitsForMore(60, atMost: 20))
            keeper.stop()
            let state = log.now
            #expect(state.returns.count == state.gone.count)
            #expect((state.lost[.device] ?? 0) >= 10 * 30)
        }
    }

    @Test func camera_reconnectsWithSmallerFrames_isAccepted() throws {
        var keeper: DeviceKeeper?
        defer { keeper?.stop() }
        let log = KeeperLog()
        try withLoopbackCamera("-pix_fmt yuyv422") {
            keeper = try self.keeper(.named("/dev/video9"))
            try keeper?.start { log.receive($0) }
            #expect(log.waitsForMore(30))
        }
        // The driver is loaded again, for which every user must close the camera.
        #expect(log.waits(atMost: 20) { $0.gone.count >= 1 })
        let feed = LabCommand(
            "exec ffmpeg -v error -re -f lavfi -i testsrc2=s=320x240:r=15 -pix_fmt yuyv422 -f v4l2 /dev/video9")
        defer {
            keeper?.stop()
            feed.end()
            try? reloadLoopback()
        }
        #expect(log.waits(atMost: 30) { $0.returns.count == 1 })
        #expect(log.now.returns.first?.format.video?.width == 320)
        #expect(log.waitsForMore(10))
    }
}

import FakeDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import Capture

@Suite struct DeviceKeeperTests {
    private static func camera(width: Int = 64, rate: FrameRate = FrameRate(25)) -> FakeSource {
        FakeSource(.video(VideoFormat(pixelFormat: .nv12, width: width, height: 32)), frameRate: rate)
    }

    private let device = FakeDevice { camera() }
    private let log = DeviceLog()

    private func started() throws -> DeviceKeeper {
        let keeper = try DeviceKeeper(name: "camera") { [device] () throws(MediaError) in try device.open() }
        try keeper.start { [log] in log.receive($0) }
        return keeper
    }

    @Test func deviceKeeper_deviceMissingAtStart_throws() {
        device.refuse(FakeDevice.missing)
        let error = #expect(throws: MediaError.self) { try started() }
        #expect(error == FakeDevice.missing)
    }

    @Test func deviceKeeper_disconnect_closesReconnectsAndCountsDrops() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.source.frame(at: 1000)
        device.unplug()
        guard case .away(let since, let error) = keeper.state else { throw TooLate() }
        // The cause of the disconnect, until the first attempt to open the device again has failed for another reason.
        #expect(since == milliseconds(1040) && (error == FakeDevice.unplugged || device.refusedCount > 0))
        try await waitUntil { device.refusedCount > 1 }
        #expect(device.sources[0].isStopped)
        device.refuse(nil)
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        #expect(log.told == ["sample 1000", "gone deviceLost"], "an open device is not back before it delivers")
        device.source.frame(at: 5000)
        device.source.frame(at: 5040)
        #expect(
            log.told == [
                "sample 1000", "gone deviceLost", "back 64 25 since 1040", "lost 99 device 5000", "sample 5000",
                "sample 5040",
            ])
        #expect(keeper.state == .running)
    }

    @Test func deviceKeeper_reconnectInAnotherFormat_reportsTheNewFormat() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.source.frame(at: 0)
        device.become { Self.camera(width: 128, rate: FrameRate(10)) }
        device.source.send(.gone(FakeDevice.unplugged))
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        #expect(keeper.format.video?.width == 64)
        device.source.frame(at: 1000)
        #expect(log.told[2...] == ["back 128 10 since 40", "lost 24 device 1000", "sample 1000"])
        #expect(keeper.format.video?.width == 128 && keeper.frameRate == FrameRate(10))
    }

    @Test func deviceKeeper_microphoneReconnects_countsMissingAudioFrames() async throws {
        device.become { .microphone() }
        let keeper = try started()
        defer { keeper.stop() }
        device.source.block(at: 1000)
        guard case .running = keeper.state else { throw TooLate() }
        device.source.send(.gone(FakeDevice.unplugged))
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        let length = audio(at: 0).duration ?? .zero
        device.source.send(.sample(audio(at: 3000)))
        let missing = (milliseconds(2000) - length).ticks(in: 48_000)
        #expect(log.told[3] == "lost \(missing) device 3000")
    }

    @Test func deviceKeeper_rejected_isBackWithTheFirstUsableSample() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.source.frame(at: 1000)
        keeper.reject(FakeDevice.unplugged) { $0.presentationTime >= milliseconds(3000) }
        let rejected = device.source
        rejected.frame(at: 1040)
        // The device does not know that it was rejected.
        rejected.frame(at: 1080)
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        #expect(rejected.isStopped)
        device.source.frame(at: 2000)
        #expect(log.told == ["sample 1000", "gone deviceLost"])
        guard case .away(milliseconds(1040), FakeDevice.unplugged) = keeper.state else { throw TooLate() }
        device.source.frame(at: 3000)
        device.source.frame(at: 3040)
        #expect(log.told[2...] == ["back 64 25 since 1040", "lost 49 device 3000", "sample 3000", "sample 3040"])
        // The second rejection has its own reason.
        keeper.reject(FakeDevice.taken) { _ in true }
        device.source.frame(at: 3080)
        #expect(log.told.last == "gone busy")
    }

    @Test func deviceKeeper_rejectedWithoutUsableSamples_isOpenedAgain() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.source.frame(at: 1000)
        keeper.reject(FakeDevice.unplugged) { _ in false }
        device.source.frame(at: 1040)
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        let second = device.source
        second.frame(at: 2000)
        second.frame(at: 11_999)
        #expect(!second.isStopped && device.sources.count == 2)
        second.frame(at: 12_000)
        try await waitUntil { device.sources.count == 3 }
        #expect(second.isStopped)
        #expect(log.told == ["sample 1000", "gone deviceLost"], "it is reported once")
    }

    @Test func deviceKeeper_tryNow_retriesAtOnce() async throws {
        let isQuick =
            try await Self.isBelowTwoSeconds { bench in
                let keeper = try bench.started()
                defer { keeper.stop() }
                bench.device.unplug()
                // The next attempt is then two seconds away.
                try await waitUntil { bench.device.refusedCount >= 4 }
                bench.device.refuse(nil)
                let before = MonotonicClock().nanoseconds
                keeper.tryNow()
                try await waitUntil { bench.device.sources.count == 2 }
                return MonotonicClock().nanoseconds - before
            }
        #expect(isQuick)
    }

    /// Returns true if the measured time is shorter than the longest wait between two attempts, in one of eight runs. A
    /// busy machine may delay any of them.
    private static func isBelowTwoSeconds(_ measure: (Self) async throws -> Int64) async throws -> Bool {
        for _ in 0..<8 where try await measure(Self()) < 1_500_000_000 { return true }
        return false
    }

    @Test func deviceKeeper_deviceInUse_isReportedOnce() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.refuse(FakeDevice.taken)
        device.source.send(.gone(FakeDevice.unplugged))
        try await waitUntil { device.refusedCount >= 3 }
        #expect(log.told == ["gone deviceLost", "gone busy"])
        guard case .away(_, FakeDevice.taken) = keeper.state else {
            Issue.record("\(keeper.state)")
            return
        }
    }

    @Test func stop_whileDisconnected_isQuickAndFinal() async throws {
        let isQuick =
            try await Self.isBelowTwoSeconds { bench in
                let keeper = try bench.started()
                bench.device.unplug()
                // The next attempt is then two seconds away.
                try await waitUntil { bench.device.refusedCount >= 4 }
                let before = MonotonicClock().nanoseconds
                keeper.stop()
                let took = MonotonicClock().nanoseconds - before
                #expect(keeper.state == .stopped)
                keeper.stop()
                let error = #expect(throws: MediaError.self) { try keeper.start { _ in } }
                #expect(error?.code == .invalidState)
                return took
            }
        #expect(isQuick)
    }

    @Test func stop_running_closesTheDeviceAndDeliversNoMore() throws {
        let keeper = try started()
        device.source.frame(at: 0)
        keeper.stop()
        #expect(device.source.isStopped)
        device.source.frame(at: 40)
        #expect(log.told == ["sample 0"])
    }

    @Test func deviceKeeper_released_closesTheDevice() async throws {
        var keeper: DeviceKeeper? = try started()
        #expect(keeper?.state == .running)
        keeper = nil
        try await waitUntil { device.source.isStopped }
    }

    @Test func stop_neverStarted_closesTheDevice() throws {
        let keeper = try DeviceKeeper(name: "camera") { [device] () throws(MediaError) in try device.open() }
        keeper.stop()
        #expect(device.source.isStopped)
    }

    @Test func deviceKeeper_frameFromBeforeDisconnect_isDroppedAndCounted() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.source.frame(at: 1000)
        device.source.send(.gone(FakeDevice.unplugged))
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        device.source.frame(at: 960)
        device.source.frame(at: 1040)
        #expect(log.told[2...] == ["lost 1 device 960", "back 64 25 since 1040", "sample 1040"])
    }

    @Test func deviceKeeper_onlyDamagedFramesAfterReopening_staysDisconnected() async throws {
        let keeper = try started()
        defer { keeper.stop() }
        device.source.send(.lost(count: 1, cause: .corrupt, near: milliseconds(960)))
        device.source.frame(at: 1000)
        device.source.send(.gone(FakeDevice.unplugged))
        try await waitUntil { device.sources.count == 2 && device.source.isStarted }
        device.source.send(.lost(count: 1, cause: .corrupt, near: milliseconds(2000)))
        device.source.send(.lost(count: 3, cause: .device, near: milliseconds(2160)))
        #expect(log.told == ["lost 1 corrupt 960", "sample 1000", "gone deviceLost"])
        guard case .away = keeper.state else { throw TooLate() }
        device.source.frame(at: 5000)
        device.source.send(.lost(count: 1, cause: .corrupt, near: milliseconds(5040)))
        // The damaged frames of the absence are among the missing ones.
        #expect(
            log.told[3...] == [
                "back 64 25 since 1040", "lost 99 device 5000", "sample 5000", "lost 1 corrupt 5040",
            ])
    }

    @Test func deviceKeeper_microphoneDisconnects_cameraContinues() async throws {
        let microphone = FakeDevice { .microphone() }
        let keeper = try started()
        defer { keeper.stop() }
        let audioKeeper = try DeviceKeeper(name: "microphone") { () throws(MediaError) in try microphone.open() }
        defer { audioKeeper.stop() }
        let audioLog = DeviceLog()
        try audioKeeper.start { audioLog.receive($0) }
        device.source.frame(at: 0)
        microphone.source.block(at: 0)
        microphone.unplug()
        try await waitUntil { microphone.refusedCount > 1 }
        device.source.frame(at: 40)
        #expect(log.told == ["sample 0", "sample 40"] && keeper.state == .running)
        #expect(audioLog.told == ["sample 0", "gone deviceLost"])
    }

    @Test func deviceKeeper_closeHangs_isAbandonedAndReported() async throws {
        let hanging = HangingSource()
        let opened = Locked(0)
        let keeper = try DeviceKeeper(
            name: "camera", closePatience: milliseconds(50)
        ) { [device] () throws(MediaError) in
            if opened.withLock({
                $0 += 1
                return $0
            }) == 1 {
                return hanging
            }
            return try device.open()
        }
        try keeper.start { [log] in log.receive($0) }
        hanging.fail()
        try await waitUntil { device.sources.count == 1 && device.source.isStarted }
        device.source.frame(at: 1000)
        #expect(log.told.prefix(3).map { $0.prefix(12) } == ["gone deviceL", "gone ioFailu", "back 64 25 s"])
        hanging.letGo()
        keeper.stop()
    }
}

/// A device whose driver never returns from closing.
private final class HangingSource: CaptureSource {
    let format = FakeSource.camera().format
    let summary = "a driver that hangs"
    private let receiver = Locked<(@Sendable (DeviceEvent) -> Void)?>(nil)
    private let isFree = Locked(false)

    func start(_ receiver: @escaping @Sendable (DeviceEvent) -> Void) throws(MediaError) {
        self.receiver.withLock { $0 = receiver }
    }

    func fail() { receiver.withLock { $0 }?(.gone(FakeDevice.unplugged)) }

    func stop() { isFree.waiting { $0 ? () : nil } }

    func letGo() {
        isFree.withLock { $0 = true }
        isFree.broadcast()
    }
}

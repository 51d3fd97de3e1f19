import Capture
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderService
@testable import RecorderStorage

/// Microphones that disconnect and reconnect while a keeper holds them, and devices that another program uses.
@Suite(.serialized) struct DeviceReturnMicrophoneVirtualTime {
    private func configuration(_ name: String) -> RecordingConfiguration {
        var configuration = RecordingConfiguration()
        configuration.camera = .none
        configuration.microphone = .named(name)
        return configuration
    }

    private func keeper(_ name: String) throws -> DeviceKeeper {
        try #require(try DeviceOpener().openKeepers(configuration(name)).microphone)
    }

    /// Returns a keeper. `opening` is called before each opening with its number.
    private func keeper(
        before opening: @escaping @Sendable (Int) -> Void,
        open: @escaping DeviceKeeper.Open = { () throws(MediaError) in try ALSAMicrophone(device: "hw:Loopback,1,0") }
    ) throws -> DeviceKeeper {
        let count = Locked(0)
        return try DeviceKeeper(name: "microphone") { () throws(MediaError) in
            opening(
                count.withLock {
                    $0 += 1
                    return $0
                })
            return try open()
        }
    }

    private func expectTrueTimes(_ state: KeeperLog.State) {
        guard let first = state.samples.first, let last = state.samples.last else {
            Issue.record("nothing was heard")
            return
        }
        // Delivered and dropped audio adds up to the elapsed time, to a millisecond.
        #expect(abs((last.time - first.time).seconds - Double(state.accountedAudio) / 48_000) < 0.001)
        #expect(state.samples.allSatisfy { ($0.received - $0.time).seconds < 0.1 })
    }

    @Test(arguments: ["hw:0,1", "hw:CARD=Loopback,DEV=1", "loopback"])
    func microphone_unpluggedFiveTimes_reconnectsAndCountsItsDrops(name: String) throws {
        let keeper = try keeper(name)
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        for round in 1...5 {
            #expect(log.waitsForMore(50))
            let unplug = LabPlug.unplugMicrophone()
            #expect(log.waits(atMost: 10) { $0.gone.count == round })
            unplug.wait()
            let clock = MonotonicClock()
            clock.sleep(until: clock.nanoseconds + 2_000_000_000)
            try LabPlug.plugInMicrophone()
            #expect(log.waits(atMost: 10) { $0.returns.count == round })
        }
        #expect(log.waitsForMore(50))
        keeper.stop()
        #expect(log.now.gone.allSatisfy { $0.code == .deviceLost })
        #expect((log.now.lost[.device] ?? 0) >= 5 * 2 * 48_000)
        expectTrueTimes(log.now)
    }

    @Test func microphone_busyWhenItReconnects_isOpenedOnceFree() throws {
        let holder = Locked<LabCommand?>(nil)
        let keeper = try keeper { opening in
            // The microphone is back, and another program has opened it first.
            guard opening == 2 else { return }
            try? LabPlug.plugInMicrophone()
            holder.withLock {
                $0 = LabCommand("exec arecord -q -D hw:Loopback,1,0 -f S16_LE -r 48000 -c 2 -t raw /dev/null")
            }
            _ = eventually { (try? ALSAMicrophone(device: "hw:Loopback,1,0")) == nil }
        }
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(log.waitsForMore(50))
        let unplug = LabPlug.unplugMicrophone()
        #expect(log.waits(atMost: 20) { $0.gone.count == 2 })
        unplug.wait()
        let busy = log.now.gone[1]
        #expect(busy.code == .busy && busy.reason.hasPrefix("in use by arecord (process "))
        #expect(busy.wayOut.contains("fuser") && busy.wayOut.contains("sound server"))
        let clock = MonotonicClock()
        clock.sleep(until: clock.nanoseconds + 5_000_000_000)
        #expect(log.now.returns.isEmpty)
        holder.withLock { $0 }?.end()
        let freed = MediaTime(nanoseconds: clock.nanoseconds)
        #expect(log.waits(atMost: 10) { $0.returns.count == 1 })
        #expect(log.waitsForMore(50))
        keeper.stop()
        let state = log.now
        #expect((state.samples[state.returns[0].index].time - freed).seconds < 2.1)
        expectTrueTimes(state)
    }

    @Test func microphone_reconnectsWithAnotherRate_isAccepted() throws {
        let player = Locked<LabCommand?>(nil)
        let microphone = ReconnectingMicrophone("hw:Loopback,1,0", request: MicrophoneRequest())
        let keeper = try keeper { opening in
            guard opening == 2 else { return }
            try? LabPlug.plugInMicrophone()
            // One end can only record the format that the other end plays.
            player.withLock {
                $0 = LabCommand("exec aplay -q -D hw:Loopback,0,0 -f S16_LE -r 44100 -c 2 -t raw /dev/zero")
            }
            let wanted = MicrophoneRequest(sampleRate: 48_000)
            _ = eventually { (try? ALSAMicrophone(device: "hw:Loopback,1,0", request: wanted)) == nil }
        } open: { () throws(MediaError) in
            try microphone.open()
        }
        defer { player.withLock { $0 }?.end() }
        let log = KeeperLog()
        try keeper.start { log.receive($0) }
        #expect(keeper.format.audio?.sampleRate == 48_000)
        #expect(log.waitsForMore(20))
        let unplug = LabPlug.unplugMicrophone()
        #expect(log.waits(atMost: 20) { $0.returns.count == 1 })
        #expect(log.now.returns.first?.format.audio?.sampleRate == 44_100)
        #expect(log.waitsForMore(20))
        keeper.stop()
        unplug.wait()
    }

    @Test func run_cameraInUse_reportsTheOtherProgram() throws {
        let place = try TemporaryDirectory()
        let first = LabCommand(
            "exec \(Program.recorder) run first --camera /dev/video0 --microphone none --size 640x360 "
                + "--preset ultrafast --output \(place.path("first.mov"))")
        defer { first.end() }
        #expect(eventually { access(place.path("first.recording.mov"), F_OK) == 0 })
        let second = try Program.run(
            Program.recorder,
            [
                "run", "second", "--camera", "/dev/video0", "--microphone", "none", "--output",
                place.path("second.mov"),
            ])
        #expect(second.status != 0)
        #expect(
            second.errors.contains("cannot open /dev/video0: in use by recorder (process "), "\(second.errors)")
        #expect(second.errors.contains("run `fuser /dev/video0` to see which"))
        #expect(access(place.path("second.mov"), F_OK) != 0)
    }
}

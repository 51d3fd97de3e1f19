import MediaTypes
import RTSP
import Testing

@Suite struct CameraClockTests {
    /// The time of a frame at 25 frames a second.
    private let frame = 0.04

    @Test(arguments: [-200.0, 200.0]) func clock_driftFor24Hours_staysWithinAFrame(ppm: Double) throws {
        var camera = SimulatedCamera()
        camera.driftPPM = ppm
        camera.duration = 86_400
        camera.congestion = { $0.truncatingRemainder(dividingBy: 3600) > 3540 ? 0.2 : 0 }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < frame })
        #expect(result.isMonotone && result.notices.isEmpty)
        #expect(abs(try #require(result.clock.drift(stream: 0)) - ppm) < 3)
        #expect(abs(result.last[0] - result.last[1]) < 0.01)
    }

    @Test func clock_withoutReports_usesTheArrival() {
        var camera = SimulatedCamera()
        camera.sendsReports = false
        let result = camera.run()
        // The delay of video against audio cannot be known.
        let delay = SimulatedCamera.videoDelay - SimulatedCamera.audioDelay
        #expect(abs(result.last[0] - delay) < 0.01 && abs(result.last[1]) < 0.01 && result.notices.isEmpty)
    }

    /// A camera in its first seconds, whose reports are not used yet.
    private func beginningCamera(_ error: @escaping (Int) -> Double) -> SimulatedCamera {
        var camera = SimulatedCamera()
        (camera.rate, camera.duration, camera.jitter) = (25, 5, 0.002)
        camera.beginningError = error
        return camera
    }

    @Test func clock_beginningsStated_bringVideoToTheTimeOfAudio() {
        let result = beginningCamera { _ in 0 }.run()
        #expect(abs(result.last[0]) < 0.01 && abs(result.last[1]) < 0.01)
        #expect(result.notices.isEmpty && result.isMonotone)
    }

    @Test(arguments: [-0.5, 0.5]) func clock_beginningsContradictTheArrival_areNotBelieved(seconds: Double) throws {
        let result = beginningCamera { $0 == 0 ? seconds : 0 }.run()
        let delay = SimulatedCamera.videoDelay - SimulatedCamera.audioDelay
        #expect(abs(result.last[0] - delay) < 0.01 && abs(result.last[1]) < 0.01)
        try #require(result.notices.count == 1)
        guard case .beginningsDisagree(let stream, let difference) = result.notices[0] else {
            Issue.record("another notice")
            return
        }
        // A beginning that is stated too late makes the packets after it late.
        #expect(stream == (seconds > 0 ? 0 : 1) && abs(difference - abs(seconds + delay)) < 0.01)
    }

    @Test func clock_beginningFarFromThePackets_isNotUsed() {
        let result = beginningCamera { $0 == 0 ? 40 : 0 }.run()
        let delay = SimulatedCamera.videoDelay - SimulatedCamera.audioDelay
        #expect(abs(result.last[0] - delay) < 0.01 && result.notices.isEmpty)
    }

    @Test func clock_beginningsAndReports_agreeLater() {
        var camera = beginningCamera { _ in 0 }
        camera.duration = 120
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < 0.01 } && result.notices.isEmpty)
    }

    @Test func clock_withReports_bringsVideoToTheTimeOfAudio() {
        let result = SimulatedCamera().run()
        #expect(abs(result.last[0]) < 0.01 && abs(result.last[1]) < 0.01)
    }

    @Test func clock_cameraIn1970_saysSoAndStaysInSync() {
        var camera = SimulatedCamera()
        camera.wallStart = 2_208_988_800
        let result = camera.run()
        #expect(result.notices == [.wrongDate(seconds: -1_691_011_200)] && result.worst[1] < frame)
        #expect(abs(result.last[0] - result.last[1]) < 0.01)
    }

    @Test func clock_wallClockWrapsIn2036_isNoJump() {
        var camera = SimulatedCamera()
        camera.wallStart = .max - 100
        let result = camera.run()
        #expect(result.notices.count == 1 && abs(result.last[0] - result.last[1]) < 0.01)
        guard case .wrongDate = result.notices.first else {
            Issue.record("the date is far in the future")
            return
        }
    }

    @Test func clock_wallClockIsSet_keepsItsTimes() {
        var camera = SimulatedCamera()
        camera.wallError = { time, _ in time > 300 ? 3600 : 0 }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < frame } && result.isMonotone)
        #expect(result.notices.count == 1)
        guard case .reportsJumped(_, let seconds) = result.notices.first else {
            Issue.record("no notice")
            return
        }
        #expect(abs(seconds - 3600) < 0.1)
    }

    @Test func clock_oneStreamsReportsLie_usesTheArrival() {
        var camera = SimulatedCamera()
        camera.wallError = { _, stream in stream == 0 ? 7200 : 0 }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < frame })
        let disagreeing = result.notices.filter { if case .streamsDisagree = $0 { true } else { false } }
        #expect(!disagreeing.isEmpty && disagreeing.count <= 2)
    }

    @Test func clock_reportsAtRandom_areNotBelieved() {
        var camera = SimulatedCamera()
        camera.wallError = { time, _ in 1000 * (time * 7.3).truncatingRemainder(dividingBy: 3) }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < frame } && result.isMonotone)
        #expect(result.notices.contains { if case .reportsUnsteady = $0 { true } else { false } })
    }

    @Test func clock_reportsOfOtherTimes_areNotBelieved() {
        var camera = SimulatedCamera()
        camera.reportTickError = { _, stream in stream == 0 ? 500 : 0 }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < frame })
        guard case .reportsContradictPackets(0, let seconds) = result.notices.first else {
            Issue.record("no notice")
            return
        }
        #expect(abs(seconds + 500) < 0.1)
    }

    @Test func clock_wallClockThatStands_isReported() {
        var clock = CameraClock(clockRates: [90_000])
        for second in Int64(0)..<30 {
            clock.observe(second * 90_000, stream: 0, at: second * 1_000_000_000)
            let report = RTCPPacket.SenderReport(
                source: 1, time: NTPTime(seconds: 3_900_000_000, fraction: 0), timestamp: UInt32(second * 90_000),
                packetCount: 0, byteCount: 0)
            clock.report(report, stream: 0, at: second * 1_000_000_000)
        }
        #expect(clock.takeNotices() == [.reportsStandStill(stream: 0)])
    }

    @Test func clock_withoutWallClock_isReportedOnce() {
        var clock = CameraClock(clockRates: [90_000])
        clock.observe(0, stream: 0, at: 0)
        let report = RTCPPacket.SenderReport(source: 1, time: NTPTime(0), timestamp: 0, packetCount: 0, byteCount: 0)
        clock.report(report, stream: 0, at: 1)
        clock.report(report, stream: 0, at: 2)
        #expect(clock.takeNotices() == [.withoutWallClock(stream: 0)])
    }

    @Test(arguments: [1000.0, -300.0]) func clock_timesJump_followsAtOnce(seconds: Double) {
        var camera = SimulatedCamera()
        camera.tickError = { time, stream in time > 300 && stream == 0 ? seconds : 0 }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < 0.15 } && result.isMonotone)
        #expect(abs(result.last[0]) < 0.01)
        #expect(result.notices.count == 1)
        guard case .timesJumped(0, let jump) = result.notices.first else {
            Issue.record("no notice")
            return
        }
        #expect(abs(jump - seconds) < 0.2)
    }

    @Test func clock_congestionOfAMinute_isNoJump() {
        var camera = SimulatedCamera()
        camera.congestion = { $0 > 300 && $0 < 360 ? 0.3 : 0 }
        let result = camera.run()
        #expect(result.worst.allSatisfy { $0 < frame } && result.notices.isEmpty)
    }

    @Test func clock_burstAtTheStart_isNeverFarAhead() {
        var clock = CameraClock(clockRates: [90_000])
        var last = MediaTime.invalid
        // Two seconds of frames that the camera had buffered arrive within 10 ms, then live ones.
        for index in Int64(0)..<500 {
            let live = index * 40_000_000
            let arrival = index < 50 ? 2_000_000_000 + index * 200_000 : live + 10_000_000
            clock.observe(index * 3600, stream: 0, at: arrival)
            let time = clock.time(of: index * 3600, stream: 0)
            #expect(time.nanoseconds <= arrival + 150_000_000)
            if last.isValid { #expect(time > last) }
            last = time
        }
        #expect(abs(last.nanoseconds - (499 * 40_000_000 + 10_000_000)) < 20_000_000)
    }

    @Test func clock_newSource_startsAgainLater() {
        var clock = CameraClock(clockRates: [90_000])
        clock.observe(5_000_000, stream: 0, at: 1_000_000_000)
        let before = clock.time(of: 5_000_000, stream: 0)
        clock.restart(stream: 0)
        clock.observe(100, stream: 0, at: 2_000_000_000)
        let after = clock.time(of: 100, stream: 0)
        #expect(before.nanoseconds == 1_000_000_000 && after.nanoseconds == 2_000_000_000)
    }
}

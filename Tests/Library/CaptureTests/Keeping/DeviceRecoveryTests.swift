import FakeDevices
import MediaTypes
import Testing

@testable import Capture

@Suite struct DeviceRecoveryTests {
    private let ms: Int64 = 1_000_000

    /// A recovery that was started, failed and closed at time 0.
    private func lost() -> DeviceRecovery {
        var recovery = DeviceRecovery()
        recovery.started()
        _ = recovery.failed(FakeDevice.unplugged, at: 0)
        _ = recovery.step(at: 0)
        recovery.closed(at: 0)
        return recovery
    }

    /// The delays before the next failed attempts, in milliseconds.
    private func delays(_ recovery: inout DeviceRecovery, from start: Int64, count: Int) -> [Int64] {
        var now = start
        return (0..<count).map { _ in
            let wait = (recovery.due ?? -1) - now
            now += wait
            #expect(recovery.step(at: now) == .open)
            _ = recovery.refused(FakeDevice.missing, at: now)
            return wait / ms
        }
    }

    @Test func deviceRecovery_disconnect_closesThenRetriesWithBackoff() {
        var recovery = DeviceRecovery()
        recovery.started()
        #expect(recovery.step(at: 0) == nil && recovery.due == nil)
        #expect(recovery.failed(FakeDevice.unplugged, at: 0) == true)
        #expect(recovery.step(at: 0) == .close)
        #expect(recovery.step(at: 0) == nil)
        recovery.closed(at: 0)
        #expect(delays(&recovery, from: 0, count: 7) == [0, 250, 500, 1000, 2000, 2000, 2000])
    }

    @Test func deviceRecovery_hint_advancesTheNextAttempt() {
        var recovery = lost()
        _ = delays(&recovery, from: 0, count: 6)
        let last = 5750 * ms
        #expect(recovery.due == last + 2000 * ms)
        recovery.hinted(at: last + 1000 * ms)
        #expect(recovery.due == last + 1000 * ms)
        // Attempts are frequent again afterwards: a node exists before its permissions are set.
        #expect(delays(&recovery, from: last + 1000 * ms, count: 3) == [0, 250, 500])
    }

    @Test func deviceRecovery_manyHints_limitsAttemptsTo4PerSecond() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        recovery.hinted(at: 10 * ms)
        _ = recovery.refused(FakeDevice.taken, at: 20 * ms)
        #expect(recovery.due == 250 * ms)
        recovery.hinted(at: 30 * ms)
        #expect(recovery.due == 250 * ms)
    }

    @Test func deviceRecovery_reopened_isBackAtItsFirstSample() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        #expect(recovery.reopened() == true)
        #expect(recovery.phase == .proving)
        #expect(recovery.delivered(at: 40 * ms) == true)
        #expect(recovery.delivered(at: 80 * ms) == false)
        #expect(recovery.phase == .running)
    }

    @Test func deviceRecovery_opensWithoutDelivering_backsOff() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        #expect(recovery.reopened() == true)
        #expect(recovery.failed(FakeDevice.unplugged, at: 0) == false, "it was never back, so it is not gone again")
        #expect(recovery.step(at: 0) == .close)
        recovery.closed(at: 0)
        #expect(recovery.due == 250 * ms)
    }

    @Test func deviceRecovery_failsSoonAfterReconnect_waitsBeforeRetry() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        _ = recovery.reopened()
        _ = recovery.delivered(at: 0)
        _ = recovery.delivered(at: 1500 * ms)
        // A frozen device is noticed late.
        #expect(recovery.failed(FakeDevice.unplugged, at: 1999 * ms) == true)
        _ = recovery.step(at: 1999 * ms)
        recovery.closed(at: 1999 * ms)
        #expect(recovery.due == 2249 * ms)
        #expect(recovery.step(at: 2249 * ms) == .open)
        _ = recovery.reopened()
        _ = recovery.delivered(at: 2300 * ms)
        // A device that ran for two seconds is tried at once.
        _ = recovery.delivered(at: 4300 * ms)
        #expect(recovery.failed(FakeDevice.unplugged, at: 4300 * ms) == true)
        _ = recovery.step(at: 4300 * ms)
        recovery.closed(at: 4300 * ms)
        #expect(recovery.due == 4300 * ms)
    }

    @Test func deviceRecovery_sameRefusalTwice_isReportedOnce() {
        var recovery = lost()
        var told: [Bool] = []
        let (missing, taken) = (FakeDevice.missing, FakeDevice.taken)
        for (index, error) in [missing, taken, missing, taken, taken, taken, missing].enumerated() {
            let now = Int64(index) * 10_000 * ms
            #expect(recovery.step(at: now) == .open)
            told.append(recovery.refused(error, at: now))
        }
        #expect(told == [false, false, false, false, true, false, false])
    }

    @Test func deviceRecovery_stopped_doesNotRetry() {
        var recovery = lost()
        recovery.stop()
        recovery.hinted(at: 0)
        #expect(recovery.step(at: 0) == .end)
        #expect(recovery.reopened() == false)
        #expect(recovery.delivered(at: 0) == false)
        #expect(recovery.failed(FakeDevice.unplugged, at: 0) == false)
    }
}

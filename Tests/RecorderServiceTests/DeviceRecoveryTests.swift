import Capture
import MediaTypes
import Testing

@testable import RecorderService

@Suite struct DeviceRecoveryTests {
    private let ms: Int64 = 1_000_000

    /// Started, failed and closed at time 0.
    private func lost() -> DeviceRecovery {
        var recovery = DeviceRecovery()
        recovery.started()
        _ = recovery.failed(FakeDevice.unplugged, at: 0)
        _ = recovery.step(at: 0)
        recovery.closed(at: 0)
        return recovery
    }

    /// The distances of the next tries that come to nothing, in milliseconds.
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

    @Test func aLostDeviceIsClosedAndThenTriedAtOnceAndEverMoreSeldom() {
        var recovery = DeviceRecovery()
        recovery.started()
        #expect(recovery.step(at: 0) == nil && recovery.due == nil)
        #expect(recovery.failed(FakeDevice.unplugged, at: 0) == true)
        #expect(recovery.step(at: 0) == .close)
        #expect(recovery.step(at: 0) == nil)
        recovery.closed(at: 0)
        #expect(delays(&recovery, from: 0, count: 7) == [0, 250, 500, 1000, 2000, 2000, 2000])
    }

    @Test func aHintBringsTheNextTryForward() {
        var recovery = lost()
        _ = delays(&recovery, from: 0, count: 6)
        let last = 5750 * ms
        #expect(recovery.due == last + 2000 * ms)
        recovery.hinted(at: last + 1000 * ms)
        #expect(recovery.due == last + 1000 * ms)
        // And from there on often again: a node is there before its permissions are.
        #expect(delays(&recovery, from: last + 1000 * ms, count: 3) == [0, 250, 500])
    }

    @Test func hintsInAFloodAreTriesAQuarterOfASecondApart() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        recovery.hinted(at: 10 * ms)
        _ = recovery.refused(FakeDevice.taken, at: 20 * ms)
        #expect(recovery.due == 250 * ms)
        recovery.hinted(at: 30 * ms)
        #expect(recovery.due == 250 * ms)
    }

    @Test func aDeviceIsBackWithItsFirstSampleAndNotBefore() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        #expect(recovery.reopened() == true)
        #expect(recovery.phase == .proving)
        #expect(recovery.delivered(at: 40 * ms) == true)
        #expect(recovery.delivered(at: 80 * ms) == false)
        #expect(recovery.phase == .running)
    }

    @Test func aDeviceThatOpensButNeverDeliversIsTriedEverMoreSeldom() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        #expect(recovery.reopened() == true)
        #expect(recovery.failed(FakeDevice.unplugged, at: 0) == false, "it was never back, so it is not gone again")
        #expect(recovery.step(at: 0) == .close)
        recovery.closed(at: 0)
        #expect(recovery.due == 250 * ms)
    }

    @Test func aDeviceThatFailsSoonAfterItsReturnIsNotTriedAtOnce() {
        var recovery = lost()
        #expect(recovery.step(at: 0) == .open)
        _ = recovery.reopened()
        _ = recovery.delivered(at: 0)
        _ = recovery.delivered(at: 1500 * ms)
        // What froze is noticed late.
        #expect(recovery.failed(FakeDevice.unplugged, at: 1999 * ms) == true)
        _ = recovery.step(at: 1999 * ms)
        recovery.closed(at: 1999 * ms)
        #expect(recovery.due == 2249 * ms)
        #expect(recovery.step(at: 2249 * ms) == .open)
        _ = recovery.reopened()
        _ = recovery.delivered(at: 2300 * ms)
        // But one that ran for two seconds is.
        _ = recovery.delivered(at: 4300 * ms)
        #expect(recovery.failed(FakeDevice.unplugged, at: 4300 * ms) == true)
        _ = recovery.step(at: 4300 * ms)
        recovery.closed(at: 4300 * ms)
        #expect(recovery.due == 4300 * ms)
    }

    @Test func whyItStaysAwayIsToldOnceAndOnlyWhenItHappensTwice() {
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

    @Test func nothingIsTriedAfterTheStop() {
        var recovery = lost()
        recovery.stop()
        recovery.hinted(at: 0)
        #expect(recovery.step(at: 0) == .end)
        #expect(recovery.reopened() == false)
        #expect(recovery.delivered(at: 0) == false)
        #expect(recovery.failed(FakeDevice.unplugged, at: 0) == false)
    }
}

@Suite struct DeviceRateTests {
    @Test func theMeterFollowsARateThatChangesUnannounced() throws {
        var meter = FrameRateMeter()
        for index in 0..<90 { meter.add(MediaTime(value: Int64(index), timescale: 30)) }
        #expect(abs((try #require(meter.current)) - 30) < 0.5)
        for index in 0..<45 { meter.add(MediaTime(value: Int64(45 + index), timescale: 15)) }
        #expect(abs((try #require(meter.current)) - 15) < 0.5)
    }
}

@Suite struct AbsenceAccountTests {
    private func frame(_ time: Int) -> SampleBuffer {
        let layout = PixelLayout(format: .nv12, width: 64, height: 32)
        let pixels = PixelBuffer(layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
        return SampleBuffer(pixels: pixels, presentationTime: milliseconds(time))
    }

    private func camera(_ rate: FrameRate?) -> AbsenceAccount {
        AbsenceAccount(start: .zero, format: FakeSource.camera().format, frameRate: rate)
    }

    @Test func aCamerasAbsenceIsCountedInFramesOfItsRate() {
        var account = camera(FrameRate(25))
        account.add(frame(1000))
        #expect(account.end == milliseconds(1040))
        #expect(account.missing(before: milliseconds(1040)) == 0)
        #expect(account.missing(before: milliseconds(1080)) == 1)
        #expect(account.missing(before: milliseconds(3040)) == 50)
        // Not before the next frame would have been due by half.
        #expect(account.missing(before: milliseconds(1055)) == 0)
        #expect(account.missing(before: .zero) == 0)
    }

    @Test func withoutARateTheDistanceOfTheLastTwoFramesCounts() {
        var account = camera(nil)
        account.add(frame(0))
        #expect(account.missing(before: milliseconds(1000)) == 0, "nobody knows")
        account.add(frame(100))
        #expect(account.missing(before: milliseconds(1000)) == 8)
    }

    @Test func aBrokenFrameIsCountedOnlyOnce() {
        var account = camera(FrameRate(10))
        account.add(frame(0))
        account.addBroken(at: milliseconds(100))
        #expect(account.missing(before: milliseconds(300)) == 1)
    }

    @Test func aPictureFromBeforeTheAbsenceIsStale() {
        var account = camera(FrameRate(10))
        #expect(!account.isStale(frame(0)))
        account.add(frame(500))
        account.expect(FakeSource.camera().format, FrameRate(5))
        #expect(account.isStale(frame(500)) && !account.isStale(frame(501)))
    }

    @Test func aMicrophonesAbsenceIsCountedInAudioFrames() {
        var account = AbsenceAccount(start: .zero, format: FakeSource.microphone().format, frameRate: nil)
        account.add(sound(at: 100))
        let end = account.end
        #expect(account.missing(before: end) == 0)
        #expect(account.missing(before: end + milliseconds(1000)) == 48_000)
        // A block that begins a little early overlaps; nothing is missing then.
        #expect(account.missing(before: end - milliseconds(5)) == 0)
    }
}

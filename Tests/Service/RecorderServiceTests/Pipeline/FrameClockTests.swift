import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderService

@Suite struct FrameClockTests {
    private static let epoch: Int64 = 1_800_000_000_000_000_000

    /// Clocks that a test sets. The wall clock may be read late, as by a thread that is preempted.
    private final class Clocks: HostClock {
        private let state = Locked((device: Int64(5_000_000_000), offset: epoch, late: Int64(0)))

        var nanoseconds: Int64 { state.withLock { $0.device } }

        var wall: Date {
            let time = state.withLock { state in
                state.device += state.late
                return state.device + state.offset
            }
            let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
            return Date(timeIntervalSince1970: Double(seconds) + Double(rest) / 1e9)
        }

        func set(offset: Int64) { state.withLock { $0.offset = offset } }
        func set(late: Int64) { state.withLock { $0.late = late } }
        func advance(by nanoseconds: Int64) { state.withLock { $0.device += nanoseconds } }
    }

    private static func clock(_ clocks: Clocks) -> FrameClock { FrameClock(clock: clocks) { clocks.wall } }

    /// The time in microseconds, the unit of the kernel's timestamps.
    private static func microseconds(_ wall: Int64) -> Int64 { (wall + 500) / 1000 }

    @Test func wall_everyMillisecond_isExact() {
        let clocks = Clocks()
        var clock = Self.clock(clocks)
        for millisecond in stride(from: Int64(0), to: 5000, by: 7) {
            let time = MediaTime(nanoseconds: millisecond * 1_000_000)
            let wall = clock.wall(at: time)
            #expect(Self.microseconds(wall) == 1_800_000_000_000_000 + millisecond * 1000)
            clocks.advance(by: 6_999_123)
        }
    }

    @Test func wall_lateReadings_doNotChangeTheOffset() {
        let clocks = Clocks()
        var clock = Self.clock(clocks)
        let time = MediaTime(nanoseconds: 3_000_000_000)
        let first = clock.wall(at: time)
        clocks.set(late: 3_000_000)
        for _ in 0..<20 {
            let next = clock.wall(at: time)
            #expect(next == first)
        }
    }

    @Test func wall_lateFirstReadings_areCorrectedByTheNextOne() {
        let clocks = Clocks()
        clocks.set(late: 2_000_000)
        var clock = Self.clock(clocks)
        let time = MediaTime(nanoseconds: 3_000_000_000)
        let exact = Self.epoch + 3_000_000_000
        let first = clock.wall(at: time)
        #expect(abs(first - exact) <= 2_000_000)
        clocks.set(late: 0)
        let second = clock.wall(at: time)
        #expect(Self.microseconds(second) == exact / 1000)
    }

    @Test func wall_clockIsSet_takesEffectWithTheNextFrame() {
        let clocks = Clocks()
        var clock = Self.clock(clocks)
        let time = MediaTime(nanoseconds: 4_000_000_000)
        let first = clock.wall(at: time)
        #expect(Self.microseconds(first) == 1_800_000_004_000_000)
        for step: Int64 in [1_000_000_000, -3_600_000_000_000, 1_000_000] {
            clocks.set(offset: Self.epoch + step)
            let next = clock.wall(at: time)
            #expect(Self.microseconds(next) == 1_800_000_004_000_000 + step / 1000)
        }
    }

    @Test func wall_systemClocks_areNearNow() {
        var clock = FrameClock()
        let now = MediaTime(nanoseconds: MonotonicClock().nanoseconds)
        let wall = Double(clock.wall(at: now)) / 1e9
        #expect(abs(wall - Date().timeIntervalSince1970) < 1)
    }
}

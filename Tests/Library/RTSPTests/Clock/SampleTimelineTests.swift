import Testing

@testable import RTSP

@Suite struct SampleTimelineTests {
    private static let frame: Int64 = 40_000_000

    /// Returns the times of frames at 25 frames a second, in the order of their numbers.
    private func times(_ frames: [Int64], isStarting: Bool, error: (Int64) -> Int64) -> [Int64] {
        var timeline = SampleTimeline(clockRate: 90_000)
        let placed = frames.map { number in
            let time = timeline.place(
                number * 3600, target: number * Self.frame + error(number), isStarting: isStarting)
            return (number, time)
        }
        return placed.sorted { $0.0 < $1.0 }.map(\.1)
    }

    private let pyramid: [Int64] = [0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11]

    @Test func timeline_pyramid_keepsItsDistances() {
        let times = times(pyramid, isStarting: false) { _ in 0 }
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == Self.frame })
    }

    @Test(arguments: [true, false]) func timeline_errorWithinAPyramid_keepsTheOrder(isStarting: Bool) {
        for delay in [Int64(100_000_000), 300_000_000, 2_000_000_000] {
            let times = times(pyramid, isStarting: isStarting) { $0 == 0 ? delay : 0 }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(delay)")
        }
    }

    @Test func timeline_frameBeforeTheFirst_isEarlier() {
        let times = times([8, 6, 7, 9], isStarting: false) { _ in 0 }
        #expect(times == [6, 7, 8, 9].map { $0 * Self.frame })
    }
}

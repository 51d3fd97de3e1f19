import FakeDevices
import MediaTypes
import Testing

@testable import RecorderService

/// The frames of a stream with a lower frame rate.
@Suite struct FramePaceTests {
    /// Returns the times that are taken, in milliseconds.
    private func taken(_ rate: FrameRate, of times: some Sequence<Int>) -> [Int] {
        var pace = FramePace(rate)
        return times.filter { pace.takes(milliseconds($0)) }
    }

    @Test func pace_regularCamera_takesEveryFifthFrame() {
        #expect(
            taken(FrameRate(5), of: stride(from: 1000, through: 2000, by: 40)) == [1000, 1200, 1400, 1600, 1800, 2000])
    }

    @Test func pace_unevenCamera_keepsTheAverageRate() {
        let shifts = [0, 9, -9, 4, -4]
        let times = (0..<300).map { 1000 + $0 * 40 + shifts[$0 % 5] }
        #expect(abs(taken(FrameRate(5), of: times).count - 60) <= 1)
        let uneven = (0..<240).map { $0 * 125 / 3 }
        #expect(abs(taken(FrameRate(5), of: uneven).count - 50) <= 1)
    }

    @Test func pace_slowerCamera_takesEachFrame() {
        let times = Array(stride(from: 0, through: 5000, by: 250))
        #expect(taken(FrameRate(5), of: times) == times)
    }

    @Test func pace_afterAGap_takesTheNextFrameAndNoBurst() {
        #expect(taken(FrameRate(5), of: [0, 40, 3000, 3040, 3080, 3200]) == [0, 3000, 3200])
    }

    @Test func pace_timesFarBack_begin() {
        #expect(taken(FrameRate(5), of: [10_000, 1000, 1040, 1200]) == [10_000, 1000, 1200])
    }

    @Test func restart_nextFrame_isTaken() {
        var pace = FramePace(FrameRate(5))
        #expect(pace.takes(milliseconds(0)) && !pace.takes(milliseconds(40)))
        pace.restart()
        #expect(pace.takes(milliseconds(80)) && !pace.takes(milliseconds(120)))
    }
}

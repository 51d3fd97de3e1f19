import RTSP
import Testing

@Suite struct FrameGapsTests {
    /// Returns the number of missing frames. A negative number of lost packets stands for a dropped frame.
    private func missing(_ frames: [(Int64, lost: Int64)], depth: Int) -> Int64 {
        var gaps = FrameGaps(clockRate: 90_000)
        return frames.reduce(0) { sum, frame in
            guard frame.lost >= 0 else {
                gaps.addDropped(frame.0 * 3000, count: 1)
                return sum
            }
            return sum + gaps.add(frame.0 * 3000, lostPackets: frame.lost, depth: depth)
        }
    }

    private func arrived(_ numbers: [Int64]) -> [(Int64, lost: Int64)] { numbers.map { ($0, lost: 0) } }

    @Test func gaps_inOrder_countAtOnce() {
        #expect(missing(arrived([0, 1, 2]) + [(5, lost: 9)], depth: 0) == 2)
        #expect(missing(arrived([0, 1, 2]) + [(5, lost: 1)], depth: 0) == 1, "no more than the packets")
        #expect(missing(arrived([0, 1, 2, 5]), depth: 0) == 0, "no packet is missing")
    }

    @Test func gaps_ofAPyramid_areNone() {
        let frames = arrived([0, 4, 2, 1, 3, 8]) + [(6, lost: 1)] + arrived([5, 7, 12, 10, 9, 11])
        #expect(missing(frames, depth: 2) == 0)
    }

    @Test func gaps_frameOfAPyramidIsLost_countsIt() {
        // Without 5, which was one packet.
        let frames = arrived([0, 4, 2, 1, 3, 8, 6]) + [(7, lost: 1)] + arrived([12, 10, 9, 11])
        #expect(missing(frames, depth: 2) == 1)
    }

    @Test func gaps_anchorOfAPyramidIsLost_countsIt() {
        let frames = arrived([0, 4, 2, 1, 3]) + [(6, lost: 3)] + arrived([5, 7, 12, 10, 9, 11])
        #expect(missing(frames, depth: 2) == 1)
    }

    @Test func gaps_droppedFrame_countsOnce() {
        let frames = arrived([0, 4, 2, 1, 3, 8, 6]) + [(5, lost: -1), (7, lost: 1)] + arrived([12, 10, 9, 11])
        #expect(missing(frames, depth: 2) == 0)
    }

    @Test func gaps_timesStepBack_countNothing() {
        let frames = arrived([1000, 1001, 1002]) + [(0, lost: 5)] + arrived([1, 2])
        #expect(missing(frames, depth: 0) == 0)
    }
}

import RTSP
import TestSupport
import Testing

@Suite struct FrameOrderTests {
    /// A frame duration in nanoseconds.
    private static let frame: Int64 = 40_000_000

    /// An order and what became of its frames. Times are counted in frames from 1 s on.
    private struct Run {
        var order = FrameOrder(frameDuration: frame)
        var times: [Int64] = []
        /// The decode time of each frame; nil for one that is refused.
        var decoded: [Int64?] = []

        init(depth: Int? = nil) { if let depth { order.declare(depth) } }

        mutating func add(_ time: Int64, isKeyframe: Bool = false) {
            times.append(time)
            decoded.append(order.place(time, isKeyframe: isKeyframe))
        }

        mutating func add(frames: [Int64], keyframes: Set<Int64> = [0]) {
            for number in frames {
                add(1_000_000_000 + number * FrameOrderTests.frame, isKeyframe: keyframes.contains(number))
            }
        }

        /// The decode times in frames.
        var numbers: [Int64?] { decoded.map { $0.map { ($0 - 1_000_000_000) / FrameOrderTests.frame } } }
        var refused: Int { decoded.count { $0 == nil } }

        /// Returns true if decode times increase, and no frame is shown before it is decoded.
        var isValid: Bool {
            let known = decoded.compactMap(\.self)
            let isIncreasing = zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
            return isIncreasing && zip(times, decoded).allSatisfy { $1 ?? $0 <= $0 }
        }
    }

    /// Returns frames in decode order: a keyframe, then groups of an anchor and the frames before it.
    private func pyramid(_ group: [Int64], count: Int) -> [Int64] {
        let length = group.max() ?? 1
        return [0] + (0..<Int64(count)).flatMap { index in group.map { index * length + $0 } }
    }

    @Test func order_withoutReordering_isThatOfTheFrames() {
        var run = Run()
        run.add(frames: [0, 1, 2, 5, 6])
        #expect(run.numbers == [0, 1, 2, 5, 6] && run.order.depth == 0)
    }

    @Test func order_pyramidOfOneLevel_isOneFrameBehind() {
        var run = Run(depth: 1)
        run.add(frames: [0, 3, 1, 2, 6, 4, 5])
        #expect(run.numbers == [-1, 0, 1, 2, 3, 4, 5])
    }

    @Test func order_pyramidOfTwoLevels_isTwoFramesBehind() {
        var run = Run(depth: 2)
        run.add(frames: [0, 4, 2, 1, 3, 8, 6, 5, 7])
        #expect(run.numbers == [-2, -1, 0, 1, 2, 3, 4, 5, 6])
    }

    @Test func order_pyramidOfThreeLevels_isThreeFramesBehind() {
        var run = Run(depth: 3)
        run.add(frames: [0, 8, 4, 2, 1, 3, 6, 5, 7, 16])
        #expect(run.numbers == [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6])
    }

    @Test func order_irregularTimes_areDecodeTimesToo() {
        var run = Run(depth: 2)
        let milliseconds: [Int64] = [0, 170, 90, 33, 101, 400, 260, 200, 333]
        for time in milliseconds { run.add(1_000_000_000 + time * 1_000_000, isKeyframe: time == 0) }
        #expect(run.isValid && run.refused == 0)
        let shown = milliseconds.sorted().prefix(7).map { 1_000_000_000 + $0 * 1_000_000 }
        #expect(run.decoded.dropFirst(2).compactMap(\.self) == shown)
    }

    @Test(arguments: 0..<40) func order_randomPyramidWithLosses_refusesNothing(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let groups: [[Int64]] = [[1], [2, 1], [4, 2, 1, 3], [8, 4, 2, 1, 3, 6, 5, 7]]
        let level = Int.random(in: 0...3, using: &random)
        var run = Run(depth: level)
        var times: [Int64] = [0]
        for _ in 0..<200 { times.append((times.last ?? 0) + Int64.random(in: 1...200_000_000, using: &random)) }
        for number in pyramid(groups[level], count: 20) {
            let isLost = number > 0 && Int.random(in: 0..<8, using: &random) == 0
            if !isLost { run.add(5_000_000_000 + times[Int(number)], isKeyframe: number == 0) }
        }
        #expect(run.isValid && run.refused == 0)
    }

    @Test func order_unknownDepth_isLearnedAtTheNextKeyframe() {
        var run = Run()
        run.add(frames: [0, 4, 2, 1, 3, 8, 6, 5, 7])
        #expect(run.refused == 6 && run.order.depth == 0)
        run.add(frames: [9, 13, 11, 10, 12, 17, 15, 14, 16], keyframes: [9])
        #expect(run.refused == 6 && run.order.depth == 2 && run.isValid)
    }

    @Test func order_depthThatIsTooSmall_growsAtTheNextKeyframe() {
        var run = Run(depth: 1)
        run.add(frames: [0, 8, 4, 2, 1, 3, 6, 5, 7])
        #expect(run.refused > 0 && run.isValid)
        let refused = run.refused
        run.add(frames: [9, 17, 13, 11, 10, 12, 15, 14, 16, 25], keyframes: [9])
        #expect(run.refused == refused && run.order.depth == 3 && run.isValid)
    }

    @Test func order_keyframeWithLeadingFrames_continues() {
        var run = Run(depth: 2)
        // An open GOP: the keyframe 8 is shown after 5 to 7, which follow it.
        run.add(frames: [0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11], keyframes: [0, 8])
        #expect(run.numbers == [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test func order_sameTimeTwice_isRefused() {
        var run = Run(depth: 2)
        run.add(frames: [0, 4, 4, 2, 2])
        #expect(run.decoded.map { $0 == nil } == [false, false, true, false, true])
        var plain = Run()
        plain.add(frames: [0, 1, 1, 2])
        #expect(plain.decoded.map { $0 == nil } == [false, false, true, false])
    }

    @Test func order_afterAGap_isNotBehindByTheGap() {
        var run = Run(depth: 2)
        run.add(frames: [0, 4, 2, 1, 3])
        run.add(frames: [1000, 1004, 1002, 1001, 1003], keyframes: [1000])
        #expect(run.isValid && run.refused == 0)
        #expect(Array(run.numbers.suffix(5)) == [998, 999, 1000, 1001, 1002])
    }

    @Test func order_afterARestart_usesTheRoomThatIsLeft() {
        var run = Run(depth: 2)
        run.add(frames: [0, 4, 2, 1, 3])
        run.order.restart()
        // One frame duration after the last one: two decode times have to fit before it.
        run.add(frames: [5, 9, 7, 6, 8], keyframes: [5])
        #expect(run.isValid && run.refused == 0)
    }

    @Test func order_smallerDepthLater_keepsTheLargerOne() {
        var run = Run(depth: 2)
        run.add(frames: [0, 4, 2, 1, 3])
        run.order.declare(0)
        run.add(frames: [5, 6, 7], keyframes: [5])
        #expect(run.order.depth == 2 && run.isValid && run.refused == 0)
    }
}

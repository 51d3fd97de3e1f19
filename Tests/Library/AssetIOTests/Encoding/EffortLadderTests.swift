import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct EffortLadderTests {
    /// A camera with 30 fps and an encoder with a cost for each frame, in virtual time.
    private struct Bench {
        /// Milliseconds for a frame at each step.
        var costs: [Double]
        var mayReduceEffort = true
        /// The factor by which a frame costs more at a time, in seconds.
        var load: (Double) -> Double = { _ in 1 }
        var budget = RealTimeBudget(duration: MediaTime(value: 4, timescale: 1), bytes: .max)

        struct Outcome {
            var lost: Int64 = 0
            var eased = 0
            /// Every change of step, with its time.
            var changes: [(second: Double, step: Int)] = []
        }

        func run(seconds: Int64) throws -> Outcome {
            var state = Admission(
                TrackTraits(mediaType: .video, isRealTime: true, hint: Self.sample(0).format, budget: budget))
            state.open(sessionStart: .zero)
            var ladder = EffortLadder(steps: costs.count - 1)
            var outcome = Outcome()
            var (number, free) = (Int64(0), Int64(0))
            while number < seconds * 30 {
                let arrival = number * 1_000_000_000 / 30
                guard free <= arrival, state.queue.count > 0, case .sample? = state.nextWork() else {
                    if state.queue.count == 0 { free = max(free, arrival) }
                    _ = try state.append(Self.sample(number), mayContinue: true, mayWait: false)
                    number += 1
                    continue
                }
                if let wish = ladder.wish(pressure: state.queue.fill, at: free, mayReduceEffort: mayReduceEffort) {
                    ladder.took(wish, at: free)
                    outcome.changes.append((Double(free) / 1e9, ladder.step))
                }
                if ladder.step > 0 { outcome.eased += 1 }
                free += Int64(costs[ladder.step] * load(Double(free) / 1e9) * 1_000_000)
            }
            outcome.lost = state.ledger[dropped: .encoder]
            return outcome
        }

        private static func sample(_ number: Int64) -> SampleBuffer {
            SampleBuffer(
                format: .video(VideoFormat(codec: .mjpeg, width: 2, height: 2)), content: .data(MediaData([1])),
                presentationTime: MediaTime(value: number, timescale: 30))
        }
    }

    @Test func ladder_lowerStepSuffices_dropsNothing() throws {
        for costs in [[40, 30], [60, 45, 25], [100, 80, 60, 40, 30]] as [[Double]] {
            #expect(try Bench(costs: costs).run(seconds: 120).lost == 0, "\(costs)")
            #expect(try Bench(costs: costs, mayReduceEffort: false).run(seconds: 120).lost > 100, "\(costs)")
        }
    }

    @Test func ladder_suddenlyHardScene_dropsNothing() throws {
        // Frames cost four times as much for eight seconds.
        let bench = Bench(costs: [28, 16, 15, 9, 6], load: { 20..<28 ~= $0 ? 4 : 1 })
        let outcome = try bench.run(seconds: 120)
        #expect(outcome.lost == 0 && outcome.changes.last?.step == 0)
    }

    /// The memory holds only one second of frames.
    @Test func ladder_smallQueue_reducesEffortInTime() throws {
        let budget = RealTimeBudget(duration: MediaTime(value: 4, timescale: 1), bytes: 30)
        #expect(try Bench(costs: [50, 40, 30], budget: budget).run(seconds: 60).lost == 0)
    }

    @Test func ladder_noPressure_keepsFullEffort() throws {
        #expect(try Bench(costs: [32, 1]).run(seconds: 300).changes.isEmpty)
        // Now and then a frame takes a second, and the queue empties by itself.
        let stalls = Bench(costs: [15, 1], load: { $0.truncatingRemainder(dividingBy: 10) < 0.02 ? 66 : 1 })
        #expect(try stalls.run(seconds: 120).changes.isEmpty)
    }

    @Test func ladder_dropPolicy_neverReducesEffort() throws {
        #expect(try Bench(costs: [50, 1], mayReduceEffort: false).run(seconds: 20).eased == 0)
    }

    @Test func ladder_roomForTenSeconds_goesUpOneStep() throws {
        let bench = Bench(costs: [20, 16, 12], load: { $0 < 10 ? 2.7 : 1 })
        let changes = try bench.run(seconds: 60).changes
        #expect(changes.map { $0.step } == [1, 2, 1, 0])
        #expect(zip(changes.dropFirst(), changes.dropFirst(2)).allSatisfy { $1.second - $0.second >= 10 })
    }

    @Test func ladder_stepUpFails_triesLessOften() throws {
        let outcome = try Bench(costs: [36, 20]).run(seconds: 1200)
        #expect(outcome.lost == 0 && outcome.changes.count < 30)
    }

    @Test func ladder_lowerStepRefused_asksForNoMore() {
        var ladder = EffortLadder(steps: 3)
        ladder.took(.less, at: 0)
        ladder.refused(.less)
        var wishes: [EffortLadder.Wish] = []
        for time in 0..<40 as Range<Int64> {
            if let wish = ladder.wish(pressure: 1, at: time * 100_000_000) { wishes.append(wish) }
        }
        #expect(wishes.isEmpty && ladder.step == 1)
    }
}

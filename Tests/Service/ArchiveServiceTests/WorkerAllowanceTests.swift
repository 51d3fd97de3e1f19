import ArchiveService
import Testing

@Suite struct WorkerAllowanceTests {
    private static let second: Int64 = 1_000_000_000

    private func reading(_ strain: Int64?) -> [WorkerAllowance.Reading] { [.init(name: "front", strain: strain)] }

    @Test func workers_calmRecorder_allRun() {
        var allowance = WorkerAllowance(most: 4)
        for second in 0..<100 { allowance.record(reading(17), at: Int64(second) * Self.second) }
        #expect(allowance.workers == 4)
        #expect(allowance.strained == nil)
    }

    @Test func workers_recorderReducesEffort_areHalvedDownToNone() {
        var allowance = WorkerAllowance(most: 4)
        var numbers: [Int] = []
        for second in 0..<5 {
            allowance.record(reading(Int64(second)), at: Int64(second) * Self.second)
            numbers.append(allowance.workers)
        }
        #expect(numbers == [4, 2, 1, 0, 0])
        #expect(allowance.strained == "front")
    }

    @Test func workers_afterAQuietTime_returnOneByOne() {
        var allowance = WorkerAllowance(most: 2)
        allowance.record(reading(0), at: 0)
        allowance.record(reading(1), at: Self.second)
        allowance.record(reading(2), at: 2 * Self.second)
        #expect(allowance.workers == 0)
        var second: Int64 = 3
        while allowance.workers == 0, second < 1000 {
            allowance.record(reading(2), at: second * Self.second)
            second += 1
        }
        #expect(allowance.workers == 1 && allowance.strained == "front")
        while allowance.workers == 1, second < 1000 {
            allowance.record(reading(2), at: second * Self.second)
            second += 1
        }
        #expect(allowance.workers == 2 && allowance.strained == nil)
    }

    /// Every worker strains the recorder, which records all the time. The archive still makes progress.
    @Test func workers_recorderAlwaysStrained_areNotStarved() {
        var allowance = WorkerAllowance(most: 1)
        var strain: Int64 = 0
        var computed = 0
        for second in 0..<3600 {
            if allowance.workers > 0 {
                strain += 1
                computed += 1
            }
            allowance.record(reading(strain), at: Int64(second) * Self.second)
        }
        // At least one attempt a minute, and rarely more.
        #expect((60...180).contains(computed), "\(computed)")
    }

    @Test func workers_recorderDoesNotAnswer_yield() {
        var allowance = WorkerAllowance(most: 2)
        allowance.record(reading(5), at: 0)
        allowance.record(reading(nil), at: Self.second)
        #expect(allowance.workers == 1)
    }

    @Test func workers_recordingStartsAgain_doNotYield() {
        var allowance = WorkerAllowance(most: 2)
        allowance.record(reading(500), at: 0)
        allowance.record(reading(0), at: Self.second)
        allowance.record([], at: 2 * Self.second)
        allowance.record(reading(9), at: 3 * Self.second)
        #expect(allowance.workers == 2)
    }
}

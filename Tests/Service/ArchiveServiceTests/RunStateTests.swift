import ArchiveService
import Testing

@Suite struct RunStateTests {
    @Test(arguments: [65, 66, 73, 64] as [Int32]) func task_finalExitCode_isNotRetried(code: Int32) {
        var state = RunState([1])
        #expect(state.ready(at: 0, atMost: 9) == [1])
        state.begun(1)
        #expect(state.ended(TaskEnd(1, .exited(code)), at: 0) == .failed)
        #expect(state.isOver)
    }

    @Test(
        arguments: [
            .exited(74), .signalled(9), .lost("node"),
        ] as [TaskEnd.Ending]) func task_transientFailure_isRetriedThreeTimes(ending: TaskEnd.Ending)
    {
        var state = RunState([1])
        var now: Int64 = 0
        for attempt in 0...3 {
            #expect(state.ready(at: now, atMost: 9) == [1])
            state.begun(1)
            #expect(state.ended(TaskEnd(1, ending), at: now) == (attempt < 3 ? .again : .failed))
            if attempt < 3 {
                #expect(state.ready(at: now, atMost: 9).isEmpty)
                #expect(!state.isOver)
            }
            now += 60_000_000_000
        }
        #expect(state.isOver && state.failed == 1)
    }

    /// Another run, perhaps of another plan, makes the same copy: it may take hours.
    @Test func task_busy_isRetriedUntilItIsNot() {
        var state = RunState([1])
        var now: Int64 = 0
        for _ in 0..<50 {
            #expect(state.ready(at: now, atMost: 9) == [1])
            state.begun(1)
            #expect(state.ended(TaskEnd(1, .exited(75)), at: now) == .again)
            // The next attempt comes after at most a minute.
            now += 60_000_000_000
        }
        #expect(state.ready(at: now, atMost: 9) == [1])
        state.begun(1)
        #expect(state.ended(TaskEnd(1, .exited(0)), at: now) == .done)
        #expect(state.isOver && state.failed == 0)
    }

    @Test func task_failsAfterBusyWaits_isRetriedThreeTimes() {
        var state = RunState([1])
        var now: Int64 = 0
        func end(_ code: Int32) -> RunState.Verdict {
            now += 60_000_000_000
            #expect(state.ready(at: now, atMost: 9) == [1])
            state.begun(1)
            return state.ended(TaskEnd(1, .exited(code)), at: now)
        }
        for _ in 0..<5 { #expect(end(75) == .again) }
        for attempt in 0...3 { #expect(end(74) == (attempt < 3 ? .again : .failed)) }
        #expect(state.isOver && state.failed == 1)
    }

    @Test func task_restartedByTheEngine_countsAsRetried() {
        var state = RunState([1])
        _ = state.ready(at: 0, atMost: 1)
        state.begun(1)
        #expect(state.ended(TaskEnd(1, .exited(75), restarts: 3), at: 0) == .failed)
    }

    @Test func tasks_notYetSubmitted_stayReady() {
        var state = RunState([1, 2, 3], adopted: [2])
        #expect(state.ready(at: 0, atMost: 5) == [1, 3])
        state.begun(1)
        #expect(state.ready(at: 0, atMost: 5) == [3])
        state.begun(1)
        for task in 1...3 { #expect(state.ended(TaskEnd(task, .exited(0)), at: 0) == .done) }
        #expect(state.isOver && state.done == 3)
    }
}

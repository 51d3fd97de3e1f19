import MediaTypes
import Testing

@testable import AssetIO

@Suite struct WriterStateTests {
    private static let one = MediaTime(value: 1, timescale: 1)
    private static let cause = MediaError(.diskFull, "cannot write", reason: "test")

    enum Stage: String, CaseIterable {
        case unknown, starting, writing, session, ended, finishing, completed, failed, cancelled
    }
    enum Call: String, CaseIterable { case configure, start, startSession, endSession, addChapter, finish }

    private func state(_ stage: Stage) throws -> WriterState {
        var state = WriterState()
        if stage == .unknown { return state }
        try state.start(inputCount: 1)
        if stage == .starting { return state }
        state.recordStarted()
        switch stage {
        case .unknown, .starting, .writing: break
        case .session: _ = try state.startSession(at: Self.one)
        case .ended:
            _ = try state.startSession(at: Self.one)
            try state.endSession(at: Self.one)
        case .finishing, .completed:
            _ = try state.startSession(at: Self.one)
            try state.finish()
            if stage == .completed { state.complete() }
        case .failed: _ = state.fail(Self.cause)
        case .cancelled: _ = state.cancel()
        }
        return state
    }

    private func call(_ call: Call, _ state: inout WriterState) throws(MediaError) {
        switch call {
        case .configure: try state.requireUnstarted("cannot configure")
        case .start: try state.start(inputCount: 1)
        case .startSession: _ = try state.startSession(at: Self.one)
        case .endSession: try state.endSession(at: Self.one)
        case .addChapter: try state.requireRunning("cannot add a chapter")
        case .finish: try state.finish()
        }
    }

    private static let allowed: [Stage: Set<Call>] = [
        .unknown: [.configure, .start, .addChapter], .writing: [.startSession, .addChapter],
        // A start at the time of the open session changes nothing.
        .session: [.startSession, .endSession, .addChapter, .finish], .ended: [.startSession, .addChapter, .finish],
    ]

    /// Every call in every state is allowed, or is an error with a reason that changes nothing.
    @Test(arguments: Stage.allCases, Call.allCases) func state_everyCall_isATransitionOrAnError(
        stage: Stage, call: Call
    )
        throws
    {
        var state = try state(stage)
        let before = state
        if Self.allowed[stage]?.contains(call) == true {
            try self.call(call, &state)
            return
        }
        let error = #expect(throws: MediaError.self) { try self.call(call, &state) }
        // A failed writer reports its original error; starting it again is mere misuse.
        let tellsCause = stage == .failed && call != .configure && call != .start
        #expect(error == (tellsCause ? Self.cause : error) && error?.code == (tellsCause ? .diskFull : .invalidState))
        #expect(error?.reason.isEmpty == false)
        #expect(state.status == before.status && state.sessionStart == before.sessionStart)
        #expect(state.sessionEnd == before.sessionEnd && state.isFinishing == before.isFinishing)
    }

    @Test(arguments: Stage.allCases) func fail_anyStage_happensOnceAndOnlyBeforeTheEnd(stage: Stage) throws {
        var state = try state(stage)
        let isOnTheWay = [.unknown, .starting, .writing, .session, .ended, .finishing].contains(stage)
        let other = MediaError(.ioFailure, "x", reason: "y")
        let counts = state.fail(other)
        #expect(counts == isOnTheWay)
        #expect((state.error == nil) == (state.status != .failed))
        #expect(state.error == (isOnTheWay ? other : stage == .failed ? Self.cause : nil))
        let countsAgain = state.fail(Self.cause)
        #expect(!countsAgain)
    }

    @Test(arguments: Stage.allCases) func fail_sparesFinishing_happensOnlyBeforeIt(stage: Stage) throws {
        var state = try state(stage)
        let before = state.status
        let counts = state.fail(MediaError(.ioFailure, "x", reason: "y"), sparesFinishing: true)
        #expect(counts == [.unknown, .starting, .writing, .session, .ended].contains(stage))
        #expect(state.status == (counts ? .failed : before))
    }

    @Test(arguments: Stage.allCases) func cancel_finishingOrEnded_doesNothing(stage: Stage)
        throws
    {
        var state = try state(stage)
        let before = state.status
        let cancels = [.unknown, .starting, .writing, .session, .ended].contains(stage)
        let cancelled = state.cancel()
        #expect(cancelled == cancels)
        #expect(state.status == (cancels ? .cancelled : before) && state.error == (stage == .failed ? Self.cause : nil))
    }

    @Test(arguments: Stage.allCases) func complete_notWriting_doesNothing(stage: Stage) throws {
        var state = try state(stage)
        let before = state.status
        state.complete()
        #expect(state.status == (before == .writing ? .completed : before))
    }

    @Test func start_noInputs_throws() {
        var state = WriterState()
        let error = #expect(throws: MediaError.self) { try state.start(inputCount: 0) }
        #expect(error?.code == .invalidState && error?.reason.contains("no inputs") == true && state.status == .unknown)
    }

    @Test(arguments: [MediaTime.invalid, .positiveInfinity, .negativeInfinity]) func session_timeNotNumeric_throws(
        time: MediaTime
    ) throws {
        var writing = try state(.writing)
        #expect(throws: MediaError.self) { _ = try writing.startSession(at: time) }
        var session = try state(.session)
        #expect(throws: MediaError.self) { try session.endSession(at: time) }
        #expect(throws: MediaError.self) { try session.endSession(at: .zero) }
        #expect(session.sessionEnd == nil)
    }

    private func time(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }

    @Test func sessions_followEachOther_recordTheCutsBetween() throws {
        var state = try state(.writing)
        let starts = try [state.startSession(at: time(5)), state.startSession(at: time(5))]
        #expect(starts == [.first, .nothing])
        for other in [time(4), time(6)] {
            #expect(throws: MediaError.self) { _ = try state.startSession(at: other) }
        }
        try state.endSession(at: time(7))
        #expect(state.sessionEnd == time(7) && state.cuts.isEmpty)
        let early = #expect(throws: MediaError.self) { _ = try state.startSession(at: time(6)) }
        #expect(early?.code == .invalidState && early?.wayOut.isEmpty == false && state.sessionEnd == time(7))
        // Sessions that touch leave nothing out.
        let second = try state.startSession(at: time(7))
        try state.endSession(at: time(8))
        let third = try state.startSession(at: time(10))
        #expect(second == .next && third == .next && state.sessionStart == time(5) && state.sessionEnd == nil)
        #expect(state.cuts == [TimeRange(start: time(8), end: time(10))])
        #expect(throws: MediaError.self) { try state.endSession(at: time(9)) }
        try state.endSession(at: time(12))
        try state.finish()
        #expect(state.sessionEnd == time(12) && state.cuts.count == 1)
    }

    @Test func sessions_tooMany_throws() throws {
        var state = try state(.writing)
        for number in 0..<Int64(WriterState.mostSessions) {
            _ = try state.startSession(at: time(number * 2))
            try state.endSession(at: time(number * 2 + 1))
        }
        let error = #expect(throws: MediaError.self) { _ = try state.startSession(at: time(1 << 20)) }
        #expect(error?.code == .invalidState && state.cuts.count == WriterState.mostSessions - 1)
    }
}

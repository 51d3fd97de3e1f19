import MediaTypes
import Testing

@testable import AssetIO

/// Tests of a reader's states: every call in every state.
@Suite struct ReaderStateTests {
    private static let one = ObjectIdentifier(ReaderCore.self)
    private static let other = ObjectIdentifier(TrackOutput.self)
    private static let cause = MediaError(.corruptData, "cannot read", reason: "a test")

    private func state(_ status: AssetReaderStatus) throws -> ReaderState {
        var state = ReaderState()
        if status == .unknown { return state }
        try state.start(outputs: [Self.one])
        switch status {
        case .completed: state.finish(Self.one)
        case .failed: state.fail(Self.cause)
        case .cancelled: state.cancel()
        case .unknown, .reading: break
        }
        return state
    }

    @Test(arguments: [AssetReaderStatus.unknown, .reading, .completed, .failed, .cancelled])
    func state_everyCall_movesForwardOrIsRefused(_ from: AssetReaderStatus) throws {
        let isOver = from != .unknown && from != .reading
        #expect(try state(from).status == from)

        var started = try state(from)
        if from == .unknown {
            try started.start(outputs: [Self.one])
            #expect(started.status == .reading)
        } else {
            #expect(throws: MediaError.self) { try started.start(outputs: [Self.one]) }
            #expect(started.status == from)
            #expect(throws: MediaError.self) { try started.requireUnstarted("cannot add") }
        }

        var cancelled = try state(from)
        cancelled.cancel()
        #expect(cancelled.status == (isOver ? from : .cancelled))

        var failed = try state(from)
        failed.fail(MediaError(.ioFailure, "cannot read", reason: "another"))
        #expect(failed.status == (isOver ? from : .failed))
        #expect((failed.error != nil) == (failed.status == .failed))

        var finished = try state(from)
        finished.finish(Self.one)
        #expect(finished.status == (from == .reading ? .completed : from))
    }

    @Test func state_noOutputs_doesNotStart() {
        var state = ReaderState()
        #expect(throws: MediaError.self) { try state.start(outputs: []) }
        #expect(state.status == .unknown)
    }

    @Test func state_lastOutputEnds_completes() throws {
        var state = ReaderState()
        try state.start(outputs: [Self.one, Self.other])
        state.finish(Self.one)
        #expect(state.status == .reading)
        state.finish(Self.one)
        #expect(state.status == .reading)
        state.finish(Self.other)
        #expect(state.status == .completed)
    }
}

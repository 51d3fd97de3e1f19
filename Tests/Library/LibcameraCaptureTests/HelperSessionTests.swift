import MediaTypes
import Testing

@testable import LibcameraCapture

@Suite struct HelperSessionTests {
    private static let second: Int64 = 1_000_000_000
    private let start = 1_000 * Self.second
    private let interval = Self.second / 30
    private let request = StreamRequest(camera: "imx708", width: 1280, height: 720)

    private func newSession() -> HelperSession { HelperSession(request, pageSize: 4096, at: start) }

    /// Returns a session that streams, with four buffers.
    private func streaming(interval: UInt64 = 33_333_333) throws -> HelperSession {
        var session = newSession()
        let opened = [
            session.received(HelperBytes.hello().bytes, at: start),
            session.received(HelperBytes.configured(interval: interval).bytes, at: start),
        ]
        #expect(opened == [.send(.open(request)), .nothing])
        for index in 0..<4 {
            let action = session.received(
                HelperBytes.buffer(index).bytes, sizes: [HelperBytes.frameBytes], at: start)
            let plan = try #require(Self.plan(action))
            let expected: SessionAction =
                index < 3 ? .map(buffer: index, plan) : .mapLast(buffer: index, plan)
            #expect(action == expected)
        }
        let message = session.start(at: start)
        #expect(message == .start)
        let started = session.received(HelperBytes(.started).bytes, at: start)
        #expect(started == .nothing && session.phase == .streaming)
        return session
    }

    private static func plan(_ action: SessionAction) -> BufferPlan? {
        switch action {
        case .map(_, let plan), .mapLast(_, let plan): plan
        default: nil
        }
    }

    private func frame(_ buffer: Int, _ number: Int, status: FrameMessage.Status = .good) -> [UInt8] {
        HelperBytes.frame(
            buffer, sequence: UInt32(number), sensor: start + Int64(number) * interval, status: status
        ).bytes
    }

    private func arrival(_ number: Int) -> Int64 { start + Int64(number) * interval + 10_000_000 }

    @Test func session_framesInTurn_areDelivered() throws {
        var session = try streaming()
        for number in 0..<100 {
            let action = session.received(frame(number % 4, number), at: arrival(number))
            guard case .deliver(let captured) = action else {
                Issue.record("frame \(number): \(action)")
                return
            }
            #expect(captured.buffer == number % 4 && captured.lost == 0 && captured.byteCount == 1280 * 720)
            // The sensor's time, in whole microseconds.
            #expect(captured.time.nanoseconds == (start + Int64(number) * interval) / 1_000 * 1_000)
            let message = session.returned(number % 4, at: arrival(number))
            #expect(message == .returned(buffer: number % 4))
        }
        #expect(session.phase == .streaming && session.version == "0.4.0" && session.replacedStamps == 0)
    }

    @Test func session_invalidMessage_endsTheHelperInEachPhase() throws {
        var fresh = newSession()
        var running = try streaming()
        let actions = [fresh.received([1, 2, 3], at: start), running.received([], at: start)]
        #expect(actions == [.end(.invalidMessage(.size(3))), .end(.invalidMessage(.size(0)))])
        // Nothing is accepted after the end.
        let later = [running.received(frame(0, 0), at: start), running.exited(.signal(9)), running.passed(.max)]
        #expect(later == [.nothing, .nothing, .nothing])
        let messages = [running.returned(0, at: start), running.start(at: start)]
        #expect(messages == [nil, nil])
        #expect(running.phase == .away(.invalidMessage(.size(0))) && running.deadline == nil)
    }

    @Test func session_helperOfAnotherVersion_isNamed() throws {
        var bytes = HelperBytes.hello().bytes
        bytes[MessageLayout.versionAt] = 9
        var session = newSession()
        let action = session.received(bytes, at: start)
        #expect(action == .end(.invalidMessage(.version(9))))
        let error = SessionEnd.invalidMessage(.version(9)).error("cannot open the camera a", camera: "a")
        #expect(error.code == .unsupported && error.description.contains("version 9"))
        #expect(error.wayOut.contains("same version"))
    }

    @Test func session_bufferThatIsInvalid_endsTheHelper() throws {
        let cases: [([Int64], SessionEnd)] = [
            ([], .invalidMessage(.descriptors(stated: 1, arrived: 0))),
            ([1_000_000], .invalidBuffer(.tooSmall(buffer: 0, stated: 1_382_400, actual: 1_000_000))),
            ([-1], .invalidBuffer(.size(buffer: 0, bytes: -1))),
        ]
        for (sizes, fault) in cases {
            var session = newSession()
            _ = session.received(HelperBytes.hello().bytes, at: start)
            _ = session.received(HelperBytes.configured().bytes, at: start)
            let action = session.received(HelperBytes.buffer(0).bytes, sizes: sizes, at: start)
            #expect(action == .end(fault))
        }
    }

    @Test func session_messagesOutOfTurn_endTheHelper() throws {
        let sizes = [HelperBytes.frameBytes]
        var early = newSession()
        let frames = early.received(frame(0, 0), at: start)
        #expect(frames == .end(.unexpectedMessage("a frame")))
        var unconfigured = newSession()
        _ = unconfigured.received(HelperBytes.hello().bytes, at: start)
        let buffer = unconfigured.received(HelperBytes.buffer(0).bytes, sizes: sizes, at: start)
        #expect(buffer == .end(.unexpectedMessage("a buffer")))
        // A camera whose format changes while it streams.
        var running = try streaming()
        let configured = running.received(HelperBytes.configured(stride: 2560).bytes, at: start)
        #expect(configured == .end(.unexpectedMessage("a configuration")))
        var doubled = try streaming()
        let again = doubled.received(HelperBytes.buffer(0).bytes, sizes: sizes, at: start)
        #expect(again == .end(.unexpectedMessage("a buffer")))
    }

    @Test func session_frameInAForeignBuffer_endsTheHelper() throws {
        var twice = try streaming()
        _ = twice.received(frame(1, 0), at: arrival(0))
        let action = twice.received(frame(1, 1), at: arrival(1))
        #expect(action == .end(.invalidFrame(buffer: 1)))
        var unknown = try streaming()
        let none = unknown.received(frame(4, 0), at: arrival(0))
        #expect(none == .end(.invalidFrame(buffer: 4)))
        var large = try streaming()
        let bytes = HelperBytes.frame(0, sequence: 0, sensor: start).with(1280 * 720 + 1, at: MessageLayout.usedAt)
        let tooMuch = large.received(bytes.bytes, at: arrival(0))
        #expect(tooMuch == .end(.invalidFrame(buffer: 0)))
    }

    @Test func session_damagedAndCancelledFrames_areNotDelivered() throws {
        var session = try streaming()
        guard case .damaged(let damaged) = session.received(frame(0, 0, status: .damaged), at: arrival(0)) else {
            Issue.record("not damaged")
            return
        }
        #expect(damaged.buffer == 0)
        let short = HelperBytes.frame(1, sequence: 1, sensor: start + interval).with(99, at: MessageLayout.usedAt)
        guard case .damaged = session.received(short.bytes, at: arrival(1)) else {
            Issue.record("a frame with 99 bytes is not damaged")
            return
        }
        let cancelled = session.received(frame(2, 2, status: .cancelled), at: arrival(2))
        #expect(cancelled == .giveBack(buffer: 2))
    }

    /// Returns the end of a session whose frames come for 40 s, and the number of its last frame.
    private func end(isDamaged: (Int) -> Bool) throws -> (SessionEnd, Int)? {
        var session = try streaming()
        for number in 0..<1_200 {
            let bytes = frame(number % 4, number, status: isDamaged(number) ? .damaged : .good)
            if case .end(let cause) = session.received(bytes, at: arrival(number)) { return (cause, number) }
            _ = session.returned(number % 4, at: arrival(number))
        }
        return nil
    }

    @Test func session_onlyDamagedFrames_endsAfterTenSeconds() throws {
        let ended = try end { $0 >= 100 }
        let (cause, number) = try #require(ended)
        #expect(number == 401 && cause == .damaged(after: 301 * interval))
        let error = cause.error("lost the camera a", camera: "a")
        #expect(error.code == .deviceLost && error.reason == "only damaged frames for 10 s")
    }

    @Test func session_someUndamagedFrames_continues() throws {
        let hasEnded = try end { $0 % 200 != 0 } != nil
        #expect(!hasEnded)
    }

    @Test func session_noFrame_isHungAfterThirtyIntervalsButTwoSeconds() throws {
        var session = try streaming()
        // The first frame has more time.
        #expect(session.deadline == start + 5 * Self.second)
        _ = session.received(frame(0, 0), at: arrival(0))
        #expect(session.deadline == arrival(0) + 2 * Self.second)
        let early = session.passed(arrival(0) + 2 * Self.second - 1)
        let late = session.passed(arrival(0) + 2 * Self.second)
        #expect(early == .nothing && late == .end(.hung(after: 2 * Self.second)))
        // One frame in two seconds: a minute.
        var slow = try streaming(interval: UInt64(2 * Self.second))
        _ = slow.received(frame(0, 0), at: arrival(0))
        #expect(slow.deadline == arrival(0) + 60 * Self.second)
    }

    @Test func session_rateThatNoHelperMaySend_losesNothing() throws {
        var session = try streaming(interval: 1_000)
        for number in 0..<4 {
            guard case .deliver(let captured) = session.received(frame(number, number), at: arrival(number)) else {
                Issue.record("frame \(number) was not delivered")
                return
            }
            #expect(captured.lost == 0)
        }
    }

    @Test func session_wrongDuration_doesNotHideAHang() throws {
        // The latter is the longest that a message may have. The camera hangs after this frame.
        for duration in [UInt64(10 * Self.second), MessageBytes.longestDuration] {
            var session = try streaming(interval: 0)
            let bytes = HelperBytes.frame(0, sequence: 0, sensor: start)
                .with(long: duration, at: MessageLayout.durationAt)
            guard case .deliver = session.received(bytes.bytes, at: arrival(0)) else {
                Issue.record("not delivered")
                return
            }
            #expect(session.deadline == arrival(0) + 60 * Self.second)
            let late = session.passed(arrival(0) + 60 * Self.second)
            #expect(late == .end(.hung(after: 60 * Self.second)))
        }
    }

    @Test func session_withoutBuffers_isNotHung() throws {
        var session = try streaming()
        for number in 0..<4 { _ = session.received(frame(number, number), at: arrival(number)) }
        #expect(session.deadline == nil)
        let waited = session.passed(arrival(4) + 3_600 * Self.second)
        #expect(waited == .nothing)
        // The time begins with the buffer, and the gap counts as lost.
        let late = 30
        _ = session.returned(2, at: arrival(late))
        #expect(session.deadline == arrival(late) + 2 * Self.second)
        guard
            case .deliver(let captured) = session.received(
                HelperBytes.frame(2, sequence: 4, sensor: start + Int64(late) * interval).bytes, at: arrival(late))
        else {
            Issue.record("not delivered")
            return
        }
        #expect(captured.lost == 26)
    }

    @Test func session_recorderThatWasLate_countsTheGap() throws {
        // An unknown rate, so that only the lack of buffers proves a loss.
        var session = try streaming(interval: 0)
        for number in 0..<20 {
            _ = session.received(frame(number % 4, number), at: arrival(number))
            _ = session.returned(number % 4, at: arrival(number))
        }
        // The camera filled its last buffer while the recorder's thread was late; it had the next one after 12 frames.
        let last = HelperBytes.frame(0, sequence: 20, sensor: start + 20 * interval).with(0, at: MessageLayout.queuedAt)
        _ = session.received(last.bytes, at: arrival(32))
        _ = session.returned(0, at: arrival(32))
        let next = HelperBytes.frame(1, sequence: 21, sensor: start + 33 * interval)
        guard case .deliver(let captured) = session.received(next.bytes, at: arrival(33)) else {
            Issue.record("not delivered")
            return
        }
        #expect(captured.lost == 12)
    }

    @Test func session_slowHelper_isEndedInEachStep() throws {
        var greeting = newSession()
        let first = greeting.passed(start + 10 * Self.second)
        #expect(first == .end(.slow(.greeting, after: 10 * Self.second)))
        var opening = newSession()
        _ = opening.received(HelperBytes.hello().bytes, at: start + Self.second)
        let second = opening.passed(start + 11 * Self.second)
        #expect(second == .end(.slow(.opening, after: 10 * Self.second)))
    }

    @Test func session_flood_endsTheHelper() throws {
        // Damaged frames in a buffer that is returned at once: each message is valid.
        var session = try streaming()
        var action = SessionAction.nothing
        var count = 0
        while count < 2_000 {
            action = session.received(frame(0, count, status: .cancelled), at: arrival(0))
            count += 1
            guard case .giveBack = action else { break }
            _ = session.returned(0, at: arrival(0))
        }
        #expect(action == .end(.flooded))
        #expect((400...520).contains(count))
    }

    @Test func session_fastCamera_isNoFlood() throws {
        var session = try streaming(interval: 2_000_000)
        for number in 0..<5_000 {
            let time = start + Int64(number) * 2_000_000
            let bytes = HelperBytes.frame(0, sequence: UInt32(number), sensor: time).bytes
            guard case .deliver = session.received(bytes, at: time + 1_000_000) else {
                Issue.record("frame \(number) was not delivered")
                return
            }
            _ = session.returned(0, at: time + 1_000_000)
        }
    }

    @Test func session_errorOfTheHelper_isTheCause() throws {
        var opening = newSession()
        _ = opening.received(HelperBytes.hello().bytes, at: start)
        let failure = HelperFailure(.busy, errno: 16, reason: "in use")
        let action = opening.received(HelperBytes.failure(.busy, errno: 16, "in use").bytes, at: start)
        #expect(action == .end(.refused(failure)))
        let error = SessionEnd.refused(failure).error("cannot open the camera a", camera: "a")
        #expect(error.code == .busy && error.underlying == .errno(16))
        // A control that is refused while the camera streams does not end it.
        var running = try streaming()
        let refused = running.received(HelperBytes.failure(.invalidControl, "no such control").bytes, at: start)
        #expect(refused == .controlRefused(HelperFailure(.invalidControl, reason: "no such control")))
        #expect(running.phase == .streaming)
    }

    @Test func session_helperThatEnds_isAway() throws {
        var session = try streaming()
        let action = session.exited(.signal(6))
        #expect(action == .end(.exited(.signal(6))))
        let error = SessionEnd.exited(.signal(6)).error("lost the camera a", camera: "a")
        #expect(error.code == .deviceLost && error.underlying == .other("signal", 6))
    }
}

@Suite struct HelperPauseTests {
    private let second: Int64 = 1_000_000_000
    private let error = MediaError(.deviceLost, "a", reason: "b")

    @Test func pause_helperThatFailsAtOnce_isStartedLessAndLessOften() {
        var pause = HelperPause()
        var starts: [Int64] = []
        for now in 0..<100 as Range<Int64> where pause.refusal(at: now * second) == nil {
            starts.append(now)
            pause.ended(.exited(.signal(6)), error, streamed: 0, at: now * second)
        }
        #expect(starts == [0, 1, 3, 7, 15, 31, 61, 91])
        #expect(pause.refusal(at: 92 * second) == error)
    }

    @Test func pause_afterTenSecondsOfFrames_isNone() {
        var pause = HelperPause()
        for _ in 0..<5 { pause.ended(.flooded, error, streamed: 0, at: 0) }
        #expect(pause.refusal(at: second) == error)
        pause.ended(.exited(.signal(6)), error, streamed: 10 * second, at: second)
        #expect(pause.refusal(at: second) == nil)
    }

    @Test func pause_absentCamera_isNone() {
        var pause = HelperPause()
        pause.ended(.refused(HelperFailure(.notFound, reason: "none")), error, streamed: 0, at: 0)
        #expect(pause.refusal(at: 0) == nil)
    }
}

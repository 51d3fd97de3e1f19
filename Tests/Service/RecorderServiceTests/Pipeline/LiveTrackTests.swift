import FakeDevices
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// One track through several encoders, with a dispatcher and fake files.
@Suite(.timeLimit(.minutes(10))) struct LiveTrackTests {
    @Test func camera_disconnects_endsItsEncoderAndOpensTheNext() async throws {
        let bench = try LiveTrackBench()
        bench.frames(stride(from: 0, to: 1000, by: 40))
        bench.track.deviceGone()
        #expect(bench.encoders.made(.video)[0].isOver)
        try await waitUntil { bench.track.isPrepared }
        bench.frames([1000])
        bench.track.deviceBack(bench.format)
        try await waitUntil { bench.track.isPrepared && bench.encoders.made(.video)[1].isStarted }
        bench.frames(stride(from: 4000, to: 5000, by: 40))
        bench.track.finish()
        let times = bench.files.all.flatMap { $0.times(.video) }
        let (before, after) = (stride(from: 0, to: 1000, by: 40), stride(from: 4000, to: 5000, by: 40))
        #expect(times == before.map(Int64.init) + after.map(Int64.init))
        #expect(bench.files.all.count == 2)
        #expect(bench.track.ledger.captured == 51 && bench.track.ledger[dropped: .encoder] == 1)
        #expect(bench.isExact)
    }

    @Test func frames_encoderNotOpenYet_waitForIt() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.encoders.hold(true)
        bench.track.deviceGone()
        bench.track.deviceBack(bench.format)
        bench.frames([1000, 1040, 1080])
        bench.track.recordLoss(4, cause: .device)
        bench.encoders.hold(false)
        try await waitUntil { bench.track.isPrepared }
        bench.frames([1120, 1160])
        bench.track.finish()
        #expect(bench.files.all.flatMap { $0.times(.video) } == [0, 40, 1000, 1040, 1080, 1120, 1160])
        #expect(bench.track.ledger.captured == 11 && bench.track.ledger.written == 7)
        #expect(bench.track.ledger[dropped: .encoder] == 0 && bench.track.ledger[dropped: .device] == 4)
        #expect(bench.isExact)
    }

    /// A time-lapse has hours between two frames.
    @Test func frames_encoderOpenedAfterTheLast_areStoredAtTheEnd() async throws {
        let bench = try LiveTrackBench()
        bench.encoders.hold(true)
        bench.track.deviceGone()
        bench.track.deviceBack(bench.format)
        bench.frames([1000])
        bench.encoders.hold(false)
        try await waitUntil { bench.track.isPrepared }
        bench.track.finish()
        #expect(bench.files.all.flatMap { $0.times(.video) } == [1000])
        #expect(bench.isExact)
    }

    @Test func frames_encoderNeverOpened_areCountedAsDropped() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.encoders.hold(true)
        bench.track.deviceGone()
        bench.track.deviceBack(bench.format)
        // More than four seconds do not wait.
        bench.frames(stride(from: 1000, to: 6000, by: 40))
        #expect(bench.track.ledger[dropped: .encoder] > 20)
        bench.track.deviceGone()
        #expect(bench.track.ledger[dropped: .encoder] + bench.track.ledger[dropped: .device] == 125)
        bench.encoders.hold(false)
        bench.track.finish()
        #expect(bench.files.all.flatMap { $0.times(.video) } == [0, 40])
        #expect(bench.isExact)
    }

    @Test func device_reconnectsInAnotherFormat_getsAnotherEncoder() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        let wide = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 128, height: 32))
        bench.track.deviceBack(wide)
        #expect(bench.encoders.made(.video)[0].isOver)
        try await waitUntil { bench.track.isPrepared }
        #expect(bench.encoders.made(.video)[1].source == wide)
        bench.frames([1000, 1040], width: 128)
        bench.track.finish()
        #expect(bench.files.all.map { $0.opening.video?.video?.width } == [64, 128])
        #expect(bench.files.all.map { $0.times(.video) } == [[0, 40], [1000, 1040]])
        #expect(bench.isExact)
    }

    @Test func device_reconnectWithoutDisconnect_changesNothing() throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.track.deviceBack(bench.format)
        bench.frames([80])
        #expect(bench.encoders.made(.video).count == 1)
        #expect(bench.files.all.map { $0.times(.video) } == [[0, 40, 80]])
    }

    @Test func renewEncoder_atATime_takesOverThere() async throws {
        let bench = try LiveTrackBench()
        bench.frames(stride(from: 0, to: 400, by: 40))
        bench.track.renewEncoder(at: milliseconds(1000))
        try await waitUntil { bench.encoders.made(.video).count == 2 }
        // The encoder is handed over once `make` has returned.
        var time = 400
        try await waitUntil {
            bench.frames([time])
            time += 40
            return bench.encoders.made(.video)[1].isStarted
        }
        bench.frames(stride(from: time, to: time + 400, by: 40))
        bench.track.finish()
        #expect(bench.files.all.count == 2)
        #expect(bench.files.all[1].opening.start >= milliseconds(1000))
        let times = bench.files.all.flatMap { $0.times(.video) }
        #expect(times == Array(stride(from: 0, to: Int64(time + 400), by: 40)))
        #expect(bench.files.all[1].packets.first?.isKeyframe == true)
        #expect(bench.track.ledger.captured == Int64(times.count))
        #expect(bench.isExact)
    }

    @Test func ledger_severalEncoders_addsUp() async throws {
        let bench = try LiveTrackBench()
        for round in 0..<5 {
            bench.frames(stride(from: round * 1000, to: round * 1000 + 400, by: 40))
            bench.track.recordLoss(3, cause: .device)
            bench.track.deviceGone()
            bench.track.recordLoss(7, cause: .device)
            try await waitUntil { bench.track.isPrepared }
            bench.track.deviceBack(bench.format)
            try await waitUntil { bench.track.isPrepared }
        }
        bench.track.finish()
        #expect(bench.track.ledger.captured == 100 && bench.track.ledger.written == 50)
        #expect(bench.track.ledger[dropped: .device] == 50)
        #expect(bench.isExact)
    }

    private static let refusal = MediaError(.codecFailure, "cannot open x264", reason: "no memory")

    @Test func encoder_cannotBeOpenedAfterAReconnect_isRefusedAndOpenedAtTheNext() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0])
        bench.encoders.refuse(Self.refusal)
        bench.track.deviceGone()
        bench.track.deviceBack(bench.format)
        bench.frames([1000, 1040])
        try await waitUntil { bench.refusals.withLock { $0.count } == 1 }
        #expect(!bench.track.canEncode(bench.format))
        bench.track.deviceGone()
        #expect(bench.track.ledger[dropped: .device] == 2)
        bench.encoders.refuse(nil)
        #expect(bench.track.canEncode(bench.format))
        bench.track.deviceBack(bench.format)
        try await waitUntil { bench.track.isPrepared }
        bench.frames([2000, 2040])
        bench.track.finish()
        #expect(bench.files.all.flatMap { $0.times(.video) } == [0, 2000, 2040])
        #expect(bench.failures.withLock { $0 }.isEmpty)
        #expect(bench.isExact)
    }

    @Test func renewEncoder_cannotBeOpened_keepsTheCurrentOne() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0])
        bench.encoders.refuse(Self.refusal)
        bench.track.renewEncoder(at: milliseconds(40))
        try await waitUntil { bench.track.state.withLock { $0.opening == nil } }
        bench.frames([40, 80])
        bench.track.finish()
        #expect(bench.files.all.map { $0.times(.video) } == [[0, 40, 80]])
        #expect(bench.failures.withLock { $0 }.isEmpty && bench.refusals.withLock { $0 }.isEmpty)
    }

    @Test func encoder_fails_failsTheTrack() throws {
        let bench = try LiveTrackBench()
        bench.frames([0])
        bench.encoders.made(.video)[0].end(Self.refusal)
        #expect(bench.failures.withLock { $0 } == [Self.refusal])
        bench.frames([40])
        #expect(bench.track.ledger[dropped: .encoder] == 1)
    }

    @Test func device_reconnectsBeforeTheSession_beginsWithIt() async throws {
        let bench = try LiveTrackBench(starts: false)
        bench.track.deviceGone()
        try await waitUntil { bench.track.isPrepared }
        bench.track.deviceBack(bench.format)
        bench.begin()
        bench.frames([0, 40])
        bench.track.finish()
        #expect(bench.failures.withLock { $0 }.isEmpty)
        #expect(bench.files.all.map { $0.times(.video) } == [[0, 40]])
        #expect(bench.isExact)
    }

    @Test func device_reconnectsDuringTheSession_joinsIt() async throws {
        let bench = try LiveTrackBench(starts: false)
        bench.track.deviceGone()
        try await waitUntil { bench.track.isPrepared }
        bench.begin()
        bench.track.deviceBack(bench.format)
        try await waitUntil { bench.track.isPrepared && bench.encoders.made(.video)[1].isStarted }
        bench.frames([1000, 1040])
        bench.track.finish()
        #expect(bench.failures.withLock { $0 }.isEmpty)
        #expect(bench.files.all.map { $0.times(.video) } == [[1000, 1040]])
        #expect(bench.isExact)
    }

    @Test func drops_beforeASplit_countInTheFileBeforeIt() throws {
        let bench = try LiveTrackBench()
        bench.frames(stride(from: 0, to: 1000, by: 40))
        bench.track.recordLoss(3, cause: .device)
        bench.dispatcher.cut()
        // The next frame is a keyframe, and begins the next file.
        bench.frames([1000])
        bench.track.recordLoss(2, cause: .device)
        bench.frames([1040])
        bench.track.finish()
        #expect(bench.files.all.map { $0.ledger(.video)[dropped: .device] } == [3, 2])
        #expect(bench.files.all.map { $0.ledger(.video).captured } == [28, 4])
        #expect(bench.isExact)
    }

    // MARK: Rest

    @Test func rest_wake_nextEncoderBeginsWithTheKeptFrames() async throws {
        let bench = try LiveTrackBench()
        bench.frames(stride(from: 0, to: 200, by: 40))
        bench.dispatcher.endNow()
        bench.track.rest()
        #expect(bench.encoders.made(.video)[0].isOver)
        try await waitUntil { bench.track.isPrepared }
        bench.frames(stride(from: 1000, to: 3000, by: 40))
        #expect(!bench.encoders.made(.video)[1].isStarted)
        #expect(bench.encoders.made(.video).map(\.ledger.captured) == [5, 0])
        bench.track.wake()
        bench.dispatcher.begin(at: milliseconds(2980), limits: .none)
        #expect(bench.files.all.count == 1)
        bench.frames(stride(from: 3000, to: 3200, by: 40))
        bench.track.finish()
        // Half a second comes first. The file shows only what was captured from its start on.
        let file = try #require(bench.files.all.last)
        #expect(bench.files.all.count == 2 && file.opening.start == milliseconds(2980))
        #expect(file.times(.video) == stride(from: 2480, to: 3200, by: 40).map(Int64.init))
        #expect(file.ledger(.video).captured == 5 && bench.encoders.made(.video)[1].ledger.captured == 18)
        #expect(bench.track.ledger.leftOut == 0)
    }

    @Test func rest_masksChange_forgetsTheKeptFrames() async throws {
        let bench = try LiveTrackBench()
        bench.frames(stride(from: 0, to: 200, by: 40))
        bench.dispatcher.endNow()
        bench.track.rest()
        try await waitUntil { bench.track.isPrepared }
        bench.frames(stride(from: 1000, to: 2000, by: 40))
        bench.track.masksChanged(at: milliseconds(2000))
        // The first frame was captured before the change, and handled after it.
        bench.frames([1990, 2000, 2040])
        bench.track.wake()
        bench.dispatcher.begin(at: milliseconds(2060), limits: .none)
        bench.frames(stride(from: 2080, to: 2280, by: 40))
        bench.track.finish()
        let file = try #require(bench.files.all.last)
        #expect(bench.files.all.count == 2 && file.opening.start == milliseconds(2060))
        #expect(file.times(.video) == stride(from: 2000, to: 2280, by: 40).map(Int64.init))
        #expect(bench.track.ledger.leftOut == 0)
    }

    @Test func rest_lateFramesOfTheEndedEncoder_areDropped() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.dispatcher.endNow()
        let old = bench.encoders.made(.video)[0]
        old.holdEnd()
        bench.track.rest()
        try await waitUntil { bench.track.isPrepared }
        bench.track.wake()
        bench.dispatcher.begin(at: milliseconds(1000), limits: .none)
        old.give(at: milliseconds(80))
        old.end(nil)
        bench.frames([1000, 1040])
        bench.track.finish()
        let file = try #require(bench.files.all.last)
        #expect(file.opening.start == milliseconds(1000) && file.times(.video) == [1000, 1040])
        #expect(file.ledger(.video).captured == 2)
    }

    @Test func rest_deviceDisconnectsMeanwhile_recordsAfterReconnect() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.dispatcher.endNow()
        bench.track.rest()
        try await waitUntil { bench.track.isPrepared }
        bench.frames([80])
        bench.track.deviceGone()
        bench.track.wake()
        bench.dispatcher.begin(at: milliseconds(1000), limits: .none)
        bench.track.deviceBack(bench.format)
        bench.frames([2000, 2040])
        bench.track.finish()
        #expect(bench.files.all.last?.times(.video) == [2000, 2040])
        #expect(bench.encoders.made(.video).count == 2 && bench.track.ledger.leftOut == 0)
    }

    @Test func rest_deviceReconnectsInAnotherFormat_wakesWithItsEncoder() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0, 40])
        bench.dispatcher.endNow()
        bench.track.rest()
        try await waitUntil { bench.track.isPrepared }
        let wide = FormatDescription.video(VideoFormat(pixelFormat: .nv12, width: 128, height: 32))
        bench.track.deviceGone()
        bench.track.deviceBack(wide)
        try await waitUntil { bench.encoders.made(.video).count == 3 && bench.track.isPrepared }
        bench.frames([1000], width: 128)
        bench.track.wake()
        bench.dispatcher.begin(at: milliseconds(1000), limits: .none)
        bench.frames([1040], width: 128)
        bench.track.finish()
        #expect(bench.files.all.last?.opening.video?.video?.width == 128)
        #expect(bench.files.all.last?.times(.video) == [1000, 1040])
    }

    @Test func rest_encoderNotOpenYet_countsDroppedFrames() async throws {
        let bench = try LiveTrackBench()
        bench.frames([0])
        bench.dispatcher.endNow()
        bench.encoders.hold(true)
        bench.track.rest()
        bench.track.wake()
        bench.dispatcher.begin(at: milliseconds(1000), limits: .none)
        bench.frames(stride(from: 1000, to: 6000, by: 40))
        let lost = bench.track.ledger[dropped: .encoder]
        #expect(lost > 0 && lost < 50)
        bench.encoders.hold(false)
        try await waitUntil { bench.track.isPrepared }
        bench.frames([6000])
        bench.track.finish()
        #expect(bench.track.ledger.written == 1 + 126 - bench.track.ledger[dropped: .encoder])
        let file = try #require(bench.files.all.last)
        #expect(file.times(.video).count == 126 - Int(bench.track.ledger[dropped: .encoder]))
    }
}

import MediaTypes
import Testing

@testable import NetworkCapture
@testable import RTSP

/// Cameras whose RTP times jump, while the stream continues.
@Suite struct JumpReceptionTests {
    /// Half an hour in ticks of 90 kHz.
    private static let halfAnHour: UInt32 = 162_000_000

    /// Receives frame `number` of H.264 at 25 frames a second, in one packet, with a keyframe every 50 frames.
    private func add(_ number: Int, jump: UInt32 = 0, lost: UInt16 = 0, to run: inout ReceptionRun) {
        let frameNumber = UInt8(number % 50 % 16)
        let head: UInt8 = number % 50 == 0 ? 0x65 : 0x41
        run.read(
            [head, 0x9A | frameNumber >> 3, (frameNumber & 7) << 5 | 0x10, UInt8(number)],
            time: UInt32(number) * 3600 &+ jump, lost: lost, at: 1_000_000_000 + Int64(number) * 40_000_000)
        run.place()
    }

    @Test func reception_encoderThatRestarts_losesNothing() throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        for number in 0..<100 { add(number, to: &run) }
        for number in 100..<200 { add(number, jump: Self.halfAnHour, lost: number == 100 ? 20_000 : 0, to: &run) }
        #expect(run.numbers == Array(0..<200) && run.lost == 0)
        #expect(run.reception.figures.video?.lost == 0)
    }

    @Test func reception_jumpWithAMissingPacket_losesNoOtherFrames() throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        for number in 0..<30 { add(number, to: &run) }
        for number in 31..<100 { add(number, jump: Self.halfAnHour, lost: number == 31 ? 1 : 0, to: &run) }
        #expect(run.sampleCount == 99 && run.lost == 0 && run.notices.count == 1)
    }

    @Test func reception_keyframeMissingAfterAJump_losesItsGOP() throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        for number in 0..<30 { add(number, to: &run) }
        for number in 30..<50 { add(number, jump: Self.halfAnHour, to: &run) }
        for number in 51..<120 { add(number, jump: Self.halfAnHour, lost: number == 51 ? 1 : 0, to: &run) }
        #expect(run.numbers == Array(0..<50) + Array(100..<120) && run.lost == 50)
    }

    /// The RTP times step back by 0.04, 0.1 and 1 s, at a keyframe or within a GOP.
    @Test(arguments: [100, 110], [7200, 12_600, 93_600] as [UInt32])
    func reception_stepBackWithoutReordering_losesNothing(first: Int, ticks: UInt32) throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        for number in 0..<200 { add(number, jump: number < first ? 0 : 0 &- ticks, to: &run) }
        expectAll(run)
    }

    /// The parameter sets do not exclude reordering, but no frame is reordered across a keyframe.
    @Test(arguments: [7200, 12_600, 93_600] as [UInt32])
    func reception_stepBackAtAKeyframe_losesNothing(ticks: UInt32) throws {
        var run = try ReceptionRun.h264(ReceptionRun.mainSets)
        for number in 0..<200 { add(number, jump: number < 100 ? 0 : 0 &- ticks, to: &run) }
        expectAll(run)
    }

    /// Expects 200 frames at the times of their arrival, without decode times.
    private func expectAll(_ run: ReceptionRun) {
        #expect(run.numbers == Array(0..<200) && run.lost == 0 && run.notices.count == 1)
        #expect(run.samples.allSatisfy { $0.decodeTime == nil })
        let errors = run.samples.enumerated().map { abs($1.presentationTime.seconds - 1 - Double($0) * 0.04) }
        #expect(errors.allSatisfy { $0 < 0.05 })
    }

    private static let block = [UInt8](repeating: 0xFF, count: 160)

    /// Receives packets of 20 ms of audio, of which `lost` are missing after the first 100.
    private func audio(lost: UInt16, jump: UInt32) throws -> ReceptionRun {
        var run = try ReceptionRun(PayloadFormat(payloadType: 96, encoding: "PCMU", clockRate: 8000), .audio)
        for number in 0..<200 as Range<UInt32> {
            let isLater = number >= 100
            let place = number + (isLater ? UInt32(lost) : 0)
            run.read(
                Self.block, time: place * 160 + (isLater ? jump : 0), lost: number == 100 ? lost : 0,
                at: 1_000_000_000 + Int64(place) * 20_000_000)
            run.place()
        }
        return run
    }

    @Test func reception_audioThatJumpsAtAMissingPacket_losesNoOther() throws {
        let run = try audio(lost: 1, jump: 14_400_000)
        #expect(run.sampleCount == 200 && run.lost <= 160 && run.notices.count == 1)
    }

    @Test func reception_audioAfterAnOutage_countsAll() throws {
        let run = try audio(lost: 250, jump: 0)
        #expect(run.sampleCount == 200 && run.lost == 40_000 && run.notices.isEmpty)
    }
}

import MediaTypes
import TestSupport
import Testing

@testable import NetworkCapture
@testable import RTSP

@Suite struct CameraReceptionTests {
    private typealias Run = ReceptionRun

    @Test func reception_imageWithoutItsLastPacket_countsOnce() throws {
        var run = try Run(PayloadFormat(payloadType: 96, encoding: "JPEG", clockRate: 90_000), .video)
        let header: [UInt8] = [0, 0, 0, 0, 1, 50, 8, 6]
        run.add(header + [1], time: 0)
        run.add(header + [1], time: 3000)
        run.add(header + [1, 2, 3], time: 6000, marker: false)
        run.add(header + [1], time: 9000, lost: 1)
        // Two frames without any packet, after the rest of another one.
        run.add(header + [1, 2, 3], time: 12_000, marker: false)
        run.add(header + [1], time: 21_000, lost: 9)
        #expect(run.lost == 4 && run.sampleCount == 4)
    }

    /// A keyframe every four frames, of one packet each.
    private func groups() throws -> Run {
        let sets = "Z0LAHtoCgPZA,aM48gA=="
        var run = try Run(
            PayloadFormat(
                payloadType: 96, encoding: "H264", clockRate: 90_000,
                parameters: FormatParameters("packetization-mode=1;sprop-parameter-sets=\(sets)")), .video)
        for number in 0..<9 as Range<UInt32> { run.add(Self.frame(number), time: number * 3000) }
        return run
    }

    private static func frame(_ number: UInt32) -> [UInt8] { [number % 4 == 0 ? 0x65 : 0x41, 0x88, 1, 2, 3, 4] }

    @Test func reception_withoutAKeyframe_losesTheFramesUpToTheNext() throws {
        var run = try groups()
        try #require(run.sampleCount == 9 && run.lost == 0)
        // The frames 11 and 12, of which 12 was a keyframe.
        for number in [9, 10, 13, 14, 15, 16, 17] as [UInt32] {
            run.add(Self.frame(number), time: number * 3000, lost: number == 13 ? 2 : 0)
        }
        #expect(run.lost == 5 && run.sampleCount == 13)
    }

    @Test func reception_withoutOtherFrames_continuesAtOnce() throws {
        var run = try groups()
        for number in [9, 11, 12, 13, 15] as [UInt32] {
            run.add(Self.frame(number), time: number * 3000, lost: [11, 15].contains(number) ? 1 : 0)
        }
        #expect(run.lost == 2 && run.sampleCount == 14)
    }

    /// Sends frames of one packet in decode order.
    private func send(_ frames: [UInt8], to run: inout Run, keyframes: Set<UInt8> = [0], lost: Set<UInt8> = []) {
        var missing: UInt16 = 0
        for number in frames {
            guard !lost.contains(number) else {
                missing += 1
                continue
            }
            let head: [UInt8] = keyframes.contains(number) ? [0x65, 0x88] : [0x41, 0x9A]
            run.add(head + [number], time: UInt32(number) * 3600, lost: missing)
            missing = 0
        }
    }

    @Test func reception_framesInOrder_haveNoDecodeTimes() throws {
        var run = try ReceptionRun.h264(ReceptionRun.silentSets)
        send([0, 1, 2, 3], to: &run)
        #expect(run.numbers == [0, 1, 2, 3] && run.samples.allSatisfy { $0.decodeTime == nil })
        #expect(run.lost == 0 && run.notices.isEmpty)
    }

    @Test func reception_pyramid_hasDecodeTimesAndLosesNothing() throws {
        var run = try ReceptionRun.h264(ReceptionRun.statedSets)
        let frames: [UInt8] = [0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11]
        send(frames, to: &run)
        #expect(run.numbers == frames.map { Int($0) } && run.isInOrder && run.lost == 0 && run.notices.isEmpty)
        #expect(run.samples.allSatisfy { $0.decodeTime != nil })
        let shown = run.samples.sorted { $0.presentationTime < $1.presentationTime }.map { $0.presentationTime }
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 })
        // From the third frame on, decode times are the presentation times in order.
        #expect(run.samples.dropFirst(2).map(\.decodeTime) == shown.prefix(11).map { Optional($0) })
    }

    @Test func reception_pyramidWithoutAFrame_countsIt() throws {
        var run = try ReceptionRun.h264(ReceptionRun.statedSets)
        send([0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11], to: &run, lost: [5])
        #expect(run.numbers == [0, 4, 2, 1, 3, 8, 6, 7, 12, 10, 9, 11] && run.isInOrder && run.lost == 1)
    }

    @Test func reception_orderUnknown_isLearnedAtTheNextKeyframe() throws {
        var run = try ReceptionRun.h264(ReceptionRun.mainSets)
        send([0, 4, 2, 1, 3, 8, 6, 5, 7], to: &run)
        #expect(run.numbers == [0, 4, 8] && run.lost == 6 && run.notices.count == 1)
        let next: [UInt8] = [9, 13, 11, 10, 12, 17, 15, 14, 16]
        send(next, to: &run, keyframes: [9])
        #expect(Array(run.numbers.suffix(9)) == next.map { Int($0) } && run.lost == 6 && run.isInOrder)
        #expect(run.notices.count == 1)
    }

    @Test func reception_leadingFramesOfAnOpenGOP_areDelivered() throws {
        var run = try ReceptionRun.hevc()
        let frames: [(UInt8, type: UInt8)] = [(0, 21), (4, 1), (2, 1), (8, 21), (6, 9), (5, 9), (7, 9), (12, 1)]
        for (number, type) in frames { run.add([type << 1, 1, 0x80, number], time: UInt32(number) * 3600) }
        #expect(run.numbers == frames.map { Int($0.0) } && run.isInOrder && run.lost == 0)
    }

    @Test func reception_leadingFramesOfTheFirstKeyframe_areFromBeforeTheStream() throws {
        var run = try ReceptionRun.hevc()
        for (number, type) in [(8, 21), (6, 9), (5, 9), (7, 9), (12, 1), (10, 1)] as [(UInt8, UInt8)] {
            run.add([type << 1, 1, 0x80, number], time: UInt32(number) * 3600)
        }
        #expect(run.numbers == [8, 12, 10] && run.isInOrder && run.lost == 0)
    }

    @Test func reception_leadingFramesAfterALostKeyframe_countAsLost() throws {
        var run = try ReceptionRun.hevc()
        func add(_ number: UInt8, _ type: UInt8, marker: Bool = true, lost: UInt16 = 0) {
            run.add([type << 1, 1, 0x80, number], time: UInt32(number) * 3600, marker: marker, lost: lost)
        }
        for number in [0, 2, 1] as [UInt8] { add(number, number == 0 ? 21 : 1) }
        // The second packet of the keyframe 4 is missing.
        add(4, 21, marker: false)
        add(3, 9, lost: 1)
        let rest: [(UInt8, UInt8)] = [(6, 1), (5, 1), (8, 21), (7, 9), (10, 1), (9, 1)]
        for (number, type) in rest { add(number, type) }
        #expect(run.numbers == [0, 2, 1, 8, 10, 9] && run.isInOrder)
        // 4, 3, 6, 5 and 7; the packet was part of 4.
        #expect(run.lost == 5)
    }

    @Test func reception_pyramidWithoutAKeyframe_losesTheFramesUpToTheNext() throws {
        var run = try ReceptionRun.h264(ReceptionRun.statedSets)
        let group: [UInt8] = [0, 4, 2, 1, 3, 8, 6, 5, 7]
        let frames: [UInt8] = ([0, 9, 18, 27] as [UInt8]).flatMap { first in group.map { $0 + first } }
        send(frames, to: &run, keyframes: [0, 9, 18, 27], lost: [18])
        let stored = frames.filter { $0 < 18 || $0 >= 27 }
        #expect(run.numbers == stored.map { Int($0) } && run.isInOrder && run.lost == 9)
    }

    @Test func reception_openGOPWithoutItsKeyframe_losesTheFramesUpToTheNext() throws {
        var run = try ReceptionRun.hevc()
        let frames: [(UInt8, type: UInt8)] = [
            (0, 21), (2, 1), (1, 1), (4, 21), (3, 9), (6, 1), (5, 1), (7, 9), (10, 1), (9, 1), (12, 21), (11, 9),
            (14, 1), (13, 1),
        ]
        for (number, type) in frames {
            // The keyframe 8 is missing. That is not known before 10, the first frame that is shown after it.
            run.add([type << 1, 1, 0x80, number], time: UInt32(number) * 3600, lost: number == 7 ? 1 : 0)
        }
        #expect(run.numbers == [0, 2, 1, 4, 3, 6, 5, 7, 12, 14, 13] && run.isInOrder)
        // 8, 10, 9 and 11.
        #expect(run.lost == 4)
    }

    private static let law = PayloadFormat(payloadType: 96, encoding: "PCMU", clockRate: 8000)
    /// 20 ms.
    private static let block = [UInt8](repeating: 0xFF, count: 160)

    @Test(arguments: [0, 20] as [Int64]) func reception_audioReadLate_isPlacedWithoutOverlap(first: Int64) throws {
        var run = try Run(Self.law, .audio)
        let length: Int64 = 20_000_000
        for number in 0..<100 as Range<Int64> {
            // The process does not run for 0.4 s, and then reads what has arrived at once.
            let isLate = number >= first && number < first + 20
            let end = 1_000_000_000 + (isLate ? first + 20 : number + 1) * length
            run.read(Self.block, time: UInt32(number * 160), at: end)
            if !isLate || number == first + 19 { run.place() }
        }
        let samples = run.samples
        #expect(samples.count == 100 && run.lost == 0 && run.notices.isEmpty)
        let errors = zip(samples, samples.dropFirst()).map { abs(($1.presentationTime - $0.endTime).seconds) }
        #expect(errors.allSatisfy { $0 < 0.001 })
        let start = try #require(samples.first).presentationTime.seconds
        #expect(abs(start - 1.02) < 0.001)
    }

    @Test func reception_jumpAmongPacketsReadAtOnce_placesTheSamplesBeforeItFirst() throws {
        var run = try Run(Self.law, .audio)
        for number in 0..<20 as Range<UInt32> {
            let jump: UInt32 = number < 10 ? 0 : 8_000_000
            run.read(Self.block, time: number * 160 + jump, at: 1_400_000_000)
        }
        run.place()
        let times = run.samples.map { $0.presentationTime.seconds }
        try #require(times.count == 20)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 } && run.notices.count == 1)
        #expect(times.allSatisfy { $0 > 1.2 && $0 < 1.7 })
    }

    /// A packet of 20 ms that decodes to silence: one frame of CELT, mono.
    private static let silence: [UInt8] = [0xF8, 0xFF, 0xFE]

    private func opus(keeps: Bool = false) throws -> Run {
        let format = PayloadFormat(payloadType: 96, encoding: "OPUS", clockRate: 48_000, channels: 2)
        return try Run(format, .audio, keepsOpus: keeps)
    }

    @Test func reception_opusThatIsKept_isDeliveredInItsPackets() throws {
        var run = try opus(keeps: true)
        for number in 0..<50 as Range<UInt32> { run.add(Self.silence, time: number * 960) }
        #expect(run.reception.format(of: .audio)?.audio?.codec == .opus && run.reception.decodedAudio == nil)
        #expect(run.samples.count == 50 && run.lost == 0)
        let isSame = run.samples.allSatisfy { sample in
            guard case .data(let data) = sample.content else { return false }
            return Array(data.bytes) == Self.silence && sample.sampleCount == 960
                && sample.duration == MediaTime(value: 960, timescale: 48_000)
        }
        #expect(isSame)
    }

    @Test func reception_opus_isDecoded() throws {
        var run = try opus()
        for number in 0..<50 as Range<UInt32> { run.add(Self.silence, time: number * 960) }
        let format = run.reception.format(of: .audio)?.audio
        #expect(format?.pcm == .s16 && format?.sampleRate == 48_000 && format?.channelCount == 1)
        #expect(run.reception.decodedAudio == "Opus" && run.lost == 0 && run.notices.isEmpty)
        #expect(run.samples.reduce(0) { $0 + $1.sampleCount } == 48_000)
        let errors = zip(run.samples, run.samples.dropFirst()).map { abs(($1.presentationTime - $0.endTime).seconds) }
        #expect(errors.allSatisfy { $0 < 0.001 })
        let isSilent = run.samples.allSatisfy { sample in
            guard case .data(let data) = sample.content else { return false }
            return data.count == sample.sampleCount * 2 && data.bytes.allSatisfy { $0 == 0 || $0 == 0xFF }
        }
        #expect(isSilent)
    }

    @Test func reception_opusWithoutPackets_countsTheirFrames() throws {
        var run = try opus()
        for number in [0, 1, 4, 5] as [UInt32] { run.add(Self.silence, time: number * 960, lost: number == 4 ? 2 : 0) }
        #expect(run.lost == 1920 && run.sampleCount == 4)
    }

    @Test(arguments: 0..<20) func reception_opusOfRandomBytes_neverCrashes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var run = try opus()
        for number in 0..<100 as Range<UInt32> {
            let count = Int.random(in: 0...60, using: &random)
            run.add((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }, time: number * 960)
        }
        #expect(run.samples.allSatisfy { $0.sampleCount > 0 })
    }

    @Test func reception_audioWithoutAFragment_countsOnce() throws {
        let format = PayloadFormat(
            payloadType: 96, encoding: "MPEG4-GENERIC", clockRate: 16_000,
            parameters: FormatParameters("config=1408;sizelength=13;indexlength=3;indexdeltalength=3"))
        var run = try Run(format, .audio)
        let header: [UInt8] = [0, 16, 0, 5 << 3]
        run.add(header + [1, 2, 3, 4, 5], time: 0)
        run.add(header + [1, 2], time: 1024, marker: false)
        run.add(header + [5], time: 1024, lost: 1)
        run.add(header + [1, 2, 3, 4, 5], time: 2048)
        #expect(run.lost == 1024 && run.sampleCount == 2)
    }
}

import MediaTypes
import Testing

@testable import NetworkCapture
@testable import RTSP

@Suite struct CameraReceptionTests {
    /// One stream, and everything that results from its packets. Time is virtual.
    private struct Run {
        var reception: CameraReception
        var output: [ReceptionOutput] = []
        private let clockRate: Int64
        private var sequence: UInt16 = 0

        init(_ format: PayloadFormat, _ kind: MediaDescription.Kind) throws {
            let stream = SessionStream(
                description: MediaDescription(kind: kind, formats: [format]), format: format,
                transport: .interleaved(rtp: 0, rtcp: 1))
            reception = try CameraReception([stream], mostDelay: 0, source: 1)
            clockRate = Int64(format.clockRate)
        }

        /// Receives the next packet at its RTP time, after `lost` missing ones.
        mutating func add(_ payload: [UInt8], time: UInt32, marker: Bool = true, lost: UInt16 = 0) {
            sequence += 1 + lost
            let head: [UInt8] = [0x80, marker ? 0xE0 : 0x60, UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
            let times = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> UInt32($0)) }
            let now = 1_000_000_000 + Int64(time) * 1_000_000_000 / clockRate
            reception.receive(
                head + times + [1, 2, 3, 4] + payload, stream: 0, isControl: false, at: now, wall: 0, &output)
        }

        var sampleCount: Int { output.filter { if case .sample = $0 { true } else { false } }.count }
        var lost: Int64 {
            output.reduce(0) { if case .lost(_, let count, _, _) = $1 { $0 + count } else { $0 } }
        }
    }

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

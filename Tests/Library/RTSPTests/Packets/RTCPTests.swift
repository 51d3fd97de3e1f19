import RTSP
import Testing

@Suite struct RTCPTests {
    private let report: [UInt8] = [
        0x80, 200, 0, 6, 0, 0, 0, 7, 0xE8, 0, 0, 1, 0x80, 0, 0, 0, 0, 1, 0x5F, 0x90, 0, 0, 0, 9, 0, 0, 1, 0,
    ]

    @Test func compound_reportNameAndGoodbye_areParsed() {
        let names: [UInt8] = [0x81, 202, 0, 3, 0, 0, 0, 7, 1, 3, 0x63, 0x61, 0x6D, 0, 0, 0]
        let goodbye: [UInt8] = [0x81, 203, 0, 2, 0, 0, 0, 7, 3, 0x65, 0x6E, 0x64]
        let packets = RTCPPacket.parse(report + names + goodbye)
        let sent = RTCPPacket.SenderReport(
            source: 7, time: NTPTime(seconds: 0xE800_0001, fraction: 0x8000_0000), timestamp: 90_000, packetCount: 9,
            byteCount: 256)
        #expect(packets == [.senderReport(sent), .sourceDescription([7: "cam"]), .goodbye([7], reason: "end")])
    }

    @Test func compound_truncated_keepsThePartsBefore() {
        #expect(RTCPPacket.parse(report + [0x81, 203, 0, 9]).count == 1)
        #expect(RTCPPacket.parse(Array(report.dropLast())).isEmpty)
        #expect(RTCPPacket.parse([0x80, 200, 0, 0]).isEmpty)
    }

    @Test func writer_receiverReport_isCompoundAndAligned() {
        let writer = RTCPWriter(source: 0x0102_0304, name: "recorder")
        var block = ReceptionBlock(source: 7)
        block.fractionLost = 64
        block.lost = -1
        block.highestSequence = 0x1_0005
        let bytes = writer.receiverReport([block])
        #expect(bytes.count % 4 == 0)
        #expect(Array(bytes[0..<20]) == [0x81, 201, 0, 7, 1, 2, 3, 4, 0, 0, 0, 7, 64, 0xFF, 0xFF, 0xFF, 0, 1, 0, 5])
        let names = RTCPPacket.sourceDescription([0x0102_0304: "recorder"])
        #expect(RTCPPacket.parse(bytes) == [.receiverReport(source: 0x0102_0304), names])
        #expect(RTCPPacket.parse(writer.goodbye()).last == .goodbye([0x0102_0304], reason: nil))
    }

    @Test func ntp_wrapOf2036_keepsDifferences() {
        let before = NTPTime(seconds: .max, fraction: 0)
        let after = NTPTime(seconds: 4, fraction: 0x8000_0000)
        #expect(after.seconds(since: before) == 5.5 && before.seconds(since: after) == -5.5)
        #expect(after.unixSeconds - before.unixSeconds == 5)
        #expect(NTPTime(seconds: 2_208_988_800 + 1_700_000_000, fraction: 0).unixSeconds == 1_700_000_000)
    }
}

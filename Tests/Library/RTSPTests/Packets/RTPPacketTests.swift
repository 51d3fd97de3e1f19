import RTSP
import TestSupport
import Testing

@Suite struct RTPPacketTests {
    @Test func packet_plain_hasItsFields() throws {
        let packet = try RTPPacket(
            RTPBytes.packet([1, 2, 3], sequence: 0x1234, timestamp: 0x8000_0001, marker: true, type: 96))
        #expect(packet.marker && packet.payloadType == 96 && packet.sequence == 0x1234)
        #expect(packet.timestamp == 0x8000_0001 && packet.source == 0xAABB_CCDD)
        #expect(Array(packet.payload) == [1, 2, 3] && packet.extensionProfile == nil && packet.contributors.isEmpty)
    }

    @Test func packet_contributorsExtensionAndPadding_leaveThePayload() throws {
        var bytes = RTPBytes.packet([])
        bytes[0] = 0xB2  // padding, extension, two contributors
        bytes += RTPBytes.bigEndian(7) + RTPBytes.bigEndian(8)
        bytes += [0xBE, 0xDE, 0, 1, 9, 9, 9, 9] + [1, 2] + [0, 0, 3]
        let packet = try RTPPacket(bytes)
        #expect(packet.contributors == [7, 8])
        #expect(packet.extensionProfile == 0xBEDE && Array(packet.extensionData) == [9, 9, 9, 9])
        #expect(Array(packet.payload) == [1, 2])
    }

    @Test func packet_invalid_isRefused() {
        #expect(throws: RTPPacket.Fault.short) { try RTPPacket([0x80, 96, 0]) }
        #expect(throws: RTPPacket.Fault.version) { try RTPPacket([UInt8](repeating: 0, count: 12)) }
        var long = RTPBytes.packet([1])
        long[0] = 0x8F
        #expect(throws: RTPPacket.Fault.short) { try RTPPacket(long) }
        var padded = RTPBytes.packet([200])
        padded[0] = 0xA0
        #expect(throws: RTPPacket.Fault.padding) { try RTPPacket(padded) }
    }

    @Test(arguments: 0..<50) func packet_randomBytes_neverCrashes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let count = Int.random(in: 0..<60, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if count > 0 { bytes[0] = bytes[0] & 0x3F | 0x80 }
            if let packet = try? RTPPacket(bytes) { #expect(packet.payload.count <= count - 12) }
            _ = RTCPPacket.parse(bytes)
        }
    }

    @Test func unwrapper_wrappingNumbers_countsInBothDirections() {
        var sequence = Unwrapper<UInt16>()
        #expect(sequence.unwrap(65_534) == 65_534)
        #expect(sequence.unwrap(1) == 65_537)
        #expect(sequence.unwrap(65_535) == 65_535)
        var time = Unwrapper<UInt32>()
        #expect(time.unwrap(.max) == 4_294_967_295)
        #expect(time.unwrap(89_999) == 4_294_967_296 + 89_999)
        #expect(time.unwrap(.max) == 4_294_967_295)
    }
}

import RTSP
import TestSupport
import Testing

@Suite struct RTPReceiverTests {
    private let millisecond: Int64 = 1_000_000

    private func sequences(_ events: [ReceiverEvent]) -> [Int64] {
        events.compactMap { if case .packet(let packet) = $0 { packet.sequence } else { nil } }
    }

    private func losses(_ events: [ReceiverEvent]) -> Int64 {
        events.reduce(0) { if case .packet(let packet) = $1 { $0 + packet.lostBefore } else { $0 } }
    }

    private func began(_ events: [ReceiverEvent]) -> [UInt32] {
        events.compactMap { if case .began(let source) = $0 { source } else { nil } }
    }

    private func receiver(delay: Int64 = 100_000_000, packets: Int = 8) -> RTPReceiver {
        RTPReceiver(payloadTypes: [96], clockRate: 90_000, mostDelay: delay, mostPackets: packets)
    }

    @Test func receiver_swappedPackets_areBroughtIntoOrder() {
        var receiver = receiver()
        var events: [ReceiverEvent] = []
        for sequence: UInt16 in [65_534, 0, 65_535, 1] {
            events += receiver.receive(RTPBytes.packet([1], sequence: sequence), at: 0)
        }
        #expect(sequences(events) == [65_534, 65_535, 65_536, 65_537])
        #expect(losses(events) == 0 && receiver.account.reordered == 1)
    }

    @Test func receiver_missingPacket_isGivenUpAfterTheDelay() {
        var receiver = receiver()
        var events = receiver.receive(RTPBytes.packet([1], sequence: 10), at: 0)
        events += receiver.receive(RTPBytes.packet([1], sequence: 13), at: millisecond)
        #expect(sequences(events) == [10] && receiver.deadline == 101 * millisecond)
        #expect(receiver.poll(now: 100 * millisecond).isEmpty)
        let later = receiver.poll(now: 101 * millisecond)
        #expect(sequences(later) == [13] && losses(later) == 2)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 11), at: 102 * millisecond)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 11), at: 102 * millisecond)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 13), at: 102 * millisecond)
        #expect(receiver.account.late == 1 && receiver.account.duplicates == 2)
        #expect(receiver.account.lost == 2 && receiver.account.delivered == 2)
    }

    @Test func receiver_fullBuffer_givesUpEarlier() {
        var receiver = receiver(packets: 3)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 0), at: 0)
        var events: [ReceiverEvent] = []
        for sequence: UInt16 in 2..<6 { events += receiver.receive(RTPBytes.packet([1], sequence: sequence), at: 0) }
        #expect(sequences(events) == [2, 3, 4, 5] && losses(events) == 1)
    }

    @Test func receiver_withoutDelay_passesEverythingOnAtOnce() {
        var receiver = receiver(delay: 0)
        #expect(sequences(receiver.receive(RTPBytes.packet([1], sequence: 0), at: 0)) == [0])
        #expect(losses(receiver.receive(RTPBytes.packet([1], sequence: 5), at: 0)) == 4)
    }

    @Test func receiver_strayPacketOfAnotherSource_isDropped() {
        var receiver = receiver()
        _ = receiver.receive(RTPBytes.packet([1], sequence: 5), at: 0)
        #expect(receiver.receive(RTPBytes.packet([1], sequence: 900, source: 7), at: 0).isEmpty)
        #expect(sequences(receiver.receive(RTPBytes.packet([1], sequence: 6), at: 0)) == [6])
        #expect(receiver.account.strays == 1 && receiver.source == 0xAABB_CCDD)
    }

    @Test func receiver_twoPacketsOfAnotherSource_beginANewStream() {
        var receiver = receiver()
        _ = receiver.receive(RTPBytes.packet([1], sequence: 5), at: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 7), at: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 900, source: 7), at: 0)
        let events = receiver.receive(RTPBytes.packet([1], sequence: 901, source: 7), at: 0)
        #expect(began(events) == [7] && sequences(events) == [7, 900, 901])
        #expect(losses(events) == 1 && receiver.account.restarts == 1 && receiver.source == 7)
    }

    @Test func receiver_sameSourceFarBack_beginsAgain() {
        var receiver = receiver(delay: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 20_000), at: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 10), at: 0)
        let events = receiver.receive(RTPBytes.packet([1], sequence: 11), at: 0)
        #expect(began(events).count == 1 && sequences(events) == [10, 11] && receiver.account.lost == 0)
    }

    @Test(arguments: [0, 100_000_000] as [Int64], [0, 100, 399] as [UInt16])
    func receiver_sameSourceNotFarBack_beginsAgain(delay: Int64, first: UInt16) {
        var receiver = receiver(delay: delay)
        var events: [ReceiverEvent] = []
        // The RTP times continue.
        for (index, sequence) in (Array(0..<400) + Array(first..<(first + 50))).enumerated() {
            let bytes = RTPBytes.packet([1], sequence: sequence, timestamp: UInt32(index) * 3600)
            events += receiver.receive(bytes, at: 0)
        }
        #expect(began(events).count == 2 && sequences(events).count == 450 && losses(events) == 0)
        #expect(receiver.account.restarts == 1 && receiver.account.duplicates == 0 && receiver.account.strays == 0)
    }

    @Test func receiver_repeatedPacketsInARow_areDuplicates() {
        var receiver = receiver(delay: 0)
        var events: [ReceiverEvent] = []
        for sequence in Array(0..<20) + Array(10..<30) as [UInt16] {
            let bytes = RTPBytes.packet([1], sequence: sequence, timestamp: UInt32(sequence) * 3600)
            events += receiver.receive(bytes, at: 0)
        }
        #expect(sequences(events) == Array(0..<30) && receiver.account.duplicates == 10)
        #expect(began(events).count == 1 && receiver.account.strays == 0)
    }

    @Test func receiver_sameSourceFarAhead_countsTheOutageAsLost() {
        var receiver = receiver(delay: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 10), at: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 10_011, timestamp: 450_000), at: 5000 * millisecond)
        let next = RTPBytes.packet([1], sequence: 10_012, timestamp: 450_000)
        let events = receiver.receive(next, at: 5000 * millisecond)
        #expect(began(events).isEmpty && losses(events) == 10_000 && receiver.account.restarts == 0)
    }

    /// The RTP time continues, or is ahead by half an hour.
    @Test(arguments: [3600, 162_000_000] as [UInt32])
    func receiver_sameSourceFarAheadWithoutAnOutage_beginsAgain(timestamp: UInt32) {
        var receiver = receiver(delay: 0)
        _ = receiver.receive(RTPBytes.packet([1], sequence: 10), at: 0)
        var events: [ReceiverEvent] = []
        for sequence in [10_011, 10_012] as [UInt16] {
            let bytes = RTPBytes.packet([1], sequence: sequence, timestamp: timestamp)
            events += receiver.receive(bytes, at: 40 * millisecond)
        }
        #expect(began(events).count == 1 && sequences(events) == [10_011, 10_012])
        #expect(receiver.account.lost == 0 && receiver.account.restarts == 1)
    }

    @Test func receiver_otherPayloadType_isCountedAsInvalid() {
        var receiver = receiver()
        #expect(receiver.receive(RTPBytes.packet([1], type: 97), at: 0).isEmpty)
        #expect(receiver.receive([1, 2, 3], at: 0).isEmpty)
        #expect(receiver.account.invalid == 2)
    }

    @Test func receiver_reportBlock_hasTheLossSinceTheLastOne() {
        var receiver = receiver(delay: 0)
        #expect(receiver.reportBlock(now: 0) == nil)
        for sequence: UInt16 in [0, 1, 2, 4, 5, 6, 7] {
            let bytes = RTPBytes.packet([1], sequence: sequence, timestamp: UInt32(sequence) * 90)
            _ = receiver.receive(bytes, at: Int64(sequence) * millisecond)
        }
        let time = NTPTime(seconds: 0x1122_3344, fraction: 0x5566_7788)
        let report = RTCPPacket.SenderReport(source: 1, time: time, timestamp: 0, packetCount: 0, byteCount: 0)
        receiver.note(report, at: 0)
        let block = receiver.reportBlock(now: 500 * millisecond)
        #expect(block?.fractionLost == 32 && block?.lost == 1 && block?.highestSequence == 7 && block?.jitter == 0)
        #expect(block?.lastReport == 0x3344_5566 && block?.delay == 32_768)
        #expect(receiver.reportBlock(now: 0)?.fractionLost == 0)
    }

    @Test(arguments: 0..<40) func receiver_lossyNetwork_expectedIsDeliveredPlusLost(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var receiver = receiver(delay: 20_000_000, packets: 20)
        var flights: [(at: Int64, sequence: UInt16)] = []
        let start = Int.random(in: 0..<65_536, using: &random)
        for index in 0..<3000 {
            guard Double.random(in: 0..<1, using: &random) > 0.05 || index == 0 else { continue }
            let copies = Double.random(in: 0..<1, using: &random) < 0.03 ? 2 : 1
            for _ in 0..<copies {
                let delay = index == 0 ? 0 : Int64.random(in: 0..<30_000_000, using: &random)
                flights.append((Int64(index) * millisecond + delay, UInt16(truncatingIfNeeded: start + index)))
            }
        }
        flights.sort { $0.at < $1.at }
        var events: [ReceiverEvent] = []
        for flight in flights {
            events += receiver.receive(RTPBytes.packet([1], sequence: flight.sequence), at: flight.at)
        }
        events += receiver.poll(now: .max)
        let order = sequences(events)
        #expect(order == order.sorted() && Set(order).count == order.count)
        let account = receiver.account
        #expect(account.delivered == Int64(order.count) && account.lost == losses(events))
        #expect(account.expected == (order.last ?? 0) - (order.first ?? 0) + 1)
        #expect(account.delivered + account.duplicates + account.late == Int64(flights.count))
    }
}

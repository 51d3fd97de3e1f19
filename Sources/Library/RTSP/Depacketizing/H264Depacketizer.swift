import MediaCodecs

/// H.264 (RFC 6184): single NAL units, aggregates (STAP) and fragments (FU) in decoding order.
struct H264Depacketizer: Depacketizer {
    private var assembler: AccessUnitAssembler
    private var hasReportedInterleaving = false

    /// - Parameter sets: The parameter sets of the session description.
    init(sets: [[UInt8]]) { assembler = AccessUnitAssembler(.h264(AVCConfiguration()), units: sets) }

    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        assembler.begin(packet, to: &output)
        let payload = packet.packet.payload
        guard let header = payload.first else { return }
        switch header & 0x1F {
        case 24: addAggregate(payload.dropFirst(1))
        case 25: addAggregate(payload.dropFirst(3))  // a decoding order number of two bytes
        case 26, 27:
            assembler.damage()
            if !hasReportedInterleaving { output.append(.unsupported("H.264 with interleaved NAL units (MTAP)")) }
            hasReportedInterleaving = true
        case 28: addFragment(payload, header, isNumbered: false, packet)
        case 29: addFragment(payload, header, isNumbered: true, packet)
        default:
            assembler.endFragment()
            assembler.add(payload)
        }
        assembler.end(marker: packet.packet.marker, to: &output)
    }

    mutating func flush(to output: inout [DepacketizedItem]) { assembler.flush(to: &output) }

    private mutating func addAggregate(_ units: ArraySlice<UInt8>) {
        assembler.endFragment()
        var rest = units
        while let high = rest.popFirst(), let low = rest.popFirst() {
            let count = Int(high) << 8 | Int(low)
            guard count <= rest.count else { return assembler.damage() }
            if count > 0 { assembler.add(rest.prefix(count)) }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func addFragment(
        _ payload: ArraySlice<UInt8>, _ header: UInt8, isNumbered: Bool, _ packet: ReceivedPacket
    ) {
        guard payload.count > 2 else { return assembler.damage() }
        let part = payload[payload.startIndex + 1]
        let (isStart, isEnd) = (part & 0x80 != 0, part & 0x40 != 0)
        assembler.addFragment(
            payload.dropFirst(isNumbered && isStart ? 4 : 2), header: isStart ? [header & 0xE0 | part & 0x1F] : nil,
            isEnd: isEnd, time: packet.time)
    }
}

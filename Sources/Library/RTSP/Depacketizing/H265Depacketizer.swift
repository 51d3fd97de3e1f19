import MediaCodecs

/// H.265 (RFC 7798): single NAL units, aggregates (AP) and fragments (FU) in decoding order.
struct H265Depacketizer: Depacketizer {
    private var assembler: AccessUnitAssembler
    /// True if packets have decoding order numbers, because `sprop-max-don-diff` is above 0.
    private let isNumbered: Bool
    private var hasReportedExtension = false

    /// - Parameter sets: The parameter sets of the session description.
    init(sets: [[UInt8]], isNumbered: Bool) {
        assembler = AccessUnitAssembler(.hevc(HEVCParameterSets()), units: sets)
        self.isNumbered = isNumbered
    }

    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        assembler.begin(packet, to: &output)
        let payload = packet.packet.payload
        guard payload.count > 2, let first = payload.first else { return }
        switch first >> 1 & 0x3F {
        case 48: addAggregate(payload.dropFirst(2))
        case 49: addFragment(payload, packet)
        case 50:
            assembler.damage()
            if !hasReportedExtension { output.append(.unsupported("H.265 with payload headers (PACI)")) }
            hasReportedExtension = true
        default:
            assembler.endFragment()
            guard isNumbered else {
                assembler.add(payload)
                break
            }
            // Two bytes of decoding order number follow the header.
            if payload.count > 4 { assembler.add((payload.prefix(2) + payload.dropFirst(4))[...]) }
        }
        assembler.end(marker: packet.packet.marker, to: &output)
    }

    mutating func flush(to output: inout [DepacketizedItem]) { assembler.flush(to: &output) }

    private mutating func addAggregate(_ units: ArraySlice<UInt8>) {
        assembler.endFragment()
        var rest = units
        var isFirst = true
        while !rest.isEmpty {
            // The first unit has a number of two bytes, the others a difference of one byte.
            if isNumbered { rest = rest.dropFirst(isFirst ? 2 : 1) }
            isFirst = false
            guard let high = rest.popFirst(), let low = rest.popFirst() else { return assembler.damage() }
            let count = Int(high) << 8 | Int(low)
            guard count <= rest.count else { return assembler.damage() }
            if count > 0 { assembler.add(rest.prefix(count)) }
            rest = rest.dropFirst(count)
        }
    }

    private mutating func addFragment(_ payload: ArraySlice<UInt8>, _ packet: ReceivedPacket) {
        guard payload.count > 3 else { return assembler.damage() }
        let start = payload.startIndex
        let part = payload[start + 2]
        let (isStart, isEnd) = (part & 0x80 != 0, part & 0x40 != 0)
        // The type of the unit replaces that of the fragment; layer and temporal number stay.
        let header = isStart ? [payload[start] & 0x81 | (part & 0x3F) << 1, payload[start + 1]] : nil
        assembler.addFragment(
            payload.dropFirst(isNumbered && isStart ? 5 : 3), header: header, isEnd: isEnd, time: packet.time)
    }
}

import MediaTypes

/// AAC in the form `mpeg4-generic` (RFC 3640): AAC-hbr and AAC-lbr without interleaving.
struct AACDepacketizer: Depacketizer {
    private let config: AudioSpecificConfig
    private let format: AudioFormat
    /// The bits of the fields of an AU header.
    private let sizeBits: Int
    private let indexBits: Int
    private let deltaBits: Int
    /// Ticks of the RTP clock in one packet of AAC.
    private let ticks: Int64
    private var hasReportedFormat = false
    private var hasReportedInterleaving = false
    private var pendingLost: Int64 = 0
    /// A packet of AAC whose fragments are being received.
    private var fragment: (bytes: [UInt8], count: Int, time: Int64, arrival: Int64)?
    /// The time of a packet of AAC that is already counted as dropped.
    private var droppedTime: Int64?
    private let packets = MediaDataPool(byteCount: 2048, capacity: 64)

    /// - Throws: An error if the parameters are missing or describe something else.
    init(_ payload: PayloadFormat) throws(MediaError) {
        let parameters = payload.parameters
        let mode = parameters["mode"]?.lowercased() ?? "aac-hbr"
        let isLow = mode == "aac-lbr"
        guard isLow || mode == "aac-hbr" else { throw Self.error("its mode is \(mode.prefix(40))") }
        guard let bytes = Self.bytes(parameters["config"] ?? ""), let config = AudioSpecificConfig(bytes) else {
            throw Self.error("its description has no usable config")
        }
        let further = ["ctsdeltalength", "dtsdeltalength", "streamstateindication", "auxiliarydatasizelength"]
        guard further.allSatisfy({ parameters.number($0) ?? 0 == 0 }), parameters.number("randomaccessindication") != 1
        else { throw Self.error("its AU headers have further fields") }
        sizeBits = parameters.number("sizelength") ?? (isLow ? 6 : 13)
        indexBits = parameters.number("indexlength") ?? (isLow ? 2 : 3)
        deltaBits = parameters.number("indexdeltalength") ?? (isLow ? 2 : 3)
        guard (1...16).contains(sizeBits), (0...16).contains(indexBits), (0...16).contains(deltaBits) else {
            throw Self.error("its AU headers have invalid lengths")
        }
        self.config = config
        let rate = payload.clockRate > 0 ? payload.clockRate : config.sampleRate
        ticks = Int64(config.coreFrames * rate / config.coreRate)
        format = AudioFormat(
            codec: .aac, sampleRate: config.sampleRate, channelCount: config.channelCount, decoderConfiguration: bytes,
            framesPerPacket: config.framesPerPacket)
    }

    private static func error(_ reason: String) -> MediaError {
        MediaError(
            .unsupported, "cannot receive the camera's AAC", reason: reason,
            wayOut: "set the camera's audio to G.711, or to AAC-LC")
    }

    /// Returns the bytes of hexadecimal digits; nil for other text.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard !digits.isEmpty, digits.count == text.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    var describedFormat: FormatDescription? { .audio(format) }

    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        if let open = fragment, packet.lostBefore > 0 || packet.time != open.time { drop(open.time, &output) }
        pendingLost += packet.lostBefore
        let payload = packet.packet.payload
        guard let units = units(of: payload), let start = dataStart(of: payload) else {
            return drop(packet.time, &output)
        }
        guard units.allSatisfy({ $0.index == 0 }) else {
            if !hasReportedInterleaving { output.append(.unsupported("AAC with interleaved access units")) }
            hasReportedInterleaving = true
            return drop(packet.time, &output)
        }
        var rest = payload.dropFirst(start)
        if units.count == 1, units[0].size > rest.count || fragment != nil {
            // This is the rest of a packet of AAC that lacks one of its fragments.
            guard fragment != nil || packet.time != droppedTime else { return }
            return add(part: rest, of: units[0].size, packet, &output)
        }
        for (place, unit) in units.enumerated() {
            let time = packet.time + Int64(place) * ticks
            guard unit.size > 0, unit.size <= rest.count else { return drop(time, &output) }
            deliver(rest.prefix(unit.size), time, packet.arrival, &output)
            rest = rest.dropFirst(unit.size)
        }
    }

    mutating func flush(to output: inout [DepacketizedItem]) {
        if let fragment { drop(fragment.time, &output) }
        droppedTime = nil
    }

    /// Returns the position of the first packet of AAC; nil if the headers are incomplete.
    private func dataStart(of payload: ArraySlice<UInt8>) -> Int? {
        guard payload.count > 2 else { return nil }
        let bits = Int(payload[payload.startIndex]) << 8 | Int(payload[payload.startIndex + 1])
        let start = 2 + (bits + 7) / 8
        return start <= payload.count ? start : nil
    }

    /// Returns the size and the index of each packet of AAC; nil if the headers are incomplete.
    private func units(of payload: ArraySlice<UInt8>) -> [(size: Int, index: Int)]? {
        guard let start = dataStart(of: payload) else { return nil }
        var bits = Int(payload[payload.startIndex]) << 8 | Int(payload[payload.startIndex + 1])
        let header = payload.dropFirst(2).prefix(start - 2)
        var position = 0
        func number(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                let byte = header[header.startIndex + position / 8]
                value = value << 1 | Int(byte >> UInt8(7 - position % 8) & 1)
                position += 1
            }
            return value
        }
        var units: [(size: Int, index: Int)] = []
        while true {
            let indexCount = units.isEmpty ? indexBits : deltaBits
            guard bits >= sizeBits + indexCount else { break }
            units.append((number(sizeBits), number(indexCount)))
            bits -= sizeBits + indexCount
        }
        return units.isEmpty ? nil : units
    }

    private mutating func add(
        part: ArraySlice<UInt8>, of count: Int, _ packet: ReceivedPacket, _ output: inout [DepacketizedItem]
    ) {
        var open = fragment ?? (bytes: [], count: count, time: packet.time, arrival: packet.arrival)
        // Makes `open` the only reference to the bytes, so that they are not copied for each fragment.
        fragment = nil
        open.bytes += part
        guard open.count == count, open.bytes.count <= count else { return drop(packet.time, &output) }
        guard open.bytes.count == count else {
            fragment = open
            return
        }
        deliver(open.bytes[...], open.time, open.arrival, &output)
    }

    private mutating func deliver(
        _ bytes: ArraySlice<UInt8>, _ time: Int64, _ arrival: Int64, _ output: inout [DepacketizedItem]
    ) {
        if !hasReportedFormat { output.append(.format(.audio(format))) }
        hasReportedFormat = true
        output.append(
            .sample(
                NetworkSample(
                    bytes.withUnsafeBytes { packets.copy($0) }, time: time, arrival: arrival, lostPackets: pendingLost,
                    frameCount: config.framesPerPacket)))
        pendingLost = 0
    }

    /// Drops the packet of AAC at a time. Its other fragments do not count as further drops.
    private mutating func drop(_ time: Int64, _ output: inout [DepacketizedItem]) {
        fragment = nil
        guard droppedTime != time else { return }
        droppedTime = time
        output.append(.dropped(count: Int64(config.framesPerPacket), .damaged, time: time))
    }
}

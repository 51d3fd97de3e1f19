import MediaCodecs
import MediaTypes

/// The mastering display and the light levels according to the stream itself. Reads the messages of H.264 and HEVC
/// (ITU-T H.264, D.1.29 and D.1.31; H.265, D.2.28 and D.2.35) and the metadata of AV1 (AV1 specification, 5.8). A pure
/// value.
///
/// Most programs leave these values in the stream, and few also write them into the container. A remux keeps the
/// stream, and therefore these values. A transcode would lose them without this type.
struct HDRMetadata {
    private(set) var display: MasteringDisplay?
    private(set) var light: ContentLightLevel?
    private let codec: VideoCodec
    /// Size in bytes of the length before each unit; nil if the stream has start codes.
    private let lengthSize: Int?

    /// - Parameter configuration: the codec's decoder configuration. Messages in the configuration are read too.
    /// - Returns: nil for a codec without such messages.
    init?(_ codec: VideoCodec, configuration: [UInt8]) {
        self.codec = codec
        let isRecord = configuration.first == 1
        switch codec {
        case .hevc: lengthSize = isRecord && configuration.count > 22 ? Int(configuration[21] & 3) + 1 : nil
        case .h264: lengthSize = isRecord && configuration.count > 6 ? Int(configuration[4] & 3) + 1 : nil
        case .av1: lengthSize = nil
        default: return nil
        }
        configuration.withUnsafeBytes { bytes in
            switch codec {
            case .hevc where isRecord: readRecord(bytes)
            case .av1 where bytes.count > 4: readUnits(UnsafeRawBufferPointer(rebasing: bytes[4...]))
            case .h264 where isRecord, .av1: break
            default: AnnexB.forEachUnit(bytes) { readUnit($0) }
            }
        }
    }

    /// Reads the messages before the first frame. Skips all other bytes.
    mutating func read(_ packet: UnsafeRawBufferPointer) {
        guard codec != .av1 else { return readUnits(packet) }
        guard let lengthSize else { return AnnexB.forEachUnit(packet) { readUnit($0) } }
        var start = 0
        while start + lengthSize < packet.count {
            let length = packet[start..<start + lengthSize].reduce(0) { $0 << 8 | Int($1) }
            let end = min(packet.count, start + lengthSize + length)
            readUnit(UnsafeRawBufferPointer(rebasing: packet[(start + lengthSize)..<end]))
            start += lengthSize + length
        }
    }

    // MARK: H.264 and HEVC

    /// Reads the HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1).
    private mutating func readRecord(_ record: UnsafeRawBufferPointer) {
        guard record.count > 22 else { return }
        var position = 23
        for _ in 0..<Int(record[22]) {
            guard position + 3 <= record.count else { return }
            let count = Int(record[position + 1]) << 8 | Int(record[position + 2])
            position += 3
            for _ in 0..<count {
                guard position + 2 <= record.count else { return }
                let length = Int(record[position]) << 8 | Int(record[position + 1])
                guard position + 2 + length <= record.count else { return }
                readUnit(UnsafeRawBufferPointer(rebasing: record[(position + 2)..<(position + 2 + length)]))
                position += 2 + length
            }
        }
    }

    private mutating func readUnit(_ unit: UnsafeRawBufferPointer) {
        guard let head = unit.first else { return }
        let isMessage = codec == .hevc ? head >> 1 & 0x3F == 39 : head & 0x1F == 6
        guard isMessage else { return }
        // The relevant messages are short.
        let part = Array(unit.dropFirst(codec == .hevc ? 2 : 1).prefix(4096))
        readMessages(EmulationPrevention.removed(from: part[...])[...])
    }

    /// Reads consecutive messages, each with its type and its length (ITU-T H.265, 7.3.5).
    private mutating func readMessages(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
            var value = 0
            while let byte = rest.popFirst() {
                value += Int(byte)
                if byte != 255 { return value }
            }
            return nil
        }
        while let kind = number(&rest), let length = number(&rest), length <= rest.count {
            let payload = Numbers(rest.prefix(length))
            switch kind {
            case 137: display = display ?? Self.display(payload)
            case 144: light = light ?? Self.light(payload)
            default: break
            }
            rest = rest.dropFirst(length)
        }
    }

    /// Reads a display in the units of `MasteringDisplay`. The order of the colors is green, blue, red.
    private static func display(_ numbers: Numbers) -> MasteringDisplay? {
        var numbers = numbers
        guard numbers.count >= 24 else { return nil }
        let (green, blue, red, white) = (numbers.place(), numbers.place(), numbers.place(), numbers.place())
        return MasteringDisplay(
            red: red, green: green, blue: blue, whitePoint: white, maximumLuminance: numbers.u32(),
            minimumLuminance: numbers.u32())
    }

    private static func light(_ numbers: Numbers) -> ContentLightLevel? {
        var numbers = numbers
        guard numbers.count >= 4 else { return nil }
        return ContentLightLevel(maximum: numbers.u16(), maximumAverage: numbers.u16())
    }

    // MARK: AV1

    private mutating func readUnits(_ bytes: UnsafeRawBufferPointer) {
        for unit in AV1Units(bytes) where unit.type == 5 {
            readMetadata(UnsafeRawBufferPointer(rebasing: bytes[unit.payload]))
        }
    }

    private mutating func readMetadata(_ bytes: UnsafeRawBufferPointer) {
        var position = 0
        guard let kind = AV1Units.leb128(bytes, &position) else { return }
        var numbers = Numbers(Array(bytes[position...].prefix(64))[...])
        switch kind {
        case 1: light = light ?? Self.light(numbers)
        case 2 where display == nil && numbers.count >= 24:
            // Coordinates are fractions of 16 bits; luminance has 8 and 14 fractional bits. Red comes first.
            func part(_ value: UInt16) -> UInt16 { UInt16(clamping: (Double(value) * 50_000 / 65_536).rounded()) }
            func place(_ numbers: inout Numbers) -> MasteringDisplay.Chromaticity {
                let place = numbers.place()
                return .init(x: part(place.x), y: part(place.y))
            }
            let (red, green, blue) = (place(&numbers), place(&numbers), place(&numbers))
            let white = place(&numbers)
            func steps(_ value: UInt32, _ fraction: Double) -> UInt32 {
                UInt32(clamping: min((Double(value) * 10_000 / fraction).rounded(), Double(UInt32.max)))
            }
            display = MasteringDisplay(
                red: red, green: green, blue: blue, whitePoint: white, maximumLuminance: steps(numbers.u32(), 256),
                minimumLuminance: steps(numbers.u32(), 16_384))
        default: break
        }
    }
}

/// Consecutive big-endian numbers.
///
/// - Precondition: no more than `count` bytes are read.
private struct Numbers {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var count: Int { rest.count }

    mutating func u16() -> UInt16 {
        defer { rest = rest.dropFirst(2) }
        return rest.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    mutating func u32() -> UInt32 { UInt32(u16()) << 16 | UInt32(u16()) }

    mutating func place() -> MasteringDisplay.Chromaticity { .init(x: u16(), y: u16()) }
}

/// Builds the AV1CodecConfigurationRecord, the payload of `av1C` (AV1 Codec ISO Media File Format Binding, 2.3), from
/// an encoder's header.
enum AV1Configuration {
    /// - Parameter header: units, of which one is the sequence header.
    /// - Returns: nil if there is no readable sequence header.
    static func record(_ header: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let unit = AV1Units(header).first(where: { $0.type == 1 }) else { return nil }
        var bits = BitReader(Array(header[unit.payload])[...])
        guard let profile = bits.number(3), bits.bit() != nil, let isReduced = bits.bit(), isReduced == 0,
            let hasTiming = bits.bit()
        else { return nil }
        // The encoders used here write no timing into the header (AV1 specification, 5.5.1), because the file has the
        // times.
        guard hasTiming == 0, let hasDelays = bits.bit(), let morePoints = bits.number(5) else { return nil }
        var first: (level: UInt32, tier: UInt32)?
        for _ in 0...morePoints {
            guard bits.number(12) != nil, let level = bits.number(5) else { return nil }
            let tier = level > 7 ? bits.bit() ?? 0 : 0
            if hasDelays == 1, bits.bit() == 1 { _ = bits.number(4) }
            first = first ?? (level, tier)
        }
        guard let (level, tier) = first else { return nil }
        guard let color = Self.color(&bits, profile: profile) else { return nil }
        var record: [UInt8] = [0x81, UInt8(profile << 5 | level), UInt8(tier << 7) | color, 0]
        record += header[unit.whole]
        return record
    }

    /// Returns a packet without its temporal delimiter, because a file's samples already separate the frames (2.4).
    static func withoutDelimiter(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard bytes.count > 2, bytes[0] == 0x12, bytes[1] == 0 else { return bytes }
        return UnsafeRawBufferPointer(rebasing: bytes[2...])
    }

    /// Returns the third byte of the record: high_bitdepth, twelve_bit, monochrome, chroma subsampling and chroma
    /// position.
    private static func color(_ bits: inout BitReader, profile: UInt32) -> UInt8? {
        guard let tail = SequenceTail(&bits, profile: profile) else { return nil }
        return (tail.isDeep ? 0x40 : 0) | (tail.isMonochrome ? 0x10 : 0) | 0x0C | tail.chromaPosition
    }

    /// The sequence header from the frame size on (AV1 specification, 5.5.1 and 5.5.2).
    private struct SequenceTail {
        var isDeep: Bool
        var isMonochrome: Bool
        var chromaPosition: UInt8 = 0

        init?(_ bits: inout BitReader, profile: UInt32) {
            guard let widthBits = bits.number(4), let heightBits = bits.number(4),
                bits.number(Int(widthBits) + 1) != nil, bits.number(Int(heightBits) + 1) != nil,
                let hasNumbers = bits.bit()
            else { return nil }
            if hasNumbers == 1 { _ = bits.number(7) }
            _ = bits.number(3)  // blocks of 128, filters
            _ = bits.number(4)  // four kinds of inter prediction
            guard let hasOrder = bits.bit() else { return nil }
            if hasOrder == 1 { _ = bits.number(2) }
            guard let choosesScreen = bits.bit() else { return nil }
            let screen = choosesScreen == 1 ? 2 : bits.bit() ?? 0
            if screen > 0, let choosesVectors = bits.bit(), choosesVectors == 0 { _ = bits.bit() }
            if hasOrder == 1 { _ = bits.number(3) }
            _ = bits.number(3)  // superres, cdef, restoration
            guard let deep = bits.bit() else { return nil }
            isDeep = deep == 1
            let monochrome: UInt32
            if profile == 1 { monochrome = 0 } else { monochrome = bits.bit() ?? 0 }
            isMonochrome = monochrome == 1
            guard let isDescribed = bits.bit() else { return nil }
            if isDescribed == 1 { _ = bits.number(24) }
            guard !isMonochrome else { return }
            _ = bits.bit()  // the range
            chromaPosition = UInt8(bits.number(2) ?? 0)
        }
    }
}

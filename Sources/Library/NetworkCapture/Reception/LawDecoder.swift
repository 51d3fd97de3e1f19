import MediaTypes

/// Decodes G.711 (ITU-T G.711) to 16-bit PCM with a table. For one thread.
struct LawDecoder: Sendable {
    enum Law: String, Sendable {
        case mu = "pcm_mulaw"
        case a = "pcm_alaw"
    }

    private let table: [Int16]
    /// Longer blocks than 0.5 s at 8 kHz get memory of their own.
    private let blocks = MediaDataPool(byteCount: 8192, capacity: 64)

    init(_ law: Law) {
        table = (UInt8.min...UInt8.max).map { law == .mu ? Self.decodedMu($0) : Self.decodedA($0) }
    }

    func decode(_ data: MediaData) -> MediaData {
        let count = data.count * 2
        guard count <= blocks.byteCount, let decoded = blocks.makeData({ write(data, into: $0) }) else {
            return MediaData(byteCount: count) { _ = write(data, into: $0) }
        }
        return decoded
    }

    private func write(_ data: MediaData, into target: UnsafeMutableRawBufferPointer) -> Int {
        for (index, byte) in data.bytes.enumerated() {
            target.storeBytes(of: table[Int(byte)].littleEndian, toByteOffset: index * 2, as: Int16.self)
        }
        return data.count * 2
    }

    private static func decodedMu(_ byte: UInt8) -> Int16 {
        let value = ~byte
        let magnitude = ((Int16(value & 0x0F) << 3) + 0x84) << Int16(value >> 4 & 7)
        return value & 0x80 != 0 ? 0x84 - magnitude : magnitude - 0x84
    }

    private static func decodedA(_ byte: UInt8) -> Int16 {
        let value = byte ^ 0x55
        let segment = Int16(value >> 4 & 7)
        let step = Int16(value & 0x0F) << 4
        let magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1)
        return value & 0x80 != 0 ? magnitude : -magnitude
    }
}

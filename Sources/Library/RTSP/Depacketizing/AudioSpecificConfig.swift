import MediaCodecs

/// The part of an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) that a receiver needs.
struct AudioSpecificConfig: Sendable, Hashable {
    /// Audio frames per second in the output.
    let sampleRate: Int
    /// Audio frames per second of the core coder: half of the output's with spectral band replication.
    let coreRate: Int
    let channelCount: Int
    /// Audio frames of the core coder in a packet.
    let coreFrames: Int

    /// Audio frames in the output of a packet.
    var framesPerPacket: Int { coreFrames * sampleRate / coreRate }

    /// Parses a configuration; nil for bytes that are not such a configuration, or that have no channel count.
    init?(_ bytes: [UInt8]) {
        var bits = BitReader(bytes[...])
        guard var object = Self.objectType(&bits), let rate = Self.rate(&bits), let channels = bits.number(4) else {
            return nil
        }
        var output = rate
        // 5 and 29: the rate of the extension, then the type of the core.
        if object == 5 || object == 29 {
            guard let doubled = Self.rate(&bits), let core = Self.objectType(&bits) else { return nil }
            (output, object) = (doubled, core)
        }
        // Spectral band replication has the rate of the core, or twice that.
        guard (1...7).contains(channels), output == rate || output == 2 * rate, SampleLimits.rates.contains(output)
        else { return nil }
        let isShort = (1...4).contains(object) && bits.bit() == 1
        (sampleRate, coreRate, coreFrames) = (output, rate, isShort ? 960 : 1024)
        channelCount = channels == 7 ? 8 : Int(channels)
    }

    private static func objectType(_ bits: inout BitReader) -> UInt32? {
        guard let type = bits.number(5) else { return nil }
        return type == 31 ? bits.number(6).map { 32 + $0 } : type
    }

    private static func rate(_ bits: inout BitReader) -> Int? {
        let rates = [
            96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
        ]
        guard let index = bits.number(4) else { return nil }
        if index == 15 { return bits.number(24).flatMap { $0 > 0 ? Int($0) : nil } }
        return index < rates.count ? rates[Int(index)] : nil
    }
}

/// The codecs parameter of a media type for one video track, such as `avc1.640028`. A page passes it to the browser to
/// ask whether the browser can play the track (RFC 6381, 3.3).
package enum CodecParameter {
    /// Returns the parameter of H.264: profile, constraints and level in hexadecimal digits (RFC 6381, 3.3).
    ///
    /// - Parameters:
    ///   - code: the code of the sample description, such as `avc1`.
    ///   - configuration: the payload of `avcC`, or its first four bytes (ISO/IEC 14496-15, 5.3.3.1).
    /// - Returns: nil if there are fewer bytes.
    package static func h264(_ code: String, _ configuration: [UInt8]) -> String? {
        guard configuration.count >= 4 else { return nil }
        return code + "." + configuration[1...3].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the parameter of HEVC: profile, compatibility, tier with level, and constraints (ISO/IEC 14496-15, E.3).
    ///
    /// - Parameters:
    ///   - code: the code of the sample description, such as `hvc1`.
    ///   - configuration: the payload of `hvcC`, or its first 13 bytes (ISO/IEC 14496-15, 8.3.3.1).
    /// - Returns: nil if there are fewer bytes.
    package static func hevc(_ code: String, _ configuration: [UInt8]) -> String? {
        guard configuration.count >= 13 else { return nil }
        let profile = configuration[1]
        let space = ["", "A", "B", "C"][Int(profile >> 6)]
        // The record stores the flag of profile 0 in its highest bit. In the parameter, that flag is the lowest bit.
        var compatibility: UInt32 = 0
        for byte in configuration[2...5].reversed() {
            for bit in 0..<8 { compatibility = compatibility << 1 | UInt32(byte >> UInt8(bit) & 1) }
        }
        let tier = profile & 0x20 == 0 ? "L" : "H"
        var constraints = configuration[6...11]
        while constraints.last == 0 { constraints.removeLast() }
        var parts = [code, space + String(profile & 0x1F), hexadecimal(compatibility)]
        parts.append(tier + String(configuration[12]))
        for constraint in constraints { parts.append(hexadecimal(constraint)) }
        return parts.joined(separator: ".")
    }

    /// Returns the parameter of AV1: profile, level, tier and bit depth (AV1 Codec ISO Media File Format Binding, 5).
    ///
    /// - Parameters:
    ///   - code: the code of the sample description, such as `av01`.
    ///   - configuration: the payload of `av1C`, or its first four bytes (ibid., 2.3.3).
    /// - Returns: nil if there are fewer bytes.
    package static func av1(_ code: String, _ configuration: [UInt8]) -> String? {
        guard configuration.count >= 4 else { return nil }
        let (profile, level) = (configuration[1] >> 5, configuration[1] & 0x1F)
        let tier = configuration[2] & 0x80 == 0 ? "M" : "H"
        let depth = configuration[2] & 0x40 == 0 ? "08" : configuration[2] & 0x20 == 0 ? "10" : "12"
        return "\(code).\(profile).\(level < 10 ? "0" : "")\(level)\(tier).\(depth)"
    }

    private static func hexadecimal(_ number: some BinaryInteger) -> String {
        String(number, radix: 16, uppercase: true)
    }
}

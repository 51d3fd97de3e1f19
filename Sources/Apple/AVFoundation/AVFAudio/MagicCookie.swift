import Foundation
import MediaTypes

/// The configuration bytes of a codec, in the forms in which Apple's interfaces carry them.
enum MagicCookie {
    /// Returns the configuration in the library's form, without the atoms or descriptors around it.
    static func configuration(_ cookie: Data, of codec: AudioCodec) -> [UInt8] {
        let bytes = [UInt8](cookie)
        switch codec {
        case .aac: return specificConfig(bytes) ?? bytes
        case .alac: return lossless(bytes)
        // The cookie may include the header of the metadata block.
        case .flac: return bytes.count == 38 ? Array(bytes.dropFirst(4)) : bytes
        default: return bytes
        }
    }

    /// Returns the AudioSpecificConfig of an AAC-LC stream that has no cookie. Returns nil if the rate or the number of
    /// channels has no index (ISO/IEC 14496-3, 1.6.2.1).
    static func plainAAC(sampleRate: Int, channelCount: Int) -> [UInt8]? {
        let rates = [
            96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
        ]
        let counts = [1, 2, 3, 4, 5, 6, 8]
        guard let rate = rates.firstIndex(of: sampleRate), let channels = counts.firstIndex(of: channelCount) else {
            return nil
        }
        // Object type 2 in five bits, the two indices in four bits each.
        let word = UInt16(2 << 11 | rate << 7 | (channels + 1) << 3)
        return [UInt8(word >> 8), UInt8(word & 0xFF)]
    }

    /// Finds the DecoderSpecificInfo in an ES descriptor (ISO/IEC 14496-1, 7.2.6); nil if the bytes are not such a
    /// descriptor.
    private static func specificConfig(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.first == 3 else { return nil }
        var rest = bytes[...]
        while let tag = rest.popFirst() {
            var size = 0
            while let byte = rest.popFirst() {
                size = size << 7 | Int(byte & 0x7F)
                if byte & 0x80 == 0 { break }
                if size > 1 << 20 { return nil }
            }
            switch tag {
            case 3:
                // The ID and the flags of the stream.
                guard let flags = rest.dropFirst(2).first else { return nil }
                rest = rest.dropFirst(3)
                // Optional fields: the ID of the stream on which this one depends, a URL, the ID of a clock stream.
                if flags & 0x80 != 0 { rest = rest.dropFirst(2) }
                if flags & 0x40 != 0, let count = rest.popFirst() { rest = rest.dropFirst(Int(count)) }
                if flags & 0x20 != 0 { rest = rest.dropFirst(2) }
            // The fields of the decoder's configuration.
            case 4: rest = rest.dropFirst(13)
            case 5: return Array(rest.prefix(size))
            default: rest = rest.dropFirst(size)
            }
        }
        return nil
    }

    /// Removes the atoms `frma` and `alac` before the 24 bytes of the configuration.
    private static func lossless(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        if rest.dropFirst(4).starts(with: Array("frma".utf8)) { rest = rest.dropFirst(12) }
        if rest.dropFirst(4).starts(with: Array("alac".utf8)) { rest = rest.dropFirst(12) }
        return Array(rest.prefix(24))
    }
}

import MediaTypes

/// Compares the format of appended samples with the format that was announced.
enum FormatMatch {
    /// Returns the difference in words, or nil if the sample's format is the expected one. Properties that `expected`
    /// leaves open are not compared.
    ///
    /// - Parameters:
    ///   - isFitted: true if frames are scaled and converted to the track's size and layout before they are stored.
    ///   - mayChange: true if packets of the same codec may have different descriptions; each packet is stored with its
    ///     own.
    static func difference(
        _ format: FormatDescription, expected: FormatDescription, isFitted: Bool = false, mayChange: Bool = false
    ) -> String? {
        // In the usual case all samples share one description.
        if format == expected { return nil }
        if mayChange, isRedescribed(format, expected) { return nil }
        switch (format, expected) {
        case (.video(let format), .video(let expected)):
            return isFitted && format.codec == expected.codec ? nil : difference(format, expected)
        case (.audio(let format), .audio(let expected)): return difference(format, expected)
        case (.timecode, .timecode): return "its timecode format differs from the track's"
        case (.text, .text): return nil
        case (.metadata(let format), .metadata(let expected)):
            return format.keys == expected.keys ? nil : "its keys differ from the track's"
        default: return "it is \(format.mediaType), but the track is \(expected.mediaType)"
        }
    }

    private static func isRedescribed(_ format: FormatDescription, _ expected: FormatDescription) -> Bool {
        func differ(_ own: [UInt8], _ other: [UInt8], _ entry: StoredEntry?, _ otherEntry: StoredEntry?) -> Bool {
            !own.isEmpty && !other.isEmpty && own != other || entry != nil && otherEntry != nil && entry != otherEntry
        }
        switch (format, expected) {
        case (.video(let own), .video(let other)):
            return own.codec == other.codec
                && differ(own.decoderConfiguration, other.decoderConfiguration, own.storedEntry, other.storedEntry)
        case (.audio(let own), .audio(let other)):
            // The sample rate must not change, because a track counts in samples of one rate. AAC with ADTS headers has
            // no configuration before its packets arrive.
            return own.codec == other.codec && own.sampleRate == other.sampleRate
                && (other.decoderConfiguration.isEmpty && !own.decoderConfiguration.isEmpty
                    || differ(own.decoderConfiguration, other.decoderConfiguration, own.storedEntry, other.storedEntry))
        default: return false
        }
    }

    private static func difference(_ format: VideoFormat, _ expected: VideoFormat) -> String? {
        if format.codec != expected.codec { return words("codec", format.codec, expected.codec) }
        if format.width != expected.width || format.height != expected.height {
            return words("size", "\(format.width)×\(format.height)", "\(expected.width)×\(expected.height)")
        }
        if let layout = expected.pixelFormat, let given = format.pixelFormat, given != layout {
            return words("pixel format", given.rawValue, layout.rawValue)
        }
        let given = format.decoderConfiguration
        if !given.isEmpty, !expected.decoderConfiguration.isEmpty, given != expected.decoderConfiguration {
            return "its decoder configuration differs from the track's"
        }
        return nil
    }

    private static func difference(_ format: AudioFormat, _ expected: AudioFormat) -> String? {
        if format.codec != expected.codec { return words("codec", format.codec, expected.codec) }
        if format.sampleRate != expected.sampleRate {
            return words("sample rate", format.sampleRate, expected.sampleRate)
        }
        if format.channelCount != expected.channelCount {
            return words("channel count", format.channelCount, expected.channelCount)
        }
        if let pcm = expected.pcm, format.pcm != pcm {
            return words("sample format", format.pcm?.rawValue ?? "unknown", pcm.rawValue)
        }
        if expected.pcm != nil, format.isBigEndian != expected.isBigEndian {
            return "its byte order differs from the track's"
        }
        return nil
    }

    private static func words(_ what: String, _ given: some Any, _ expected: some Any) -> String {
        "its \(what) is \(given), but the track's is \(expected)"
    }
}

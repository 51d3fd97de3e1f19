package import MediaTypes

/// The packets of audio that a decoder needs before the first audible packet. A pure rule.
package enum AudioPreroll {
    /// Returns the number of packets that a file stores before its start, if they exist; 0 for PCM. In most codecs each
    /// packet overlaps the previous one; HE-AAC needs a little more.
    package static func stored(_ format: AudioFormat) -> Int {
        format.bytesPerFrame == nil ? max(2, needed(format)) : 0
    }

    /// Returns the number of packets without which the next one is decoded wrongly; 0 if each packet is decoded alone.
    static func needed(_ format: AudioFormat) -> Int {
        if format.bytesPerFrame != nil { return 0 }
        switch format.codec.rawValue {
        case "alac", "flac", "truehd", "mlp": return 0
        case "opus":
            // 80 ms are the least (RFC 7845, 4.6). The loudness is predicted from packet to packet, so after 80 ms a
            // tone may still be wrong by a decibel; after 160 ms by less than a tenth of that. Most encoders make
            // packets of 20 ms.
            let length = format.framesPerPacket > 0 ? format.framesPerPacket : 960
            return max(2, min(64, (7680 + length - 1) / length))
        // The bit reservoir: a packet refers to up to 511 bytes of earlier ones (ISO/IEC 11172-3, 2.4.2.7), which are
        // small at low bit rates.
        case "mp3": return 10
        default: return 2
        }
    }

    /// Returns the duration of the packets that are needed.
    static func duration(_ format: AudioFormat) -> MediaTime {
        // A packet of an unknown length is at most as long as the longest one of AAC.
        let length = max(0, min(format.framesPerPacket > 0 ? format.framesPerPacket : 2048, 1 << 16))
        return MediaTime(
            value: Int64(needed(format) * length), timescale: Int32(clamping: max(8000, format.sampleRate)))
    }
}

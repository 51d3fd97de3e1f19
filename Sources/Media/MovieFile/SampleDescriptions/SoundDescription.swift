import MediaTypes

/// The sample description of compressed audio (QTFF, "Sound Sample Descriptions"; ISO/IEC 14496-12, 12.2.3).
///
/// In QuickTime files, it has version 1, with the codec's own atoms inside a `wave` atom. In MPEG-4 files, it has
/// version 0, with the codec's atoms directly in the description.
struct SoundDescription {
    let audio: AudioFormat
    let dialect: MovieDialect

    init(_ audio: AudioFormat, dialect: MovieDialect) {
        self.audio = audio
        self.dialect = dialect
    }

    /// The code of the description: the registered code of the codec, or else the codec's name.
    private var code: FourCharCode {
        if dialect == .mpeg4, CodecCodes.objectType(audio) != nil { return "mp4a" }
        return Self.codes[audio.codec.rawValue] ?? FourCharCode(audio.codec.rawValue)
    }

    /// QuickTime's codes, by FFmpeg's name of the codec.
    static let codes: [String: FourCharCode] = [
        "aac": "mp4a", "alac": "alac", "mp3": ".mp3", "mp2": ".mp2", "ac3": "ac-3", "eac3": "ec-3", "opus": "Opus",
        "flac": "fLaC", "pcm_mulaw": "ulaw", "pcm_alaw": "alaw", "pcm_u8": "raw ",
    ]

    func write(into stsd: inout AtomWriter) {
        stsd.atom(code) { entry in
            let isVersion1 = dialect == .quickTime && code != "Opus" && code != "fLaC" && code != "raw "
            entry.audioHeader(
                version: isVersion1 ? 1 : 0, channels: UInt16(clamping: audio.channelCount), bits: bits,
                compression: isVersion1 ? -2 : 0)
            // A rate above 65,535 does not fit in the 16.16 field; players read it from the codec's own configuration.
            entry.u32((UInt32(exactly: audio.sampleRate).flatMap { $0 <= 65535 ? $0 : nil } ?? 0) << 16)
            guard isVersion1 else {
                writeConfiguration(into: &entry)
                return ChannelLayoutAtom.write(audio, dialect: dialect, into: &entry)
            }
            // Bytes per packet and per frame: 0 if they vary.
            let frameSize = UInt32(clamping: audio.bytesPerFrame ?? 0)
            entry.u32(frameSize > 0 ? 1 : UInt32(clamping: audio.framesPerPacket))
            entry.u32(frameSize > 0 ? 1 : 0)
            entry.u32(frameSize)
            entry.u32(2)  // bytes per decoded sample
            if code != ".mp3", code != ".mp2", frameSize == 0 {
                entry.atom("wave") { wave in
                    wave.atom("frma") { $0.code(code) }
                    if code == "mp4a" { wave.atom("mp4a") { $0.zeros(4) } }
                    writeConfiguration(into: &wave)
                    wave.u32(8)
                    wave.u32(0)  // the terminator atom
                }
            }
            ChannelLayoutAtom.write(audio, dialect: dialect, into: &entry)
        }
    }

    /// The bits per sample: 8 for unsigned bytes, the depth of the samples for ALAC in MPEG-4 files, and 16 for all
    /// others.
    private var bits: UInt16 {
        if code == "raw " { return 8 }
        // Byte 5 of the magic cookie (Apple, ALACMagicCookieDescription, "ALACSpecificConfig").
        guard dialect == .mpeg4, audio.codec == .alac, cookie.count > 5 else { return 16 }
        return UInt16(cookie[5])
    }

    /// ALAC's cookie without the atom header that some programs keep around it.
    private var cookie: [UInt8] {
        let bytes = audio.decoderConfiguration
        return bytes.count >= 36 && Array(bytes[4..<8]) == Array("alac".utf8) ? Array(bytes[12...]) : bytes
    }

    private func writeConfiguration(into parent: inout AtomWriter) {
        let bytes = audio.decoderConfiguration
        switch code {
        case "mp4a":
            let object = CodecCodes.objectType(audio) ?? .mpeg4Audio
            let configuration = object == .mpeg4Audio ? bytes : []
            ElementaryStream(object: object, configuration: configuration).write(into: &parent)
        case "alac": parent.fullAtom("alac") { $0.raw(cookie) }
        case _ where bytes.isEmpty: break
        case "ac-3": parent.atom("dac3") { $0.raw(bytes) }  // ETSI TS 102 366, F.4
        case "ec-3": parent.atom("dec3") { $0.raw(bytes) }  // ETSI TS 102 366, F.6
        case "Opus": writeOpus(bytes, into: &parent)
        case "fLaC":
            // The last metadata block, of type 0 (FLAC in ISOBMFF, 3.3.2).
            parent.fullAtom("dfLa") { dfLa in
                dfLa.u8(0x80)
                dfLa.u24(UInt32(clamping: bytes.count))
                dfLa.raw(bytes)
            }
        default: parent.fullAtom(code) { $0.raw(bytes) }
        }
    }

    /// Writes `dOps`: the fields of an `OpusHead` packet (RFC 7845, 5.1), big-endian (Opus in ISOBMFF, 4.3.2).
    private func writeOpus(_ bytes: [UInt8], into parent: inout AtomWriter) {
        guard bytes.count >= 19, Array(bytes[..<8]) == Array("OpusHead".utf8) else {
            return parent.atom("dOps") { $0.raw(bytes) }
        }
        parent.atom("dOps") { dOps in
            dOps.u8(0)
            dOps.u8(bytes[9])  // channels
            dOps.raw(bytes[10..<12].reversed())  // pre-skip
            dOps.raw(bytes[12..<16].reversed())  // input rate
            dOps.raw(bytes[16..<18].reversed())  // gain
            dOps.raw(bytes[18...])  // mapping
        }
    }
}

extension AtomWriter {
    /// Writes the start of audio sample descriptions of every version, up to the sample rate.
    mutating func audioHeader(version: UInt16, channels: UInt16, bits: UInt16, compression: Int16) {
        sampleEntryHead()
        u16(version)
        zeros(6)  // revision, vendor
        u16(channels)
        u16(bits)
        u16(UInt16(bitPattern: compression))
        u16(0)  // packet size
    }
}

/// The sample description of linear PCM, `lpcm`: any size, byte order and rate (QTFF, "Sound Sample Description
/// (Version 2)"). QuickTime only.
struct PCMDescription {
    let audio: AudioFormat

    init(_ audio: AudioFormat) { self.audio = audio }

    func write(into stsd: inout AtomWriter) {
        let pcm = audio.pcm ?? .s16
        let bytes = pcm.byteCount
        stsd.atom("lpcm") { entry in
            // The fields of version 0 have fixed values here.
            entry.audioHeader(version: 2, channels: 3, bits: 16, compression: -2)
            entry.u32(0x0001_0000)
            entry.u32(72)  // size of this structure
            entry.u64(Double(audio.sampleRate).bitPattern)
            entry.u32(UInt32(clamping: audio.channelCount))
            entry.u32(0x7F00_0000)
            entry.u32(UInt32(clamping: bytes * 8))
            entry.u32(flags(pcm))
            entry.u32(UInt32(clamping: bytes.multipliedReportingOverflow(by: audio.channelCount).partialValue))
            entry.u32(1)  // frames in each packet
            ChannelLayoutAtom.write(audio, dialect: .quickTime, into: &entry)
        }
    }

    /// Returns the flags: float 1, big-endian 2, signed integer 4, packed 8 (QTFF, "LPCM Flag Values").
    private func flags(_ pcm: PCMSampleFormat) -> UInt32 {
        (pcm == .float32 || pcm == .float64 ? 1 : 4) | (audio.isBigEndian ? 2 : 0) | 8
    }
}

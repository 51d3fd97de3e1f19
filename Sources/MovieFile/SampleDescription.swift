import MediaTypes

/// Sample descriptions: what a decoder must know, one `stsd` per track (QTFF, "Sample Description Atoms").
enum SampleDescription {
    static func write(_ format: FormatDescription, into stbl: inout AtomWriter) {
        stbl.fullAtom("stsd") { stsd in
            stsd.u32(1)
            switch format {
            case .video(let video): writeVideo(video, into: &stsd)
            case .audio(let audio): writeAudio(audio, into: &stsd)
            case .timecode, .text: break
            }
        }
    }

    // MARK: Video (QTFF, "Video Sample Description")

    private static func writeVideo(_ video: VideoFormat, into stsd: inout AtomWriter) {
        stsd.atom(videoType(video.codec)) { entry in
            entry.zeros(6)
            entry.u16(1)  // data reference index
            entry.zeros(16)  // version, revision, vendor, temporal and spatial quality
            entry.u16(UInt16(clamping: video.width))
            entry.u16(UInt16(clamping: video.height))
            entry.fixed(72)
            entry.fixed(72)
            entry.u32(0)
            entry.u16(1)  // frames in each sample
            let name = Array(compressorName(video.codec).utf8.prefix(31))
            entry.u8(UInt8(name.count))
            entry.raw(name)
            entry.zeros(31 - name.count)
            entry.u16(24)
            entry.u16(0xFFFF)  // no colour table
            // ISO/IEC 14496-15, 5.4.2.1 and 8.4.1.1
            if !video.decoderConfiguration.isEmpty, video.codec == .h264 || video.codec == .hevc {
                entry.atom(video.codec == .h264 ? "avcC" : "hvcC") { $0.raw(video.decoderConfiguration) }
            }
            if video.color.isSpecified { writeColor(video.color, into: &entry) }
            if video.pixelAspectRatio.numerator > 0 {
                entry.atom("pasp") {
                    $0.s32(video.pixelAspectRatio.numerator)
                    $0.s32(video.pixelAspectRatio.denominator)
                }
            }
            if let aperture = video.cleanAperture {
                entry.atom("clap") { clap in
                    for value in [aperture.width, aperture.height, aperture.horizontalOffset, aperture.verticalOffset] {
                        clap.s32(value)
                        clap.s32(1)
                    }
                }
            }
        }
    }

    /// `colr` of type `nclc`: QuickTime's, without a range (the range stands in H.264's VUI).
    private static func writeColor(_ color: ColorDescription, into entry: inout AtomWriter) {
        entry.atom("colr") { colr in
            colr.code("nclc")
            colr.u16(UInt16(color.primaries))
            colr.u16(UInt16(color.transfer))
            colr.u16(UInt16(color.matrix))
        }
    }

    private static func videoType(_ codec: VideoCodec) -> FourCharCode {
        switch codec {
        case .h264: "avc1"
        case .hevc: "hvc1"
        case .mjpeg: "jpeg"
        default: FourCharCode(codec.rawValue)
        }
    }

    private static func compressorName(_ codec: VideoCodec) -> String {
        switch codec {
        case .h264: "H.264"
        case .mjpeg: "Photo - JPEG"
        default: codec.rawValue
        }
    }

    // MARK: Audio (QTFF, "Sound Sample Descriptions")

    private static func writeAudio(_ audio: AudioFormat, into stsd: inout AtomWriter) {
        switch audio.codec {
        case .linearPCM: writePCM(audio, into: &stsd)
        default: writeCompressed(audio, into: &stsd)
        }
    }

    /// Version 1: compressed sound, with the codec's own atoms inside a `wave` atom.
    private static func writeCompressed(_ audio: AudioFormat, into stsd: inout AtomWriter) {
        let type: FourCharCode = audio.codec == .aac ? "mp4a" : FourCharCode(audio.codec.rawValue)
        stsd.atom(type) { entry in
            writeCommon(
                version: 1, channels: UInt16(clamping: audio.channelCount), bits: 16, compression: -2, into: &entry)
            // A rate past 65,535 does not fit the 16.16 field; players take it from the codec's own configuration.
            entry.u32(UInt32(audio.sampleRate <= 65535 ? audio.sampleRate : 0) << 16)
            entry.u32(UInt32(audio.framesPerPacket))
            entry.u32(0)  // bytes per packet: varies
            entry.u32(0)  // bytes per frame: varies
            entry.u32(2)  // bytes per decoded sample
            entry.atom("wave") { wave in
                wave.atom("frma") { $0.code(type) }
                if audio.codec == .aac {
                    wave.atom("mp4a") { $0.zeros(4) }
                    writeElementaryStream(audio, into: &wave)
                } else {
                    wave.fullAtom(type) { $0.raw(audio.decoderConfiguration) }
                }
                wave.u32(8)
                wave.u32(0)  // the terminator atom
            }
        }
    }

    /// The `esds` atom: MPEG-4 descriptors around the AudioSpecificConfig (ISO/IEC 14496-1, 7.2.6).
    private static func writeElementaryStream(_ audio: AudioFormat, into wave: inout AtomWriter) {
        let configuration = audio.decoderConfiguration
        func descriptor(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
            // Lengths as four bytes of seven bits each, the form every parser has met.
            let length = UInt32(body.count)
            let bytes = (0..<4).map { index -> UInt8 in
                UInt8(length >> (21 - 7 * UInt32(index)) & 0x7F) | (index < 3 ? 0x80 : 0)
            }
            return [tag] + bytes + body
        }
        var decoder: [UInt8] = [0x40, 0x15, 0, 0x18, 0]  // MPEG-4 audio, an audio stream, 6 KiB of decoding buffer
        decoder += [UInt8](repeating: 0, count: 8)  // maximum and average bit rate: unknown
        decoder += descriptor(5, configuration)
        let stream = descriptor(3, [0, 0, 0] + descriptor(4, decoder) + descriptor(6, [2]))
        wave.fullAtom("esds") { $0.raw(stream) }
    }

    /// Version 2, `lpcm`: linear PCM of any size and rate.
    private static func writePCM(_ audio: AudioFormat, into stsd: inout AtomWriter) {
        let pcm = audio.pcm ?? .s16
        stsd.atom("lpcm") { entry in
            writeCommon(version: 2, channels: 3, bits: 16, compression: -2, into: &entry)
            entry.u32(0x0001_0000)
            entry.u32(72)  // size of this structure
            entry.u64(Double(audio.sampleRate).bitPattern)
            entry.u32(UInt32(audio.channelCount))
            entry.u32(0x7F00_0000)
            entry.u32(UInt32(pcm.byteCount * 8))
            // kAudioFormatFlagIsFloat 1, IsSignedInteger 4, IsPacked 8; little-endian is the absence of 2
            entry.u32(pcm == .float32 ? 1 | 8 : 4 | 8)
            entry.u32(UInt32(pcm.byteCount * audio.channelCount))
            entry.u32(1)  // frames in each packet
        }
    }

    private static func writeCommon(
        version: UInt16, channels: UInt16, bits: UInt16, compression: Int16, into entry: inout AtomWriter
    ) {
        entry.zeros(6)
        entry.u16(1)  // data reference index
        entry.u16(version)
        entry.zeros(6)  // revision, vendor
        entry.u16(channels)
        entry.u16(bits)
        entry.u16(UInt16(bitPattern: compression))
        entry.u16(0)  // packet size
    }
}

import MediaTypes

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
            entry.soundHead(version: 2, channels: 3, bits: 16, compression: -2)
            entry.u32(0x0001_0000)
            entry.u32(72)  // size of this structure
            entry.u64(Double(audio.sampleRate).bitPattern)
            entry.u32(UInt32(clamping: audio.channelCount))
            entry.u32(0x7F00_0000)
            entry.u32(UInt32(clamping: bytes * 8))
            entry.u32(flags(pcm))
            entry.u32(UInt32(clamping: bytes.multipliedReportingOverflow(by: audio.channelCount).partialValue))
            entry.u32(1)  // frames in each packet
            ChannelLayoutAtom.write(audio, into: &entry)
        }
    }

    /// Float 1, big-endian 2, signed integer 4, packed 8 (QTFF, "LPCM Flag Values").
    private func flags(_ pcm: PCMSampleFormat) -> UInt32 {
        (pcm == .float32 || pcm == .float64 ? 1 : 4) | (audio.isBigEndian ? 2 : 0) | 8
    }
}

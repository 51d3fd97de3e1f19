import MediaTypes

/// `chan`: which loudspeaker each channel belongs to (QTFF, "Audio Channel Layout Atom"; the numbers are Core Audio's,
/// CoreAudioBaseTypes.h).
enum ChannelLayoutAtom {
    /// Writes nothing where no layout is known, or where Core Audio has no name for the codec's order.
    static func write(_ audio: AudioFormat, into entry: inout AtomWriter) {
        let layout = audio.layout ?? (audio.channelCount == 1 ? .mono : audio.channelCount == 2 ? .stereo : nil)
        guard let layout, let (tag, bitmap) = code(layout, codec: audio.codec) else { return }
        entry.fullAtom("chan") { chan in
            chan.u32(tag)
            chan.u32(bitmap)
            chan.u32(0)  // no descriptions of single channels
        }
    }

    private static func code(_ layout: ChannelLayout, codec: AudioCodec) -> (tag: UInt32, bitmap: UInt32)? {
        let count = UInt32(layout.channelCount)
        switch layout {
        case .mono: return (100 << 16 | count, 0)
        case .stereo: return (101 << 16 | count, 0)
        default: break
        }
        guard codec == .linearPCM else { return tag(layout, codec: codec).map { ($0 << 16 | count, 0) } }
        // PCM's channels lie in the order of the bits: L R C LFE Ls Rs Lc Rc Cs Lsd Rsd.
        let bitmap: UInt32 =
            switch layout {
            case .mono, .stereo: 0
            case .surround3: 0x07
            case .quad: 0x107
            case .surround5: 0x37
            case .surround51: 0x3F
            case .surround61: 0x70F
            case .surround71: 0x63F
            }
        return (1 << 16, bitmap)
    }

    /// AAC and ALAC put the centre first.
    private static func tag(_ layout: ChannelLayout, codec: AudioCodec) -> UInt32? {
        guard codec == .aac || codec == .alac else { return nil }
        return switch layout {
        case .surround3: 114  // MPEG 3.0 B: C L R
        case .quad: 116  // MPEG 4.0 B: C L R Cs
        case .surround5: 120  // MPEG 5.0 D: C L R Ls Rs
        case .surround51: 124  // MPEG 5.1 D: C L R Ls Rs LFE
        case .surround61: 142  // AAC 6.1: C L R Ls Rs Cs LFE
        case .mono, .stereo, .surround71: nil
        }
    }
}

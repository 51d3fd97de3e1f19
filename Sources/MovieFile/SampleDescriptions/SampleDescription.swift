import MediaTypes

/// Sample descriptions: what a decoder must know, one `stsd` per track (QTFF, "Sample Description Atoms"; ISO/IEC
/// 14496-12, 8.5.2).
enum SampleDescription {
    static func write(_ format: FormatDescription, dialect: MovieDialect, into stbl: inout AtomWriter) {
        stbl.fullAtom("stsd") { stsd in
            stsd.u32(1)
            switch format {
            case .video(let video): VideoDescription(video, dialect: dialect).write(into: &stsd)
            case .audio(let audio) where audio.codec == .linearPCM: PCMDescription(audio).write(into: &stsd)
            case .audio(let audio): SoundDescription(audio, dialect: dialect).write(into: &stsd)
            case .timecode(let timecode): TimecodeDescription.write(timecode, into: &stsd)
            case .text: TextDescription.write(into: &stsd)
            }
        }
    }
}

extension AtomWriter {
    /// The head of every sample description: six reserved bytes and the index of the data reference.
    mutating func sampleEntryHead() {
        zeros(6)
        u16(1)
    }
}

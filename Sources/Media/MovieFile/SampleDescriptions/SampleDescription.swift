import MediaTypes

/// The sample descriptions, which contain what a decoder needs. There is one `stsd` for each track, with an entry for
/// each format (QTFF, "Sample Description Atoms"; ISO/IEC 14496-12, 8.5.2).
enum SampleDescription {
    /// - Parameter others: further formats, for samples that differ from `format`.
    static func write(
        _ format: FormatDescription, others: [FormatDescription] = [], dialect: MovieDialect,
        into stbl: inout AtomWriter
    ) {
        stbl.fullAtom("stsd") { stsd in
            stsd.u32(UInt32(clamping: 1 + others.count))
            for format in [format] + others { writeEntry(format, dialect, into: &stsd) }
        }
    }

    private static func writeEntry(
        _ format: FormatDescription, _ dialect: MovieDialect, into stsd: inout AtomWriter
    ) {
        if let stored = format.entry(for: dialect) { return stsd.storedEntry(stored) }
        switch format {
        case .video(let video): VideoDescription(video, dialect: dialect).write(into: &stsd)
        case .audio(let audio) where audio.codec == .linearPCM: PCMDescription(audio).write(into: &stsd)
        case .audio(let audio): SoundDescription(audio, dialect: dialect).write(into: &stsd)
        case .timecode(let timecode): TimecodeDescription.write(timecode, into: &stsd)
        case .text(let text): TextDescription.write(text, into: &stsd)
        case .metadata(let metadata): MetadataDescription.write(metadata, into: &stsd)
        }
    }
}

extension AtomWriter {
    /// Writes the start of every sample description: six reserved bytes and the index of the data reference.
    mutating func sampleEntryHead() {
        zeros(6)
        u16(1)
    }
}

/// The sample description of plain text, `text` (QTFF, "Text Sample Description"). If the format contains a sample
/// description that was read from another file, that description is written instead.
enum TextDescription {
    static func write(_ format: TextFormat, into stsd: inout AtomWriter) {
        if let stored = format.stored {
            return stsd.storedEntry(StoredEntry(code: stored.code, body: stored.body, isQuickTime: true))
        }
        stsd.atom("text") { entry in
            entry.sampleEntryHead()
            entry.u32(0)  // display flags
            entry.u32(1)  // centered
            entry.zeros(6)  // black background
            entry.zeros(8)  // default text box
            entry.zeros(8)
            entry.u16(0)  // system font
            entry.u16(0)  // plain
            entry.zeros(3)
            for _ in 0..<3 { entry.u16(0xFFFF) }  // white
            entry.pascalString("")
        }
    }
}

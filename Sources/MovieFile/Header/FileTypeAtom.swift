import MediaTypes

/// The first two atoms of a file: what kind it is, and room for a longer header of the media data.
enum FileTypeAtom {
    /// `ftyp` (QTFF, "The File Type Compatibility Atom"; ISO/IEC 14496-12, 4.3).
    ///
    /// Fragments whose offsets count from their `moof` need `iso5`, signed composition offsets `iso6`.
    static func write(_ fileType: FileType, into writer: inout AtomWriter) {
        let (version, brands): (UInt32, [FourCharCode]) =
            switch fileType {
            case .mp4: (1, ["mp42", "mp41", "isom", "iso5", "iso6"])
            case .m4v: (1, ["M4V ", "M4A ", "mp42", "isom", "iso5", "iso6"])
            case .m4a: (0, ["M4A ", "mp42", "isom", "iso5", "iso6"])
            default: (0x200, ["qt  "])
            }
        writer.atom("ftyp") { ftyp in
            ftyp.code(brands[0])
            ftyp.u32(version)
            for brand in brands { ftyp.code(brand) }
        }
    }

    /// Eight bytes in front of the movie header: together with that atom's own they become the media data's 64-bit header.
    ///
    /// `wide` is QuickTime's (QTFF, "Free, Skip, and Wide Atoms"); ISO/IEC 14496-12 has `free` (8.1.2).
    static func writeRoom(_ dialect: MovieDialect, into writer: inout AtomWriter) {
        writer.atom(dialect == .quickTime ? "wide" : "free") { _ in }
    }
}

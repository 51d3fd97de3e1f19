import MediaTypes

/// Everything before a recording's first fragment: `ftyp`, eight bytes reserved for a 64-bit length, and `moov` with
/// the formats.
///
/// If a track's format is not yet known, or may change, `moov` ends with a `free` atom that reserves space. The header
/// can then be rewritten in the same length once the format is known.
struct LeadingHeader {
    /// The bytes reserved for a track: about 600 for its atoms, and the rest for its decoder configuration.
    private static let roomForTrack = 4096

    let fileType: FileType
    let timeScale: Int32
    /// Seconds since 1970.
    let creationTime: Int64
    let metadata: [MetadataItem]
    /// The header's bytes; empty until the first write.
    private(set) var bytes: [UInt8] = []

    init(fileType: FileType, timeScale: Int32, creationTime: Int64, metadata: [MetadataItem]) {
        self.fileType = fileType
        self.timeScale = timeScale
        self.creationTime = creationTime
        self.metadata = metadata
    }

    /// Creates the header for the first time.
    ///
    /// - Parameters:
    ///   - tracks: the tracks, each with the start of the session on its timeline, in ticks.
    ///   - missing: the number of tracks, or further formats of tracks, that may be added later.
    mutating func begin(_ tracks: [(track: MovieTrack, editStart: Int64)], missing: Int) {
        bytes = written(tracks, room: missing * Self.roomForTrack)
    }

    /// Rewrites the header with other tracks, in the same length.
    ///
    /// - Returns: the number of additional bytes that the new header would need; nil if the header was rewritten.
    mutating func replace(_ tracks: [(track: MovieTrack, editStart: Int64)]) -> Int? {
        let bare = written(tracks, room: 0)
        let left = bytes.count - bare.count
        // An atom has at least eight bytes.
        guard left == 0 || left >= 8 else { return 8 - left }
        bytes = left == 0 ? bare : written(tracks, room: left)
        return nil
    }

    /// Rewrites the header with other tracks, in any length.
    mutating func renew(_ tracks: [(track: MovieTrack, editStart: Int64)]) { bytes = written(tracks, room: 0) }

    private func written(_ tracks: [(track: MovieTrack, editStart: Int64)], room: Int) -> [UInt8] {
        let dialect = MovieDialect(fileType)
        var writer = AtomWriter()
        FileTypeAtom.write(fileType, into: &writer)
        FileTypeAtom.writeRoom(dialect, into: &writer)
        MovieHeader(
            dialect: dialect, timeScale: timeScale, creationTime: creationTime, metadata: metadata,
            tracks: tracks, room: room
        ).write(into: &writer)
        return writer.bytes
    }
}

/// The first two atoms of a file: `ftyp`, and `wide` or `free`, which later becomes a part of the `mdat` header.
enum FileTypeAtom {
    /// Writes `ftyp` (QTFF, "The File Type Compatibility Atom"; ISO/IEC 14496-12, 4.3).
    ///
    /// Fragments with offsets relative to their `moof` need `iso5`; signed composition offsets need `iso6`.
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

    /// Returns true if these bytes are an atom that `write` creates. With other brands, players could interpret the
    /// formats differently.
    static func isOurs(_ bytes: [UInt8]?) -> Bool {
        ([.mov, .mp4, .m4v, .m4a] as [FileType]).contains { fileType in
            var writer = AtomWriter()
            write(fileType, into: &writer)
            return writer.bytes == bytes
        }
    }

    /// Writes eight bytes before the movie header. Together with the first eight bytes of the movie header, they later
    /// become the 64-bit header of the media data.
    ///
    /// `wide` is QuickTime's (QTFF, "Free, Skip, and Wide Atoms"); ISO/IEC 14496-12 has `free` (8.1.2).
    static func writeRoom(_ dialect: MovieDialect, into writer: inout AtomWriter) {
        writer.atom(dialect == .quickTime ? "wide" : "free") { _ in }
    }
}

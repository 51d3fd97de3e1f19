import MediaTypes

/// Everything in front of a recording's first fragment: `ftyp`, eight bytes of room for a 64-bit length, and `moov` with the
/// formats. Where a track's format is not known yet, or may change, `moov` has room for it, as an atom `free` at its end, so that it
/// can be written again in the same length once the format is told.
struct LeadingHeader {
    /// Bytes for a track: its atoms take some 600, and what its decoder needs besides.
    private static let roomForTrack = 4096

    let fileType: FileType
    let timeScale: Int32
    /// Seconds since 1970.
    let creationTime: Int64
    let metadata: [MetadataItem]
    /// Empty before it was written first.
    private(set) var bytes: [UInt8] = []

    init(fileType: FileType, timeScale: Int32, creationTime: Int64, metadata: [MetadataItem]) {
        self.fileType = fileType
        self.timeScale = timeScale
        self.creationTime = creationTime
        self.metadata = metadata
    }

    /// Makes the header for the first time.
    ///
    /// - Parameters:
    ///   - tracks: each with the place on its time line where the session starts, in ticks.
    ///   - missing: how many tracks, or further formats of tracks, may be told of later.
    mutating func begin(_ tracks: [(track: MovieTrack, editStart: Int64)], missing: Int) {
        bytes = written(tracks, room: missing * Self.roomForTrack)
    }

    /// Makes it again, with other tracks, in its length.
    ///
    /// - Returns: how many bytes more it would need; nil: it is as asked.
    mutating func replace(_ tracks: [(track: MovieTrack, editStart: Int64)]) -> Int? {
        let bare = written(tracks, room: 0)
        let left = bytes.count - bare.count
        // An atom takes eight bytes at least.
        guard left == 0 || left >= 8 else { return 8 - left }
        bytes = left == 0 ? bare : written(tracks, room: left)
        return nil
    }

    /// Makes it with other tracks, in whatever length that takes.
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

    /// Whether an atom, with its header, is one that `write` makes: a brand decides how players read the formats.
    static func isOurs(_ bytes: [UInt8]?) -> Bool {
        ([.mov, .mp4, .m4v, .m4a] as [FileType]).contains { fileType in
            var writer = AtomWriter()
            write(fileType, into: &writer)
            return writer.bytes == bytes
        }
    }

    /// Eight bytes in front of the movie header: together with that atom's own they become the media data's 64-bit header.
    ///
    /// `wide` is QuickTime's (QTFF, "Free, Skip, and Wide Atoms"); ISO/IEC 14496-12 has `free` (8.1.2).
    static func writeRoom(_ dialect: MovieDialect, into writer: inout AtomWriter) {
        writer.atom(dialect == .quickTime ? "wide" : "free") { _ in }
    }
}

package import MediaTypes

/// The duration of a movie according to its header.
///
/// libavformat 5.1 returns this value as the duration of the movie. libavformat 7.1 calculates one from the media of
/// the tracks, which may be shorter or longer than what their edits show.
package enum MovieDuration {
    /// Returns the duration of a QuickTime file in microseconds (QTFF, "Movie Header Atoms"); nil if it is unknown.
    package static func read(_ path: String) -> MediaTime? {
        guard let file = try? DiskFile(path: path, mode: .read), var atoms = try? TopLevelAtoms(file),
            let movie = atoms.first("moov", from: 0, to: atoms.fileSize),
            let header = atoms.first("mvhd", from: movie.offset + movie.headerSize, to: movie.end),
            let bytes = try? atoms.bytes(at: header.offset + header.headerSize, count: 32)
        else { return nil }
        return duration(ByteReader(bytes))
    }

    private static func duration(_ payload: ByteReader) -> MediaTime? {
        var reader = payload
        // Version and flags, then two times of four or eight bytes.
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11),
            let scale = reader.u32().flatMap({ Int32(exactly: $0) }), scale > 0
        else { return nil }
        let stated: Int64?
        if version == 1 {
            stated = reader.u64().flatMap { Int64(exactly: $0) }
        } else {
            // All ones mean that it is unknown.
            stated = reader.u32().flatMap { $0 == .max ? nil : Int64($0) }
        }
        guard let ticks = stated, ticks > 0 else { return nil }
        return MediaTime(value: MediaTime(value: ticks, timescale: scale).ticks(in: 1_000_000), timescale: 1_000_000)
    }
}

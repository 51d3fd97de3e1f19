package import MediaTypes

/// The header of a QuickTime file, read once for all values that libavformat does not return.
///
/// Empty for a file of another family, and for one that cannot be read.
package struct StoredHeader {
    /// The duration of the movie (QTFF, "Movie Header Atoms"), in microseconds; nil if it is unknown.
    ///
    /// libavformat 5.1 returns this value as the duration of the movie. libavformat 7.1 calculates the duration from
    /// the media of the tracks. The media may be shorter or longer than the part that the tracks' edits show.
    package private(set) var duration: MediaTime?
    /// The reason why libavformat must not open the file; nil if libavformat may open it.
    private(set) var fault: TrackNumbers.Fault?
    /// The movie header (`moov`); empty if it is missing or unreasonably large.
    private var movie: [UInt8] = []

    /// The maximum number of top-level atoms that are read.
    private static let mostAtoms = 100_000
    /// The minimum mean size, in bytes, of the first `mostAtoms` atoms of a file. The smallest fragment and its media
    /// have 36 bytes each.
    private static let leastMeanSize = 32
    /// The maximum size of a fragment's header. A fragment with hours of media needs more than the usual limit for a
    /// header.
    static let largestFragmentHeader: UInt64 = 256 << 20

    /// Reads the top-level atom headers, the movie header and, in a fragmented movie, the fragments' headers.
    ///
    /// - Throws: `corruptData` for a file that libavformat must not open (`TrackNumbers`).
    package init(path: String) throws(MediaError) {
        if let file = try? DiskFile(path: path, mode: .read) { read(file) }
        if let fault { throw fault.error(path) }
    }

    init(_ storage: any MovieStorage) { read(storage) }

    /// Returns the headers of the tracks. Empty if the movie header is damaged, or unreasonably large.
    package func trackHeaders() -> MovieTrackHeaders { MovieTrackHeaders(movie) }

    private mutating func read(_ storage: any MovieStorage) {
        guard var atoms = try? TopLevelAtoms(storage) else { return }
        var numbers = TrackNumbers(fileSize: atoms.fileSize)
        var (place, isFirst, readsFragments) = (UInt64(0), true, true)
        // In a finalized movie the header is among the first or the last few atoms; in a recording thousands of atoms
        // follow it. libavformat continues to the end of the file in any case.
        for _ in 0..<Self.mostAtoms {
            guard let atom = try? atoms.header(at: place) else { return }
            if atom.type == "moof" {
                if readsFragments {
                    guard atom.size <= Self.largestFragmentHeader else {
                        fault = .size
                        return
                    }
                    // in range: at most 256 MiB
                    guard let bytes = try? atoms.bytes(at: atom.offset, count: Int(atom.size)) else { return }
                    numbers.add(fragment: bytes.dropFirst(Int(atom.headerSize)))
                }
            } else if atom.type == "moov" {
                if isFirst { duration = Self.duration(&atoms, of: atom) }
                isFirst = false
                // libavformat reads one movie header.
                if readsFragments, let bytes = try? atoms.contents(of: atom) {
                    if movie.isEmpty { movie = bytes }
                    numbers.add(header: bytes.dropFirst(Int(atom.headerSize)))
                    readsFragments = numbers.mayBeFaulty
                }
            } else if TrackNumbers.containers.contains(atom.type), let bytes = try? atoms.contents(of: atom) {
                numbers.add(other: bytes.dropFirst(Int(atom.headerSize)), in: atom.type)
            }
            fault = numbers.fault
            guard fault == nil else { return }
            place = atom.end
        }
        // The atoms after these are not read. A small file could hide fragments there, so it is refused.
        if place < UInt64(Self.mostAtoms * Self.leastMeanSize) { fault = .atoms }
    }

    /// Reads the duration from a movie header of any size.
    private static func duration(_ atoms: inout TopLevelAtoms, of movie: TopLevelAtoms.Header) -> MediaTime? {
        guard let header = atoms.first("mvhd", from: movie.offset + movie.headerSize, to: movie.end),
            let bytes = try? atoms.bytes(at: header.offset + header.headerSize, count: 32)
        else { return nil }
        var reader = ByteReader(bytes)
        // Version and flags, then two times of four or eight bytes.
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11),
            let scale = reader.u32().flatMap({ Int32(exactly: $0) }), scale > 0
        else { return nil }
        let stated: Int64?
        if version == 1 {
            stated = reader.u64().flatMap { Int64(exactly: $0) }
        } else {
            // All ones mean that the duration is unknown.
            stated = reader.u32().flatMap { $0 == .max ? nil : Int64($0) }
        }
        guard let ticks = stated, ticks > 0 else { return nil }
        return MediaTime(value: MediaTime(value: ticks, timescale: scale).ticks(in: 1_000_000), timescale: 1_000_000)
    }
}

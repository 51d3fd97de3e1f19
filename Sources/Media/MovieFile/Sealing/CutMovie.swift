package import MediaTypes

/// A movie that was remuxed from a part of a signed one, with a statement that lists which samples of the signed movie
/// it contains.
///
/// The statement is an atom at the end of the file, of a type that players skip (`uuid`: ISO/IEC 14496-12, 11.1).
package struct CutMovie {
    /// The type of the statement's atom: 9cd655ba-fdf0-4355-a0f9-da93f16a310b.
    private static let identifier: [UInt8] = [
        0x9C, 0xD6, 0x55, 0xBA, 0xFD, 0xF0, 0x43, 0x55, 0xA0, 0xF9, 0xDA, 0x93, 0xF1, 0x6A, 0x31, 0x0B,
    ]
    /// The maximum size of a statement. The statement of a ten-hour recording is far smaller. The limit prevents a
    /// false length from filling the memory.
    package static let largestStatement: UInt64 = 256 << 20
    /// The atoms that are permitted beside the statement: the file type, a header, media data and empty atoms. Media
    /// data is not searched.
    private static let known: Set<FourCharCode> = ["wide", "free", "skip", "mdat", "moov"]

    /// The bytes of the statement; nil if it cannot be read.
    package let statement: [UInt8]?
    /// The movie's header. Nil if it is missing, unreadable or not the only one, or if the file has anything else that
    /// a player could treat as part of the movie.
    package let header: SealedFragments.MovieTracks?

    /// Reads a movie. Returns nil for a movie without a statement.
    ///
    /// - Throws: the storage's error. The contents of the file never cause one.
    package init?(_ storage: any MovieStorage) throws(MediaError) {
        var atoms = try TopLevelAtoms(storage)
        var statements: [TopLevelAtoms.Header] = []
        var headers: [TopLevelAtoms.Header] = []
        var (place, isPlain) = (UInt64(0), true)
        while let atom = try atoms.header(at: place) {
            place = atom.end
            if atom.offset == 0 { isPlain = atom.type == "ftyp" }
            switch atom.type {
            // An unfinished recording.
            case "moof": return nil
            case "ftyp":
                let bytes = try atoms.contents(of: atom)
                isPlain = isPlain && atom.offset == 0 && FileTypeAtom.isOurs(bytes)
            case "moov": headers.append(atom)
            case "uuid":
                let found = try atoms.bytes(at: atom.offset + atom.headerSize, count: 16)
                if found == Self.identifier { statements.append(atom) } else { isPlain = false }
            default: if !Self.known.contains(atom.type) { isPlain = false }
            }
        }
        guard let own = statements.first else { return nil }
        isPlain = isPlain && place == atoms.fileSize && statements.count == 1 && headers.count == 1
        let start = own.offset + own.headerSize + 16
        statement =
            own.end >= start && own.end - start <= Self.largestStatement
            ? try storage.read(Int(own.end - start), at: start) : nil
        guard isPlain, let bytes = try atoms.contents(of: headers[0]), let moov = Atom(parsing: bytes) else {
            header = nil
            return
        }
        header = SealedFragments.MovieTracks(
            moov: moov, fileSize: atoms.fileSize, byteCount: headers[0].size, end: headers[0].end,
            isLeading: moov["mvex"] != nil)
    }

    /// Returns the header of a finalized movie that has no statement yet; nil for any other file.
    package static func header(ofFinished storage: any MovieStorage) throws(MediaError) -> SealedFragments.MovieTracks?
    {
        var atoms = try TopLevelAtoms(storage)
        var place: UInt64 = 0
        while let atom = try atoms.header(at: place), atom.type != "moof" {
            if atom.type == "moov", let bytes = try atoms.contents(of: atom), let moov = Atom(parsing: bytes) {
                return SealedFragments.MovieTracks(
                    moov: moov, fileSize: atoms.fileSize, byteCount: atom.size, end: atom.end,
                    isLeading: moov["mvex"] != nil)
            }
            place = atom.end
        }
        return nil
    }

    /// Appends a statement to a finalized movie, and waits until it is on the disk.
    ///
    /// - Throws: the storage's error. The movie is then unchanged, or ends in an incomplete atom, which players skip.
    package static func append(_ statement: [UInt8], to storage: any MovieStorage) throws(MediaError) {
        var writer = AtomWriter()
        writer.atom("uuid") { body in
            body.raw(identifier)
            body.raw(statement)
        }
        try storage.write(writer.bytes, at: try storage.size())
        try storage.synchronize()
    }
}

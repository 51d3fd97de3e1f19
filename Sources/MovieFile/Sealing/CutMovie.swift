package import MediaTypes

/// A movie that was cut out of a signed one by passing packets through, with a statement that tells which of that one's samples
/// it holds.
///
/// The statement is an atom of its own at the end of the file, of a type that players skip (`uuid`: ISO/IEC 14496-12, 11.1).
package struct CutMovie {
    /// 9cd655ba-fdf0-4355-a0f9-da93f16a310b.
    private static let identifier: [UInt8] = [
        0x9C, 0xD6, 0x55, 0xBA, 0xFD, 0xF0, 0x43, 0x55, 0xA0, 0xF9, 0xDA, 0x93, 0xF1, 0x6A, 0x31, 0x0B,
    ]
    /// What the statement of ten hours is far below: what a file says must not fill the memory.
    package static let largestStatement: UInt64 = 256 << 20
    /// What may stand beside the statement: a header, media data that nobody walks through, and room.
    private static let known: Set<FourCharCode> = ["wide", "free", "skip", "mdat", "moov"]

    /// nil where it cannot be read.
    package let statement: [UInt8]?
    /// The movie's header; nil where there is none that can be read, or more than one, or anything else that a player could take for
    /// a part of the movie.
    package let header: SealedFragments.MovieTracks?

    /// nil for a movie without a statement.
    ///
    /// - Throws: the storage's error. What the file holds is never one.
    package init?(_ storage: any MovieStorage) throws(MediaError) {
        var atoms = try TopLevelAtoms(storage)
        var statements: [TopLevelAtoms.Header] = []
        var headers: [TopLevelAtoms.Header] = []
        var (place, isPlain) = (UInt64(0), true)
        while let atom = try atoms.header(at: place) {
            place = atom.end
            if atom.offset == 0 { isPlain = atom.type == "ftyp" }
            switch atom.type {
            // A recording that is not finished.
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

    /// The header of a finished movie that has no statement yet; nil for any other file.
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

    /// Puts a statement behind a finished movie, and waits until it is on the disk.
    ///
    /// - Throws: the storage's error; then the movie is what it was, or ends in an atom that is not whole, which players skip.
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

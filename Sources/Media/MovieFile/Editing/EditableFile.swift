import MediaTypes

/// The top-level atoms of a finished movie. A new header may be appended to such a movie.
struct EditableFile: Sendable {
    /// The header that applies: the first one.
    let header: TopLevelAtoms.Header
    /// The bytes of that header.
    let bytes: [UInt8]
    let moov: Atom
    /// A second header, which an interrupted edit left at the end. Readers use the first one.
    let leftover: TopLevelAtoms.Header?
    let dialect: MovieDialect

    /// The maximum number of top-level atoms, more than any ordinary movie has.
    private static let mostAtoms = 1 << 20
    /// The type of an atom with content credentials, which have hashes of the file (C2PA, "Embedding manifests into
    /// BMFF-based assets").
    private static let credentials: [UInt8] = [
        0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
    ]

    /// Reads the headers of all top-level atoms, and the movie header.
    ///
    /// - Throws: `unsupported` for a file to which nothing may be appended, `corruptData` for a damaged header, or the
    ///   storage's error.
    init(_ storage: any MovieStorage, path: String) throws(MediaError) {
        func refusal(_ reason: String, _ wayOut: String) -> MediaError {
            MediaError(.unsupported, "cannot edit \(path)", reason: reason, wayOut: wayOut)
        }
        let remux = "remux it: `recorder reencode --codec passthrough`"
        let fragmented = refusal("it consists of fragments", "use `recorder repair`, or " + remux)
        var atoms = try TopLevelAtoms(storage)
        var headers: [TopLevelAtoms.Header] = []
        var family: MovieDialect?
        var (position, count) = (UInt64(0), 0)
        while position < atoms.fileSize {
            guard count < Self.mostAtoms, let atom = try atoms.header(at: position) else {
                throw refusal("its end is not a complete atom", remux)
            }
            switch atom.type {
            case "moov": headers.append(atom)
            case "moof", "styp", "sidx": throw fragmented
            case "ftyp" where count == 0:
                let brand = try atoms.bytes(at: atom.offset + atom.headerSize, count: 4)
                family = brand.elementsEqual("qt  ".utf8) ? .quickTime : .mpeg4
            case "uuid":
                guard try atoms.bytes(at: atom.offset + atom.headerSize, count: 16) != Self.credentials else {
                    throw refusal("it has content credentials (C2PA), which would become invalid", "edit a copy of it")
                }
            default: break
            }
            position = atom.end
            count += 1
        }
        guard let header = headers.first else {
            throw refusal("it has no movie header", "for a recording, use `recorder repair`")
        }
        guard let bytes = try atoms.contents(of: header) else { throw refusal("its header is very large", remux) }
        guard let moov = Self.parse(bytes, header), moov.type == "moov", moov["cmov"] != nil || moov["mvhd"] != nil
        else {
            throw MediaError(
                .corruptData, "cannot edit \(path)", reason: "its header is damaged", wayOut: "try to " + remux)
        }
        guard moov["cmov"] == nil else { throw refusal("its header is compressed", remux) }
        guard moov["mvex"] == nil else { throw fragmented }
        if headers.count > 1 {
            guard headers.count == 2, headers[1].end == atoms.fileSize,
                let other = try atoms.contents(of: headers[1]).flatMap({ Self.parse($0, headers[1]) }),
                Self.isEdition(other, of: moov)
            else { throw refusal("it has several headers", remux) }
        }
        (self.header, self.bytes, self.moov) = (header, bytes, moov)
        leftover = headers.count > 1 ? headers[1] : nil
        // Files without a file type are older than the MPEG-4 family.
        dialect = family ?? .quickTime
    }

    /// Parses a header whose length may have 64 bits.
    private static func parse(_ bytes: [UInt8], _ header: TopLevelAtoms.Header) -> Atom? {
        guard header.headerSize > 8 else { return Atom(parsing: bytes) }
        var writer = AtomWriter(capacity: bytes.count)
        writer.atom(header.type) { $0.raw(bytes.dropFirst(Int(clamping: header.headerSize))) }
        return Atom(parsing: writer.bytes)
    }

    /// Returns true if a header can be an edited version of `moov`. No edit changes the movie's duration, or the media
    /// of its tracks.
    private static func isEdition(_ other: Atom, of moov: Atom) -> Bool {
        func media(_ header: Atom) -> [Atom?] { header.all("trak").map { $0.find("mdia", "minf") } }
        return other["mvhd"] == moov["mvhd"] && media(other) == media(moov)
    }

    /// Returns true for a signed recording, with or without a signed end, and for a cut of one.
    func isSigned(_ storage: any MovieStorage) throws(MediaError) -> Bool {
        if MovieMetadata.read(from: moov).contains(where: { $0.key == MetadataItem.signedEndKey }) { return true }
        if try SealedFragments.begin(storage) { return true }
        return try CutMovie(storage) != nil
    }
}

package import MediaTypes

/// Changes the header of a finished movie in its file. The media is neither moved nor rewritten.
///
/// The new header is appended to the file and synced. Until then, and if that fails, the file is as before. While it has
/// two headers, readers use the first one. Then the type of the old header is overwritten with that of free space. These
/// four bytes switch from one header to the other: if only some of them reach the disk, the atom has an unknown type,
/// which readers skip like free space. So at every moment the file has one complete header that applies.
package struct HeaderEditor: Sendable {
    private let path: String
    /// The header as it is in the file.
    private let original: [UInt8]
    private var moov: Atom
    private var newMetadata: [MetadataItem]?
    private var newTracks: [Int: EditedTrack] = [:]

    /// The maximum number of top-level atoms, more than any ordinary movie has.
    private static let mostAtoms = 1 << 20

    /// Reads the header of a file.
    ///
    /// - Throws: the error of opening it; `unsupported` for a file that is not a finished movie, and for one that
    ///   something follows that is not an atom; `corruptData` for a damaged header.
    package init(path: String) throws(MediaError) {
        try self.init(DiskFile(path: path, mode: .read), path: path)
    }

    init(_ storage: any MovieStorage, path: String) throws(MediaError) {
        let header = try Self.header(of: storage, path)
        guard let moov = Atom(parsing: header.bytes), moov.type == "moov", moov["mvhd"] != nil else {
            throw MediaError(.corruptData, "cannot edit \(path)", reason: "its header is damaged")
        }
        self.path = path
        self.moov = moov
        original = header.bytes
    }

    private static func header(
        of storage: any MovieStorage, _ path: String
    ) throws(MediaError) -> (place: TopLevelAtoms.Header, bytes: [UInt8]) {
        func refusal(_ reason: String, _ wayOut: String = "") -> MediaError {
            MediaError(.unsupported, "cannot edit \(path)", reason: reason, wayOut: wayOut)
        }
        var atoms = try TopLevelAtoms(storage)
        var found: TopLevelAtoms.Header?
        var (position, count) = (UInt64(0), 0)
        while position < atoms.fileSize {
            guard count < mostAtoms, let atom = try atoms.header(at: position) else {
                throw refusal("its end is not a complete atom", "remux it: `recorder reencode --codec passthrough`")
            }
            switch atom.type {
            case "moov" where found != nil: throw refusal("it has two headers")
            case "moov": found = atom
            case "moof", "styp", "sidx": throw refusal("it consists of fragments", "use `recorder repair`, or remux it")
            default: break
            }
            position = atom.end
            count += 1
        }
        guard let found, let bytes = try atoms.contents(of: found) else {
            throw refusal("it has no movie header, or a very large one")
        }
        guard Atom(parsing: bytes)?["mvex"] == nil else {
            throw refusal("it consists of fragments", "use `recorder repair`, or remux it")
        }
        return (found, bytes)
    }

    /// True for a QuickTime movie; false for a file of the MPEG-4 family.
    package var isQuickTime: Bool { MovieDialect(of: moov) == .quickTime }

    // MARK: Values

    /// The movie's metadata, with the keys of the file.
    package var metadata: [MetadataItem] {
        get { newMetadata ?? MovieMetadata.read(from: moov) }
        set { newMetadata = newValue == MovieMetadata.read(from: moov) ? nil : newValue }
    }

    /// The values of a track; nil for an unknown track, and for one with a damaged header.
    package func track(_ id: Int) -> EditedTrack? {
        if let track = newTracks[id] { return track }
        return moov.all("trak").first { FinalHeader.trackID($0) == UInt32(clamping: id) }.flatMap { EditedTrack($0) }
    }

    /// Changes the values of a track. Has no effect on an unknown one.
    package mutating func edit(_ id: Int, _ change: (inout EditedTrack) -> Void) {
        guard var track = track(id) else { return }
        change(&track)
        newTracks[id] = track
    }

    // MARK: Writing

    /// Writes the changes into the file. Does nothing if there are none. Blocks for as long as the disk does.
    ///
    /// - Returns: the editor of the header that the file now has.
    /// - Throws: `busy` if another program is writing to the file, or has changed its header; `invalidSettings` for an
    ///   invalid value; `unsupported` for a signed recording, and for metadata that cannot be rewritten without loss;
    ///   the disk's error.
    package func write() throws(MediaError) -> HeaderEditor {
        try write(to: DiskFile(path: path, mode: .update))
    }

    func write(to storage: any MovieStorage) throws(MediaError) -> HeaderEditor {
        let header = try edited()
        guard header != moov else { return self }
        let found = try Self.header(of: storage, path)
        guard found.bytes == original else {
            throw MediaError(
                .busy, "cannot edit \(path)", reason: "another program has changed its header",
                wayOut: "open the movie again")
        }
        var writer = AtomWriter(capacity: header.byteCount)
        header.write(into: &writer)
        guard UInt64(writer.count) <= TopLevelAtoms.largestHeader else {
            throw MediaError(.unsupported, "cannot edit \(path)", reason: "its header would be too large")
        }
        let end = try storage.size()
        do throws(MediaError) {
            try storage.write(writer.bytes, at: end)
            try storage.synchronize()
        } catch {
            // The header before it is valid, whether this succeeds or not.
            try? storage.truncate(to: end)
            throw error
        }
        try storage.write(FourCharCode("free").bytes, at: found.place.offset + 4)
        try storage.synchronize()
        return try HeaderEditor(storage, path: path)
    }

    private func edited() throws(MediaError) -> Atom {
        var header = moov
        for (id, track) in newTracks {
            if let fault = track.fault { throw fault }
            guard
                let index = header.children.firstIndex(where: {
                    $0.type == "trak" && FinalHeader.trackID($0) == UInt32(clamping: id)
                })
            else { continue }
            track.apply(to: &header.children[index])
        }
        if let newMetadata {
            for item in newMetadata { if let refusal = MovieMetadata.refusal(of: item) { throw refusal } }
            guard MovieMetadata.isKept(in: header) else {
                throw MediaError(
                    .unsupported, "cannot edit the metadata of \(path)",
                    reason: "it has items that would not be kept as they are", wayOut: "export it with other metadata")
            }
            MovieMetadata.replace(with: newMetadata, in: &header)
        }
        guard header == moov || !MovieMetadata.read(from: moov).contains(where: { $0.key == MetadataItem.signedEndKey })
        else {
            throw MediaError(
                .unsupported, "cannot edit \(path)", reason: "it is signed, and would no longer be genuine",
                wayOut: "edit a copy that `recorder reencode` makes")
        }
        return header
    }
}

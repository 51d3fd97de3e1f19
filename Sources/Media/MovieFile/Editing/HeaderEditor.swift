import FileSystem
import Glibc
package import MediaTypes

/// Changes the header of a finished movie in place. The media is neither moved nor rewritten.
///
/// 1. The new header is appended as free space, and the file is synced. A crash leaves the file with its old header,
///    and at most an incomplete atom after it.
/// 2. The new header gets its type, `moov`, and the file is synced. The file then has two headers, of which readers use
///   the first.
/// 3. The type of the old header is overwritten with the type of free space, and the file is synced.
///
/// Steps 2 and 3 write four bytes each. If only some of them reach the disk, the atom has an unknown type. Readers skip
/// it like free space. The file therefore always has a complete header that readers use.
package struct HeaderEditor: Sendable {
    private let path: String
    private let file: EditableFile
    private var newMetadata: [MetadataItem]?
    private var newTracks: [Int: EditedTrack] = [:]

    private var moov: Atom { file.moov }

    /// Reads the header of a file.
    ///
    /// - Throws: the error of opening the file; `unsupported` for a file that is not a finished movie, or that ends
    ///   with bytes that are not an atom; `corruptData` for a damaged header.
    package init(path: String) throws(MediaError) {
        var status = stat()
        // Opening a FIFO would wait for its writer.
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(
                .unsupported, "cannot edit \(path)", reason: "it is not a regular file",
                wayOut: "use the name of a movie file")
        }
        try self.init(DiskFile(path: path, mode: .read), path: path)
    }

    init(_ storage: any MovieStorage, path: String) throws(MediaError) {
        self.path = path
        file = try EditableFile(storage, path: path)
    }

    /// True for a QuickTime movie; false for a file of the MPEG-4 family.
    package var isQuickTime: Bool { file.dialect == .quickTime }

    // MARK: Values

    /// The movie's metadata, with the keys of the file.
    package var metadata: [MetadataItem] {
        get { newMetadata ?? MovieMetadata.read(from: moov) }
        set { newMetadata = newValue == MovieMetadata.read(from: moov) ? nil : newValue }
    }

    /// The values of a track; nil for an unknown track, and for one with a damaged header.
    package func track(_ id: Int) -> EditedTrack? {
        if let track = newTracks[id] { return track }
        return index(ofTrack: id, in: moov).flatMap { EditedTrack(moov.children[$0]) }
    }

    /// Changes the values of a track. Has no effect on an unknown one.
    package mutating func edit(_ id: Int, _ change: (inout EditedTrack) -> Void) {
        guard var track = track(id) else { return }
        change(&track)
        newTracks[id] = track
    }

    private func index(ofTrack id: Int, in header: Atom) -> Int? {
        guard let id = UInt32(exactly: id) else { return nil }
        return header.children.firstIndex { $0.type == "trak" && FinalHeader.trackID($0) == id }
    }

    // MARK: Writing

    /// Writes the changes into the file. Does nothing if there are none. Blocks until the disk responds.
    ///
    /// - Returns: an editor of the new header.
    /// - Throws: `busy` if another program is writing to the file, or has changed its header; `invalidSettings` for an
    ///   invalid value; `unsupported` for a signed recording, and for metadata that cannot be rewritten without loss;
    ///   the disk's error.
    package func write() throws(MediaError) -> HeaderEditor {
        let header = try edited()
        guard header != moov else { return self }
        return try write(header, to: DiskFile(path: path, mode: .update))
    }

    func write(to storage: any MovieStorage) throws(MediaError) -> HeaderEditor {
        let header = try edited()
        return header == moov ? self : try write(header, to: storage)
    }

    private func write(_ header: Atom, to storage: any MovieStorage) throws(MediaError) -> HeaderEditor {
        let current = try EditableFile(storage, path: path)
        guard current.header == file.header, current.bytes == file.bytes else {
            throw MediaError(
                .busy, "cannot edit \(path)", reason: "another program has changed its header",
                wayOut: "open the movie again")
        }
        guard try !current.isSigned(storage) else {
            throw MediaError(
                .unsupported, "cannot edit \(path)", reason: "it is signed, and would no longer be genuine",
                wayOut: "edit a copy that `recorder reencode` makes")
        }
        var writer = AtomWriter(capacity: header.byteCount)
        header.write(into: &writer)
        guard UInt64(writer.count) <= TopLevelAtoms.largestHeader else {
            throw MediaError(
                .unsupported, "cannot edit \(path)", reason: "its header would be too large",
                wayOut: "use less metadata, such as a smaller cover")
        }
        writer.patch(FourCharCode("free").rawValue, at: 4)
        // Readers do not use this second header.
        if let leftover = current.leftover { try Self.change(leftover.offset, to: "free", in: storage) }
        let end = try storage.size()
        do throws(MediaError) {
            try storage.write(writer.bytes, at: end)
            try storage.synchronize()
        } catch {
            Self.takeBack(UInt64(writer.count), from: end, of: storage)
            throw error
        }
        try Self.change(end, to: "moov", in: storage)
        try Self.change(current.header.offset, to: "free", in: storage)
        return try HeaderEditor(storage, path: path)
    }

    /// Changes the type of an atom, and waits until the change is on the disk.
    private static func change(
        _ atom: UInt64, to type: FourCharCode, in storage: any MovieStorage
    ) throws(MediaError) {
        try storage.write(type.bytes, at: atom + 4)
        try storage.synchronize()
    }

    /// Removes the appended bytes, unless another program has appended more after them. Whether this succeeds or not,
    /// readers use the earlier header.
    private static func takeBack(_ count: UInt64, from end: UInt64, of storage: any MovieStorage) {
        guard let size = try? storage.size(), size > end, size - end <= count else { return }
        try? storage.truncate(to: end)
    }

    private func edited() throws(MediaError) -> Atom {
        var header = moov
        for (id, track) in newTracks {
            guard let index = index(ofTrack: id, in: header), let old = EditedTrack(header.children[index]) else {
                continue
            }
            if let fault = track.fault(replacing: old) { throw fault }
            track.apply(to: &header.children[index])
        }
        if let newMetadata {
            for item in newMetadata { if let refusal = MovieMetadata.refusal(of: item) { throw refusal } }
            guard MovieMetadata.isKept(in: header, dialect: file.dialect) else {
                throw MediaError(
                    .unsupported, "cannot edit the metadata of \(path)",
                    reason: "some of it cannot be rewritten without loss", wayOut: "export it with other metadata")
            }
            MovieMetadata.replace(with: newMetadata, in: &header, dialect: file.dialect)
        }
        return header
    }
}

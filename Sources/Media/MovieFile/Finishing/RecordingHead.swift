import MediaTypes

/// The beginning of a movie file, from which the file's state is determined.
struct RecordingHead {
    enum State {
        /// A fragmented recording that must be finalized.
        case recording
        /// An ordinary movie: there is nothing to do.
        case finished
    }

    let state: State
    /// The file type atom (`ftyp`), with its header.
    private(set) var fileType: [UInt8] = []
    /// The eight bytes reserved for a 64-bit length of the media data: `wide` in QuickTime, `free` in MPEG-4.
    private(set) var room: TopLevelAtoms.Header?
    private(set) var leading: Atom?
    /// The start of the first fragment.
    private(set) var end: UInt64 = 0

    /// The maximum number of tracks, more than our headers have.
    private static let mostTracks = 256

    /// - Throws: `corruptData` if the file is not one of our recordings.
    init(_ atoms: inout TopLevelAtoms) throws(MediaError) {
        guard atoms.fileSize > 0 else { throw Self.refusal("it is empty: nothing has been recorded yet") }
        if try FinishedMovie.isWhole(&atoms) {
            state = .finished
            return
        }
        state = .recording
        guard let fileType = try atoms.header(at: 0), fileType.type == "ftyp" else {
            throw Self.refusal("it does not begin with a complete `ftyp` atom")
        }
        let isHalf = try Self.isHalfMovie(at: fileType.end, &atoms)
        guard let second = try atoms.header(at: fileType.end) else {
            if isHalf { throw Self.halfMovie }
            throw Self.refusal("it ends before its header: nothing has been recorded yet")
        }
        if isHalf { throw Self.halfMovie }
        guard second.type == "wide" || second.type == "free", second.size == 8,
            let header = try atoms.header(at: second.end), header.type == "moov",
            // A single write later turns the recording into a movie. It must be atomic, and a disk writes sectors of
            // 512 bytes.
            second.offset + 16 <= 512, let bytes = try atoms.contents(of: header), let leading = Atom(parsing: bytes),
            leading["mvex"] != nil, leading.all("trak").count <= Self.mostTracks
        else {
            if try Self.isForeign(second, &atoms) { throw Self.foreign }
            throw Self.refusal("its header is incomplete, or not the header of a recording")
        }
        guard RecordingMark.isOn(leading) else { throw Self.foreign }
        self.fileType = try atoms.bytes(at: 0, count: Int(fileType.size))
        self.leading = leading
        room = second
        end = header.end
    }

    /// Reads a copy of everything before the first fragment; nil if it is invalid.
    init?(copy bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let size = reader.u32(), reader.code() == "ftyp", size >= 8, reader.skip(Int(size) - 8),
            let length = reader.u32(), let type = reader.code(), length == 8, type == "wide" || type == "free",
            Int(size) + 16 <= 512, let moov = Atom(parsing: bytes.dropFirst(Int(size) + 8)), moov.type == "moov",
            moov["mvex"] != nil, moov.all("trak").count <= Self.mostTracks
        else { return nil }
        state = .recording
        fileType = Array(bytes.prefix(Int(size)))
        room = TopLevelAtoms.Header(type: type, offset: UInt64(size), size: 8, headerSize: 8)
        leading = moov
        end = UInt64(bytes.count)
    }

    private static let writeElsewhere = "save the readable part to another file: recorder repair -o OTHER.mov FILE"

    private static var halfMovie: MediaError {
        MediaError(
            .corruptData, "cannot finalize the movie", reason: "the end of the movie is missing, as in a partial copy",
            wayOut: writeElsewhere)
    }

    private static var foreign: MediaError {
        MediaError(
            .corruptData, "cannot finalize the movie", reason: "it was written by another program",
            wayOut: writeElsewhere)
    }

    /// The maximum number of atoms up to the header, which is near the start of a fragmented file.
    private static let mostAtoms = 16

    /// Returns true if a file has the header of a fragmented file that another program wrote.
    ///
    /// - Parameter second: the atom after the file type.
    private static func isForeign(_ second: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms) throws(MediaError)
        -> Bool
    {
        var place: TopLevelAtoms.Header? = second
        for _ in 0..<mostAtoms {
            guard let atom = place else { return false }
            if atom.type == "moov" {
                let moov = try atoms.contents(of: atom).flatMap { Atom(parsing: $0) }
                return moov.map { $0["mvex"] != nil && !RecordingMark.isOn($0) } ?? false
            }
            place = try atoms.header(at: atom.end)
        }
        return false
    }

    /// Returns true if media data follows the file type as in a finalized movie, so that only the header at the end is
    /// missing.
    static func isHalfMovie(at room: UInt64, _ atoms: inout TopLevelAtoms) throws(MediaError) -> Bool {
        var reader = ByteReader(try atoms.bytes(at: room, count: 16))
        guard let first = reader.u32(), let type = reader.code(), reader.skip(4), let second = reader.code() else {
            return false
        }
        return first == 1 && type == "mdat" || first == 8 && second == "mdat"
    }

    private static func refusal(_ reason: String) -> MediaError {
        MediaError(.corruptData, "cannot finalize the movie", reason: reason)
    }
}

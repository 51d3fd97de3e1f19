import MediaTypes

/// The top-level atoms of a recording as players see them: from atom to atom, without looking into media data.
///
/// Atoms are accepted only if they are on a list, because no signature covers the data between the signed parts. FFmpeg
/// treats a `trak`, `sidx` or `moof` beside the header as part of the movie.
struct OuterAtoms {
    /// The movie's headers.
    private(set) var headers: [TopLevelAtoms.Header] = []
    /// True if the file has no further atom that a player could treat as part of the movie, besides the header and the
    /// media.
    private(set) var isPlain = true

    private var holdsFillers = false

    private static let fillers: Set<FourCharCode> = ["wide", "free", "skip"]

    /// - Parameter isFinished: true if the header has tables; false if fragments follow it.
    init(_ storage: any MovieStorage, isFinished: Bool) throws(MediaError) {
        var atoms = try TopLevelAtoms(storage)
        var (place, before) = (UInt64(0), FourCharCode("free"))
        while let atom = try atoms.header(at: place) {
            switch atom.type {
            case "ftyp":
                let bytes = try atoms.contents(of: atom)
                isPlain = isPlain && place == 0 && FileTypeAtom.isOurs(bytes)
            case "moov": headers.append(atom)
            case "moof": isPlain = isPlain && !isFinished && !headers.isEmpty
            // In an unfinished recording, media data must follow a `moof`.
            case "mdat": isPlain = isPlain && (isFinished || before == "moof")
            default:
                isPlain =
                    isPlain && (Self.fillers.contains(atom.type) || !isFinished && !Self.isPrintable(atom.type))
            }
            if place == 0 { isPlain = isPlain && atom.type == "ftyp" }
            holdsFillers = holdsFillers || Self.fillers.contains(atom.type) && atom.size > 8
            (place, before) = (atom.end, atom.type)
        }
        guard isPlain, place < atoms.fileSize || headers.isEmpty else { return }
        if isFinished {
            let rest = try atoms.bytes(at: place, count: 8)
            isPlain = headers.isEmpty && !holdsFillers && Self.isMediaData(rest)
        } else {
            isPlain = try isPlainTail(from: place, &atoms)
        }
    }

    /// Returns true if the bytes are the start of media data. The file is then a finalized movie whose end, with the
    /// header, is missing. No player plays the file, unless FFmpeg finds a header in a `free` atom.
    private static func isMediaData(_ bytes: [UInt8]) -> Bool {
        bytes.count < 8 || bytes[4...].elementsEqual("mdat".utf8)
    }

    /// Returns true if the remains of a crash or a truncation, after the last complete atom, contain nothing that a
    /// player shows.
    private func isPlainTail(from place: UInt64, _ atoms: inout TopLevelAtoms) throws(MediaError) -> Bool {
        let left = atoms.fileSize - place
        guard left >= 8 else { return true }
        var reader = ByteReader(try atoms.bytes(at: place, count: 16))
        guard let size = reader.u32(), let type = reader.code() else { return false }
        switch type {
        case "mdat": return true
        case "moof": return size > 1 && UInt64(size) > left ? try isPlainHead(at: place, left, &atoms) : size >= 2
        // Players use the first header and ignore any other.
        case "moov": return size > 1 && !headers.isEmpty
        default: return Self.fillers.contains(type) || !Self.isPrintable(type)
        }
    }

    /// Returns true if these bytes are the start of a fragment head of this library, and its samples are not in the
    /// file.
    private func isPlainHead(
        at place: UInt64, _ left: UInt64, _ atoms: inout TopLevelAtoms
    ) throws(MediaError) -> Bool {
        guard left <= TopLevelAtoms.largestHeader else { return false }
        let bytes = try atoms.bytes(at: place, count: Int(left))
        return Self.forEachAtom(bytes[8...]) { type, body in
            type == "mfhd"
                || type == "traf"
                    && Self.forEachAtom(body) { type, body in
                        type == "tfhd" || type == "tfdt" || type == "trun" && Self.isBehind(left, body)
                    }
        }
    }

    /// Calls `isPlain` for each atom; the last may be truncated.
    private static func forEachAtom(
        _ bytes: ArraySlice<UInt8>, _ isPlain: (FourCharCode, ArraySlice<UInt8>) -> Bool
    ) -> Bool {
        var reader = ByteReader(bytes)
        while let size = reader.u32(), let type = reader.code() {
            guard size >= 8, let body = reader.slice(min(Int(size) - 8, reader.remaining)), isPlain(type, body) else {
                return false
            }
        }
        return true
    }

    private static func isBehind(_ end: UInt64, _ trun: ArraySlice<UInt8>) -> Bool {
        var reader = ByteReader(trun)
        guard let word = reader.u32(), reader.skip(4), let offset = reader.s32() else { return true }
        return word & 1 == 1 && Int64(offset) >= Int64(clamping: end)
    }

    /// Returns true if all four bytes of a type are printable. Any other type is garbage that no player knows.
    private static func isPrintable(_ type: FourCharCode) -> Bool { type.bytes.allSatisfy { 0x20...0x7E ~= $0 } }
}

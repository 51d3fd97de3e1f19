import MediaTypes

/// Finds numbers in a fragmented movie that make libavformat loop for minutes, or fill the memory: a track ID outside
/// of 1 to 2³¹ − 1, or a `trun` that has more samples than the file has bytes.
///
/// For a track without a valid ID, libavformat 5.1 uses an error code as an index and counts from it to zero, 1.1
/// billion steps for each `trun`. That takes a minute for a recording of a minute, and cannot be interrupted. For
/// samples that are only counted it creates an index of 24 bytes each, up to 2 GB, each time it opens the file.
struct TrackNumbers {
    enum Fault {
        case number, count

        /// Returns the error for the file with this path.
        func error(_ path: String) -> MediaError {
            switch self {
            case .number:
                MediaError(
                    .corruptData, "cannot read \(path)", reason: "its header is damaged: a track has no ID",
                    wayOut: "if `recorder` wrote it, `recorder repair` may find a copy of the header in it")
            case .count:
                MediaError(
                    .corruptData, "cannot read \(path)",
                    reason: "a fragment claims more samples than the file has bytes",
                    wayOut: "if `recorder` wrote it, `recorder repair` keeps the readable part")
            }
        }
    }

    private let fileSize: UInt64
    private var hasFragments = false
    private var lacksNumber = false
    private var claimsTooMany = false

    init(fileSize: UInt64) { self.fileSize = fileSize }

    /// The fault of the atoms that were added; nil if there is none.
    var fault: Fault? {
        if claimsTooMany { return .count }
        return hasFragments && lacksNumber ? .number : nil
    }

    /// False if no atom after a movie header can make the file faulty.
    var mayBeFaulty: Bool { hasFragments || lacksNumber }

    /// Adds the contents of a `moof`.
    mutating func add(fragment: ArraySlice<UInt8>) {
        hasFragments = true
        claimsTooMany = claimsTooMany || Self.claims(fragment, more: fileSize)
    }

    /// Adds the contents of a `moov`.
    mutating func add(header: ArraySlice<UInt8>) {
        let parts = Self.children(header)
        lacksNumber = parts.contains { type, track in
            type == "trak" && (Self.number(track).map { !(1...UInt32(Int32.max)).contains($0) } ?? true)
        }
        hasFragments = hasFragments || parts.contains { $0.type == "mvex" }
    }

    /// Returns true if a `trun` of a fragment has more than `most` samples.
    private static func claims(_ moof: ArraySlice<UInt8>, more most: UInt64) -> Bool {
        children(moof).filter { $0.type == "traf" }.flatMap { children($0.body) }.contains { type, body in
            guard type == "trun" else { return false }
            var reader = ByteReader(body)
            return reader.skip(4) && reader.u32().map { UInt64($0) > most } ?? false
        }
    }

    /// Returns the child atoms up to the first invalid length, as libavformat does.
    private static func children(_ bytes: ArraySlice<UInt8>) -> [(type: FourCharCode, body: ArraySlice<UInt8>)] {
        var reader = ByteReader(bytes)
        var found: [(type: FourCharCode, body: ArraySlice<UInt8>)] = []
        reader.forEachAtom { found.append(($0, $1)) }
        return found
    }

    /// Reads the track ID from `tkhd`: version and flags, two times of four or eight bytes, the ID (QTFF, "Track Header
    /// Atoms").
    private static func number(_ trak: ArraySlice<UInt8>) -> UInt32? {
        guard let header = children(trak).first(where: { $0.type == "tkhd" })?.body, let version = header.first else {
            return nil
        }
        var reader = ByteReader(header)
        return reader.skip(version == 1 ? 20 : 12) ? reader.u32() : nil
    }
}

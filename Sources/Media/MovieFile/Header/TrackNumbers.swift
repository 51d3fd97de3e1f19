import MediaTypes

/// Finds numbers in a movie that make libavformat loop for minutes, or fill the memory: in a fragmented one a track ID
/// outside of 1 to 2³¹ − 1, or runs (`trun`) of more samples than the file has bytes; in any other a header that states
/// too many samples, or shows them too often (`IndexCost`).
///
/// For a track without a valid ID, libavformat 5.1 uses an error code as an index and counts from it to zero, 1.1
/// billion steps for each `trun`. That takes a minute for a recording of a minute, and cannot be interrupted. For
/// samples that are only counted it creates an index of 24 bytes each, up to 2 GB for each track, each time it opens
/// the file.
struct TrackNumbers {
    enum Fault {
        case number, count, entries, atoms, size

        /// Returns the error for the file with this path.
        func error(_ path: String) -> MediaError {
            switch self {
            case .number:
                MediaError(
                    .corruptData, "cannot read \(path)", reason: "its header is damaged: a track has no ID",
                    wayOut: "if `recorder` wrote it, `recorder repair` may find a copy of the header in it")
            case .count:
                Self.claim(path, "its fragments claim more samples than the file has bytes")
            case .size: Self.claim(path, "the header of a fragment claims to have more than 32 MiB")
            case .entries:
                MediaError(
                    .corruptData, "cannot read \(path)",
                    reason: "its header claims more samples, or shows them more often, than a movie of its size can",
                    wayOut: "copy it again from an intact source")
            case .atoms:
                MediaError(
                    .corruptData, "cannot read \(path)", reason: "it consists of a hundred thousand tiny parts",
                    wayOut: "copy it again from an intact source")
            }
        }

        private static func claim(_ path: String, _ reason: String) -> MediaError {
            MediaError(
                .corruptData, "cannot read \(path)", reason: reason,
                wayOut: "if `recorder` wrote it, `recorder repair` keeps the readable part")
        }
    }

    /// Atoms in which libavformat looks for other atoms, at any level.
    static let containers: Set<FourCharCode> = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf", "udta", "tapt", "tref", "wave",
        "sinf", "schi", "gmhd",
    ]
    /// The depth at which libavformat stops.
    static let deepest = 10
    /// The number of index entries that every file may have: 400 MB in libavformat's memory.
    private static let mostEntries: UInt64 = 1 << 24

    private let fileSize: UInt64
    private var hasFragments = false
    private var lacksNumber = false
    private var claimsTooMany = false
    /// The number of samples in all runs, and in the longest one.
    private var claimed: (all: UInt64, longest: UInt64) = (0, 0)
    private var listsTooMany = false

    init(fileSize: UInt64) { self.fileSize = fileSize }

    /// The fault of the atoms that were added; nil if there is none.
    var fault: Fault? {
        if claimsTooMany { return .count }
        if listsTooMany { return .entries }
        return hasFragments && lacksNumber ? .number : nil
    }

    /// False if no atom after a movie header can make the file faulty.
    var mayBeFaulty: Bool { hasFragments || lacksNumber || fault != nil }

    /// Adds the contents of a `moof`.
    mutating func add(fragment: ArraySlice<UInt8>) {
        hasFragments = true
        addRuns(fragment)
    }

    /// The samples of the longest run may be missing, because the file may be truncated. All others are in it.
    private mutating func addRuns(_ bytes: ArraySlice<UInt8>) {
        for count in Self.runs(bytes) {
            claimed.all &+= count
            claimed.longest = max(claimed.longest, count)
        }
        if claimed.longest > fileSize || claimed.all &- claimed.longest > fileSize { claimsTooMany = true }
    }

    /// Adds the contents of a `moov`.
    mutating func add(header: ArraySlice<UInt8>) {
        let parts = Self.children(header)
        lacksNumber = parts.contains { type, track in
            type == "trak" && (Self.number(track).map { !(1...UInt32(Int32.max)).contains($0) } ?? true)
        }
        hasFragments = hasFragments || parts.contains { $0.type == "mvex" }
        let scale = parts.first { $0.type == "mvhd" }.flatMap { IndexCost.scale($0.body) }
        let entries = parts.reduce(UInt64(0)) { count, part in
            guard part.type == "trak" else { return count }
            return count &+ IndexCost(track: part.body).entries(movieScale: scale)
        }
        listsTooMany = listsTooMany || entries > max(fileSize, Self.mostEntries)
        addRuns(header)
    }

    /// Returns the sample counts of all runs (`trun`) inside an atom.
    private static func runs(_ bytes: ArraySlice<UInt8>, depth: Int = 0) -> [UInt64] {
        guard depth < deepest else { return [] }
        var counts: [UInt64] = []
        for (type, body) in children(bytes) {
            if type == "trun" {
                var reader = ByteReader(body)
                if reader.skip(4), let count = reader.u32() { counts.append(UInt64(count)) }
            } else if containers.contains(type) {
                counts += runs(body, depth: depth + 1)
            }
        }
        return counts
    }

    /// Returns the child atoms up to the first invalid length, as libavformat does.
    static func children(_ bytes: ArraySlice<UInt8>) -> [(type: FourCharCode, body: ArraySlice<UInt8>)] {
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

import MediaTypes

/// Finds numbers in a movie that make libavformat loop for minutes, or fill the memory. In a fragmented movie, these
/// are a track ID outside of 1 to 2³¹ − 1, and runs (`trun`) of more samples than the file has bytes. In any other
/// movie, they are sample counts that are too high, and edits that show the samples too often (`IndexCost`).
///
/// For a track without a valid ID, libavformat 5.1 uses an error code as an index and counts from it to zero, 1.1
/// billion steps for each `trun`. That takes a minute for a recording of a minute, and cannot be interrupted. If a
/// table states only the number of samples, libavformat creates an index with 24 bytes for each of them. It does so
/// each time it opens the file, with up to 2 GB for each track.
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
            case .size: Self.claim(path, "the header of a fragment claims to be larger than 256 MiB")
            case .entries:
                MediaError(
                    .corruptData, "cannot read \(path)",
                    reason: "its header claims more samples, or shows them more often, than a movie of its size can",
                    wayOut: "copy it again from an intact source")
            case .atoms:
                MediaError(
                    .corruptData, "cannot read \(path)", reason: "it consists of 100,000 tiny atoms",
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
    /// The number of index entries that a file of any size may have: 400 MB in libavformat's memory.
    private static let mostEntries: UInt64 = 1 << 24

    private let fileSize: UInt64
    private var hasFragments = false
    private var lacksNumber = false
    private var claimsTooMany = false
    /// The number of samples in all runs, and in the longest one.
    private var claimed: (all: UInt64, longest: UInt64) = (0, 0)
    /// The number of index entries that the headers of all tracks cause.
    private var listed: UInt64 = 0

    init(fileSize: UInt64) { self.fileSize = fileSize }

    /// The fault of the atoms that were added; nil if there is none.
    var fault: Fault? {
        if claimsTooMany { return .count }
        if listed > max(fileSize, Self.mostEntries) { return .entries }
        return hasFragments && lacksNumber ? .number : nil
    }

    /// True if fragments can make the file faulty. If false, they need not be read.
    var mayBeFaulty: Bool { hasFragments || lacksNumber }

    /// Adds the contents of a `moof`.
    mutating func add(fragment: ArraySlice<UInt8>) {
        hasFragments = true
        addRuns(fragment)
    }

    /// Adds the sample counts of a fragment's runs. The longest run alone, and all other runs together, may have at
    /// most as many samples as the file has bytes. The longest run is not added to the others, because the samples of
    /// one run may be missing from a truncated file.
    private mutating func addRuns(_ bytes: ArraySlice<UInt8>) {
        var (all, longest) = claimed
        Self.forEachRun(in: bytes) { count in
            all &+= count
            longest = max(longest, count)
        }
        claimed = (all, longest)
        if claimed.longest > fileSize || claimed.all &- claimed.longest > fileSize { claimsTooMany = true }
    }

    /// Adds the contents of a `moov`.
    mutating func add(header: ArraySlice<UInt8>) {
        let parts = Self.children(header)
        lacksNumber = parts.contains { type, track in
            type == "trak" && (Self.number(track).map { !(1...UInt32(Int32.max)).contains($0) } ?? true)
        }
        hasFragments = hasFragments || parts.contains { $0.type == "mvex" }
        let scale = Self.scale(header)
        listed &+= Self.entries(header, movieScale: scale)
        addRuns(header)
    }

    /// Adds the contents of a top-level atom that may contain tracks. libavformat accepts them at any level.
    mutating func add(other body: ArraySlice<UInt8>, in type: FourCharCode) {
        if type == "trak" { listed &+= IndexCost(track: body).entries(movieScale: nil) }
        listed &+= Self.entries(body, movieScale: nil)
        addRuns(body)
    }

    /// Returns the number of index entries for the tracks inside an atom.
    private static func entries(_ bytes: ArraySlice<UInt8>, movieScale scale: UInt32?, depth: Int = 0) -> UInt64 {
        guard depth < deepest else { return 0 }
        return children(bytes).reduce(0) { count, part in
            guard containers.contains(part.type) else { return count }
            let own = part.type == "trak" ? IndexCost(track: part.body).entries(movieScale: scale) : 0
            return count &+ own &+ entries(part.body, movieScale: scale, depth: depth + 1)
        }
    }

    /// Returns the smallest time scale of all movie headers (`mvhd`) inside an atom. Edits are longest with the
    /// smallest scale.
    private static func scale(_ bytes: ArraySlice<UInt8>, depth: Int = 0) -> UInt32? {
        guard depth < deepest else { return nil }
        return children(bytes).compactMap { part -> UInt32? in
            if part.type == "mvhd" { return IndexCost.scale(part.body) }
            return containers.contains(part.type) ? scale(part.body, depth: depth + 1) : nil
        }.min()
    }

    /// Calls `body` with the sample count of each run (`trun`) inside an atom. Creates no array of the counts, which
    /// could be larger than the file.
    private static func forEachRun(
        in bytes: ArraySlice<UInt8>, depth: Int = 0, _ body: (_ sampleCount: UInt64) -> Void
    ) {
        guard depth < deepest else { return }
        var atoms = ByteReader(bytes)
        atoms.forEachAtom { type, content in
            if type == "trun" {
                var reader = ByteReader(content)
                if reader.skip(4), let count = reader.u32() { body(UInt64(count)) }
            } else if containers.contains(type) {
                forEachRun(in: content, depth: depth + 1, body)
            }
        }
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

import MediaTypes

/// Returns the fragments of a damaged recording one after the other, with their existing samples and with consistent
/// times. Tables are made in two passes, and this type returns the same fragments in each pass.
struct FoundFragments {
    struct Part {
        /// The start of the `moof`, to which data offsets are relative.
        var offset: UInt64
        var tracks: [FragmentReader.Track]
    }

    /// The number of samples that heads list but that are missing, by track ID.
    private(set) var lost: [UInt32: Int64] = [:]
    /// The time ranges without any readable sample.
    private(set) var gaps: [MissingRange] = []
    /// The maximum number of gaps that are listed.
    private static let mostGaps = 1000

    private let storage: any MovieStorage
    private let fragments: [FoundFragment]
    private let lastInFile: UInt64
    private let fileSize: UInt64
    private var lines: [UInt32: FinalHeader.TimeLine] { expected.lines }
    private let forms: [UInt32: SampleForm]
    private let dialect: FragmentDialect?
    private var index = 0
    /// The samples before the first fragment, until they are returned.
    private var leading: [FragmentReader.Track]
    private var held: Held?
    /// The expected time of the sample after the last returned one, for each track.
    private var expected: DueTimes
    /// The sequence number of the last returned fragment. `cutTracks` has its truncated tracks.
    private var sequence: UInt32 = 0
    private var cutTracks: Set<UInt32> = []

    private struct Held {
        var fragment: FoundFragment
        var tracks: [FragmentReader.Track]
        var cutTracks: Set<UInt32>
    }

    /// - Parameters:
    ///   - fragments: the fragments in the order of their times.
    ///   - leading: the samples before the first fragment.
    init(
        _ fragments: [FoundFragment], after leading: LeadingSamples, _ header: FinalHeader,
        forms: [UInt32: SampleForm], fileSize: UInt64, dialect: FragmentDialect?, _ storage: any MovieStorage
    ) {
        (self.leading, lost) = (leading.tracks, leading.lost)
        self.dialect = dialect
        self.fragments = fragments
        self.storage = storage
        self.fileSize = fileSize
        self.forms = forms
        expected = DueTimes(header)
        lastInFile = fragments.reduce(0) { max($0, $1.offset) }
    }

    mutating func next() throws(MediaError) -> Part? {
        if !leading.isEmpty {
            let part = Part(offset: 0, tracks: leading)
            expected.record(leading)
            cutTracks = Set(lost.keys)
            leading = []
            return part
        }
        if held == nil { held = try load(after: []) }
        guard var given = held else { return nil }
        held = try load(after: given.tracks)
        for place in given.tracks.indices { setTime(of: &given.tracks[place], in: given.fragment) }
        sequence = given.fragment.sequence
        cutTracks = given.cutTracks
        return Part(offset: given.fragment.offset, tracks: given.tracks)
    }

    /// Returns the next fragment with existing samples.
    ///
    /// - Parameter parts: the parts of the previous fragment, which has not been returned yet.
    private mutating func load(after parts: [FragmentReader.Track]) throws(MediaError) -> Held? {
        while index < fragments.count {
            let fragment = fragments[index]
            index += 1
            let head = try storage.read(Int(fragment.headSize), at: fragment.headPlace)
            guard var all = FragmentReader.tracks(inMovieFragment: head, dialect?.at(fragment.offset)) else {
                continue
            }
            var due = expected
            due.record(parts)
            for place in all.indices where !all[place].hasTime { all[place].decodeTime = due[all[place].id] ?? 0 }
            let tracks = due.numbered(all).filter { lines[$0.id] != nil }
            let start = UInt64(fragment.headSize) + 8
            // An index may contain a position outside of the file.
            let reach = min(fragment.limit, fileSize)
            let media = start..<max(start, reach - min(fragment.offset, reach))
            var (kept, gone) = FragmentReader.cut(tracks, media: media)
            if fragment.offset == lastInFile {
                let (existing, missing) = try salvaged(fragment, tracks)
                // Another piece may follow where samples should be.
                (kept, gone) = FragmentReader.cut(existing, media: media)
                gone.merge(missing, uniquingKeysWith: &+)
            }
            for (id, count) in gone { lost[id, default: 0] &+= count }
            guard FragmentReader.arePlausible(kept, media: media) else { continue }
            if !kept.isEmpty { return Held(fragment: fragment, tracks: kept, cutTracks: Set(gone.keys)) }
        }
        return nil
    }

    /// Returns the existing samples of the fragment at the end of the file, and the numbers of the missing ones. That
    /// fragment may be truncated, and some of its samples may never have been written.
    private func salvaged(_ fragment: FoundFragment, _ tracks: [FragmentReader.Track]) throws(MediaError) -> (
        [FragmentReader.Track], [UInt32: Int64]
    ) {
        let torn = FragmentCursor.Fragment(
            offset: fragment.offset, headerSize: UInt64(fragment.headSize), tracks: tracks, end: fileSize)
        let rest = try FragmentSalvage(torn, isCut: false, forms: forms, storage: storage, fileSize: fileSize)
        return (rest.tracks.filter { $0.sampleCount > 0 }, rest.lost)
    }

    /// Records the gap before a part. Corrects the part's time if the next fragment shows that the time is impossible.
    private mutating func setTime(of part: inout FragmentReader.Track, in fragment: FoundFragment) {
        let id = part.id
        let length = DueTimes.length(of: part)
        guard let line = lines[id], let due = expected[id] else {
            expected[id] = part.decodeTime + length
            if fragment.sequence > 1, index <= 2, let line = lines[id] {
                record(id, from: UInt64(line.sessionStart), to: part.decodeTime, line)
            }
            return
        }
        if let after = held?.tracks.first(where: { $0.id == id })?.decodeTime, part.decodeTime > after, after >= due {
            part.decodeTime = due
        }
        if part.decodeTime > due, fragment.sequence != sequence &+ 1 || cutTracks.contains(id) {
            record(id, from: due, to: part.decodeTime, line)
        }
        expected[id] = part.decodeTime + length
    }

    private mutating func record(_ id: UInt32, from: UInt64, to: UInt64, _ line: FinalHeader.TimeLine) {
        // Shorter gaps are rounding differences.
        guard to > from, (to - from) > UInt64(line.scale) / 10, gaps.count < Self.mostGaps else { return }
        gaps.append(
            MissingRange(
                track: Int(id), start: line.time(at: Int64(clamping: from)).seconds,
                end: line.time(at: Int64(clamping: to)).seconds))
    }
}

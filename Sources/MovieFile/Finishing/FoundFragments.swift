import MediaTypes

/// Gives the fragments of a damaged recording one after the other, with those of their samples that are there and with times
/// that follow each other. The same each time, as tables are made by going through them twice.
struct FoundFragments {
    struct Part {
        /// Where the `moof` begins, from which data offsets count.
        var offset: UInt64
        var tracks: [FragmentReader.Track]
    }

    /// Samples that heads tell of and that are not there, for each track id.
    private(set) var lost: [UInt32: Int64] = [:]
    /// What nobody knows anything of any more.
    private(set) var gaps: [MissingStretch] = []
    /// More are not listed, only lost.
    private static let mostGaps = 1000

    private let storage: any MovieStorage
    private let fragments: [FoundFragment]
    private let lastInFile: UInt64
    private let fileSize: UInt64
    private var lines: [UInt32: FinalHeader.TimeLine] { expected.lines }
    private let forms: [UInt32: SampleForm]
    private let dialect: FragmentDialect?
    private var index = 0
    private var held: Held?
    /// For each track, when the sample after the last one given is expected.
    private var expected: DueTimes
    /// The number of the fragment given last, and the tracks of which not all of it was there.
    private var sequence: UInt32 = 0
    private var cutTracks: Set<UInt32> = []

    private struct Held {
        var fragment: FoundFragment
        var tracks: [FragmentReader.Track]
        var cutTracks: Set<UInt32>
    }

    /// - Parameter fragments: in the order of their times.
    init(
        _ fragments: [FoundFragment], _ header: FinalHeader, forms: [UInt32: SampleForm], fileSize: UInt64,
        dialect: FragmentDialect?, _ storage: any MovieStorage
    ) {
        self.dialect = dialect
        self.fragments = fragments
        self.storage = storage
        self.fileSize = fileSize
        self.forms = forms
        expected = DueTimes(header)
        lastInFile = fragments.reduce(0) { max($0, $1.offset) }
    }

    mutating func next() throws(MediaError) -> Part? {
        if held == nil { held = try load(after: []) }
        guard var given = held else { return nil }
        held = try load(after: given.tracks)
        for place in given.tracks.indices { setTime(of: &given.tracks[place], in: given.fragment) }
        sequence = given.fragment.sequence
        cutTracks = given.cutTracks
        return Part(offset: given.fragment.offset, tracks: given.tracks)
    }

    /// The next fragment of which anything is there.
    ///
    /// - Parameter parts: of the fragment before, which is not given out yet.
    private mutating func load(after parts: [FragmentReader.Track]) throws(MediaError) -> Held? {
        while index < fragments.count {
            let fragment = fragments[index]
            index += 1
            let head = try storage.read(Int(fragment.headSize), at: fragment.headPlace)
            guard let all = FragmentReader.tracks(inMovieFragment: head, dialect?.at(fragment.offset)) else {
                continue
            }
            var due = expected
            due.note(parts)
            let tracks = due.numbered(all).filter { lines[$0.id] != nil }
            let start = UInt64(fragment.headSize) + 8
            // An index may name a place that is not in the file.
            let reach = min(fragment.limit, fileSize)
            let media = start..<max(start, reach - min(fragment.offset, reach))
            var (kept, gone) = FragmentReader.cut(tracks, media: media)
            if fragment.offset == lastInFile { (kept, gone) = try salvaged(fragment, tracks) }
            for (id, count) in gone { lost[id, default: 0] &+= count }
            guard FragmentReader.arePlausible(kept, media: media) else { continue }
            if !kept.isEmpty { return Held(fragment: fragment, tracks: kept, cutTracks: Set(gone.keys)) }
        }
        return nil
    }

    /// The fragment at the file's end may be torn, and its samples never have been written.
    private func salvaged(_ fragment: FoundFragment, _ tracks: [FragmentReader.Track]) throws(MediaError) -> (
        [FragmentReader.Track], [UInt32: Int64]
    ) {
        let torn = FragmentCursor.Fragment(
            offset: fragment.offset, headerSize: UInt64(fragment.headSize), tracks: tracks, end: fileSize)
        let rest = try FragmentSalvage(torn, isCut: false, forms: forms, storage: storage, fileSize: fileSize)
        return (rest.tracks.filter { $0.sampleCount > 0 }, rest.lost)
    }

    /// Notes what is missing in front of a part, and corrects a time that cannot be: one that the next fragment contradicts.
    private mutating func setTime(of part: inout FragmentReader.Track, in fragment: FoundFragment) {
        let id = part.id
        let length = DueTimes.length(of: part)
        guard let line = lines[id], let due = expected[id] else {
            expected[id] = part.decodeTime + length
            if fragment.sequence > 1, index <= 2, let line = lines[id] {
                note(id, from: UInt64(line.sessionStart), to: part.decodeTime, line)
            }
            return
        }
        if let after = held?.tracks.first(where: { $0.id == id })?.decodeTime, part.decodeTime > after, after >= due {
            part.decodeTime = due
        }
        if part.decodeTime > due, fragment.sequence != sequence &+ 1 || cutTracks.contains(id) {
            note(id, from: due, to: part.decodeTime, line)
        }
        expected[id] = part.decodeTime + length
    }

    private mutating func note(_ id: UInt32, from: UInt64, to: UInt64, _ line: FinalHeader.TimeLine) {
        // What is shorter is how times are rounded.
        guard to > from, (to - from) > UInt64(line.scale) / 10, gaps.count < Self.mostGaps else { return }
        gaps.append(
            MissingStretch(
                track: Int(id), start: line.time(at: Int64(clamping: from)).seconds,
                end: line.time(at: Int64(clamping: to)).seconds))
    }
}

import MediaTypes

/// The first pass over a recording's fragments. Counts the entries of the tables, and finds the end of the recording
/// and the samples of its last fragment that can be kept. The second pass, `replay`, visits the same samples again and
/// writes them.
struct RecordingSurvey {
    fileprivate struct Counting {
        var samples: TrackIndexer<SampleTableLayout>
        /// Counts each chunk as one sample, for audio.
        var chunks: TrackIndexer<SampleTableLayout>?
    }

    private(set) var indices: [UInt32: FinalHeader.TrackIndex] = [:]
    /// The numbers of kept samples, by track ID.
    private(set) var sampleCounts: [UInt32: Int64] = [:]
    /// The numbers of lost samples, by track ID.
    private(set) var lost: [UInt32: Int64] = [:]
    private(set) var fullTracks: Set<UInt32> = []
    /// The offset of the end of the last kept fragment.
    private(set) var end: UInt64
    /// The kept samples of the last fragment.
    private var salvage: FragmentSalvage?
    /// True if the last fragment must be changed to list only its kept samples, because the rest is removed.
    private var cutsFragment = false
    /// Bytes that belong to no fragment and stay in the file.
    private(set) var unreadBytes: UInt64 = 0
    /// The time ranges that damage removed from the recording.
    private(set) var gaps: [MissingRange] = []
    /// The remaining fragments of a damaged recording.
    private var found: FoundFragments?

    /// True if the fragments were not contiguous up to the end, or if samples of another program's file are missing.
    private(set) var isDamaged = false

    private let header: FinalHeader
    private let start: UInt64
    private let index: FragmentIndex?
    private var salvagedOffset: UInt64?
    private var units: [UInt32: Bool] = [:]
    /// The end of the last sample, by track ID, for tracks in which the sample's own duration does not determine it.
    private var lastUntil: [UInt32: Int64] = [:]
    /// The time until which the edit list shows a video track, by track ID, if known.
    private var shownUntil: [UInt32: Int64] = [:]

    /// Examines an undamaged recording. Returns nil if the fragments are not contiguous up to the end of the file,
    /// because part of the file is damaged.
    ///
    /// - Parameter index: the writer's index. If it is nil or wrong, the file is walked from atom to atom.
    init?(
        _ header: FinalHeader, from start: UInt64, _ atoms: TopLevelAtoms, _ storage: any MovieStorage,
        index: FragmentIndex?
    ) throws(MediaError) {
        if let index, let survey = try Self(header, start, atoms, storage, tentative: index) {
            self = survey
        } else if let survey = try Self(header, start, atoms, storage, tentative: nil) {
            self = survey
        } else {
            return nil
        }
    }

    /// Examines a damaged recording. Its end is not changed.
    ///
    /// - Parameters:
    ///   - leading: the samples before the first fragment.
    ///   - dialect: for fragments of another program; nil for those of this library.
    init(
        _ header: FinalHeader, _ damaged: DamagedRecording, after leading: LeadingSamples = LeadingSamples(),
        dialect: FragmentDialect? = nil, _ storage: any MovieStorage
    ) throws(MediaError) {
        self.header = header
        start = 0
        index = nil
        end = damaged.fileSize
        unreadBytes = damaged.unreadBytes - min(damaged.unreadBytes, leading.byteCount(in: damaged.leadingGap))
        var order = FragmentOrder(header)
        let found = FoundFragments(
            order.ordered(damaged.fragments), after: leading, header, forms: Self.forms(header),
            fileSize: damaged.fileSize, dialect: dialect, storage)
        self.found = found
        var counting = Self.counting(header)
        var fragments = found
        while let part = try fragments.next() {
            for track in part.tracks { try counting[track.id]?.add(track, fragment: part.offset) }
        }
        lost = fragments.lost
        gaps = fragments.gaps
        if let dialect { try countRemoved(order, dialect, storage) }
        // The fragments of other programs are always searched for, even if nothing is wrong with them.
        isDamaged = dialect == nil || damaged.isBroken || unreadBytes > 0 || !lost.isEmpty || !gaps.isEmpty
        try conclude(&counting)
    }

    /// Counts the samples of removed fragments as lost, unless the kept fragment has the same head. Damage can change
    /// the head of a repetition, but only a recording of this library is known to have no two fragments with one time.
    private mutating func countRemoved(
        _ order: FragmentOrder, _ dialect: FragmentDialect, _ storage: any MovieStorage
    ) throws(MediaError) {
        for (removed, kept) in order.repeated {
            let head = try storage.read(Int(removed.headSize), at: removed.headPlace)
            guard try storage.read(Int(kept.headSize), at: kept.headPlace) != head else { continue }
            for part in FragmentReader.tracks(inMovieFragment: head, dialect.at(removed.offset)) ?? [] {
                lost[part.id, default: 0] &+= Int64(clamping: part.sampleCount)
            }
        }
    }

    /// Examines a recording with a given index. Returns nil if the index is wrong, or if there may be fragments after
    /// the last contiguous one.
    private init?(
        _ header: FinalHeader, _ start: UInt64, _ atoms: TopLevelAtoms, _ storage: any MovieStorage,
        tentative index: FragmentIndex?
    ) throws(MediaError) {
        self.header = header
        self.start = start
        self.index = index
        end = start
        var counting = Self.counting(header)
        var cursor = try FragmentCursor(atoms, from: start, index: index)
        var due = DueTimes(header)
        var held: FragmentCursor.Fragment?
        var tail = try TornTail(storage, tracks: Set(header.tracks.map(\.id)))
        walk: while true {
            switch try cursor.next() {
            case .indexIsBroken, .damaged: return nil
            case .fragment(let next):
                guard due.agree(with: next.tracks) else { return nil }
                due.record(next.tracks)
                if let held { try take(held, &counting) }
                held = next
            case .torn(let fragment):
                guard due.agree(with: fragment.tracks) else { return nil }
                guard try !tail.holdsPiece(from: fragment.mediaStart) else { return nil }
                if let held { try take(held, &counting) }
                try take(last: fragment, isCut: true, &counting, storage, &tail)
                break walk
            case .end:
                guard try !tail.mayHoldMore(behind: cursor.position, from: held?.mediaStart ?? start) else {
                    return nil
                }
                // A wrong length that reaches the end of the file hides pieces after the samples.
                if let held, held.samplesEnd < held.end, try tail.holdsPiece(from: held.samplesEnd) { return nil }
                guard let fragment = held else {
                    try keepTail(&tail)
                    break walk
                }
                if fragment.isKnownWhole {
                    try take(fragment, &counting)
                    try keepTail(&tail)
                } else {
                    try take(last: fragment, isCut: false, &counting, storage, &tail)
                }
                break walk
            }
        }
        try conclude(&counting)
    }

    private static func counting(_ header: FinalHeader) -> [UInt32: Counting] {
        Dictionary(
            header.tracks.map { ($0.id, Counting($0.trak, without: header.facts.cuts)) },
            uniquingKeysWith: { _, last in last })
    }

    static func forms(_ header: FinalHeader) -> [UInt32: SampleForm] {
        Dictionary(header.tracks.map { ($0.id, SampleForm(track: $0.trak)) }, uniquingKeysWith: { _, last in last })
    }

    /// Keeps the bytes after the last fragment in the file, unless they are known to be unusable.
    private mutating func keepTail(_ tail: inout TornTail) throws(MediaError) {
        guard try !tail.isNothing(from: end) else { return }
        unreadBytes = tail.fileSize - end
        end = tail.fileSize
    }

    private mutating func take(_ fragment: FragmentCursor.Fragment, _ counting: inout [UInt32: Counting])
        throws(MediaError)
    {
        for part in fragment.tracks { try counting[part.id]?.add(part, fragment: fragment.offset) }
        end = fragment.end
    }

    /// Adds the existing samples of the recording's last fragment.
    private mutating func take(
        last fragment: FragmentCursor.Fragment, isCut: Bool, _ counting: inout [UInt32: Counting],
        _ storage: any MovieStorage, _ tail: inout TornTail
    ) throws(MediaError) {
        let rest = try FragmentSalvage(
            fragment, isCut: isCut, forms: Self.forms(header), storage: storage, fileSize: tail.fileSize)
        lost = rest.lost
        for part in rest.tracks { try counting[part.id]?.add(part, fragment: fragment.offset) }
        // The bytes after the kept samples are removed only if they are zeros, or the rest of this fragment up to the
        // end of the file.
        let isTail = isCut && fragment.reachesEnd(of: tail.fileSize)
        if let restEnd = rest.end {
            if isCut || !rest.lost.isEmpty { salvagedOffset = fragment.offset }
            salvage = rest
            // If a fragment contradicts itself, the ends of its samples are unknown.
            let endsHere = isTail ? true : try tail.isNothing(from: isCut ? restEnd : max(restEnd, rest.tornEnd))
            guard endsHere else {
                cutsFragment = false
                unreadBytes = tail.fileSize - (isCut ? restEnd : max(restEnd, min(fragment.end, tail.fileSize)))
                end = tail.fileSize
                return
            }
            end = restEnd
            cutsFragment = isCut || !rest.lost.isEmpty
        } else if !isTail {
            try keepTail(&tail)
        }
    }

    private mutating func conclude(_ counting: inout [UInt32: Counting]) throws(MediaError) {
        var movieEnd: MediaTime?
        for (id, trak) in header.tracks where !FinalHeader.lastsUntilTheEnd(trak) {
            guard let times = counting[id]?.samples.times, !times.isEmpty else { continue }
            let end = header.facts.trackEnds[id] ?? header.line(of: trak).time(at: times.presentationEnd)
            movieEnd = max(movieEnd ?? end, end)
            if let told = header.facts.trackEnds[id], FinalHeader.handlerType(trak) == "vide" {
                let shown = min(told, header.facts.sessionEnd ?? told)
                shownUntil[id] = header.line(of: trak).position(of: shown)
            }
        }
        for (id, trak) in header.tracks where FinalHeader.lastsUntilTheEnd(trak) {
            guard let end = header.facts.sessionEnd ?? movieEnd else { continue }
            lastUntil[id] = header.line(of: trak).position(of: end, rounding: .down)
        }
        for id in counting.keys {
            guard var count = counting[id] else { continue }
            try count.samples.finish(lastUntil: lastUntil[id], shownUntil: shownUntil[id])
            try count.chunks?.finish()
            counting[id] = nil
            let isChunked = count.samples.isPCM && (count.samples.isIrregular || count.samples.isFull)
            let chosen = isChunked ? count.chunks ?? count.samples : count.samples
            units[id] = isChunked
            indices[id] = FinalHeader.TrackIndex(
                tables: chosen.runs.sink, mediaDuration: chosen.runs.duration, times: chosen.times)
            sampleCounts[id] = chosen.sampleCount
            if chosen.isFull { fullTracks.insert(id) }
        }
    }

    /// Visits the kept samples again and writes every track's tables.
    ///
    /// - Parameter sinks: the destination of the entries, by track ID.
    func replay(_ atoms: TopLevelAtoms, into sinks: [UInt32: SampleTableWriter]) throws(MediaError) {
        var tracks: [UInt32: TrackIndexer<SampleTableWriter>] = [:]
        for (id, trak) in header.tracks {
            guard let sink = sinks[id] else { continue }
            tracks[id] = TrackIndexer(
                sink, trak, unit: units[id] == true ? .chunk : .sample, without: header.facts.cuts)
        }
        if let found { return try replay(found, &tracks) }
        var cursor = try FragmentCursor(atoms, from: start, index: index)
        walk: while cursor.position < end {
            let (fragment, isTorn): (FragmentCursor.Fragment, Bool)
            switch try cursor.next() {
            case .fragment(let whole): (fragment, isTorn) = (whole, false)
            case .torn(let rest): (fragment, isTorn) = (rest, true)
            case .end, .indexIsBroken, .damaged: break walk
            }
            let isLast = isTorn || fragment.offset == salvagedOffset
            let parts = isLast ? salvage?.tracks ?? [] : fragment.tracks
            for part in parts { try tracks[part.id]?.add(part, fragment: fragment.offset) }
            if isLast { break }
        }
        try finish(&tracks)
    }

    private func replay(_ found: FoundFragments, _ tracks: inout [UInt32: TrackIndexer<SampleTableWriter>])
        throws(MediaError)
    {
        var found = found
        while let part = try found.next() {
            for track in part.tracks { try tracks[track.id]?.add(track, fragment: part.offset) }
        }
        try finish(&tracks)
    }

    private func finish(_ tracks: inout [UInt32: TrackIndexer<SampleTableWriter>]) throws(MediaError) {
        for id in tracks.keys {
            guard var track = tracks.removeValue(forKey: id) else { continue }
            try track.finish(lastUntil: lastUntil[id], shownUntil: shownUntil[id])
            var sink = track.runs.sink
            try sink.flush()
        }
    }

    /// Removes the bytes after the kept samples, then changes the last fragment to list only these. Truncation comes
    /// first: if a crash then leaves counts that are too large, the existing bytes limit them.
    func cut(_ storage: any MovieStorage, fileSize: UInt64) throws(MediaError) {
        if fileSize > end {
            // Old bytes must not be readable where the header is not yet written.
            try storage.truncate(to: end)
            try storage.synchronize()
        }
        if cutsFragment, let salvage { try salvage.apply(to: storage) }
    }
}

extension RecordingSurvey.Counting {
    fileprivate init(_ trak: Atom, without cuts: [TimeRange]) {
        samples = TrackIndexer(SampleTableLayout(), trak, unit: .sample, without: cuts)
        if FinalHeader.handlerType(trak) == "soun" {
            chunks = TrackIndexer(SampleTableLayout(), trak, unit: .chunk, without: cuts)
        }
    }

    fileprivate mutating func add(_ part: FragmentReader.Track, fragment: UInt64) throws(MediaError) {
        try samples.add(part, fragment: fragment)
        if samples.isPCM { try chunks?.add(part, fragment: fragment) }
    }
}

extension TrackIndexer {
    /// - Parameter cuts: time ranges that are not shown, from the session's start.
    fileprivate init(_ sink: Sink, _ trak: Atom, unit: Unit, without cuts: [TimeRange]) {
        let (line, type) = (FinalHeader.TimeLine(trak), FinalHeader.handlerType(trak))
        // A title continues across a cut.
        let ofTrack = type == "vide" || type == "soun" ? cuts : []
        let positions = ofTrack.filter { !$0.isEmpty }.map { cut in
            let start = line.position(of: cut.start)
            return start...max(start, line.position(of: cut.end))
        }
        self.init(sink, unit: unit, isAudio: type == "soun", timeScale: line.scale, cuts: positions)
    }
}

import MediaTypes

/// The first look at a recording's fragments: counts what the tables will hold, finds where the recording ends, and what
/// can be kept of its last fragment. The second look, `replay`, gives the same samples again, to be written.
struct RecordingSurvey {
    fileprivate struct Counting {
        var samples: TrackIndexer<SampleTableLayout>
        /// The same with each chunk as one sample, for sound.
        var chunks: TrackIndexer<SampleTableLayout>?
    }

    private(set) var indices: [UInt32: FinalHeader.TrackIndex] = [:]
    /// Samples kept and lost, for each track id.
    private(set) var sampleCounts: [UInt32: Int64] = [:]
    private(set) var lost: [UInt32: Int64] = [:]
    private(set) var fullTracks: Set<UInt32> = []
    /// Where the last fragment kept ends.
    private(set) var end: UInt64
    /// What is kept of the last fragment, where not all of it is.
    private(set) var salvage: FragmentSalvage?

    private let header: FinalHeader
    private let start: UInt64
    private let index: FragmentIndex?
    private var salvagedOffset: UInt64?
    private var units: [UInt32: Bool] = [:]
    /// Until when a track's last sample lasts, where that is not its own affair.
    private var lastUntil: [UInt32: Int64] = [:]

    /// - Parameter index: what the writer kept; without it, or where it is wrong, the file is walked through.
    init(
        _ header: FinalHeader, from start: UInt64, _ atoms: TopLevelAtoms, _ storage: any MovieStorage,
        index: FragmentIndex?
    ) throws(MediaError) {
        if let index, let survey = try Self(header, start, atoms, storage, tentative: index) {
            self = survey
        } else if let survey = try Self(header, start, atoms, storage, tentative: nil) {
            self = survey
        } else {
            throw MediaError(.corruptData, "cannot finish the movie", reason: "its fragments contradict each other")
        }
    }

    /// nil when the index is wrong.
    private init?(
        _ header: FinalHeader, _ start: UInt64, _ atoms: TopLevelAtoms, _ storage: any MovieStorage,
        tentative index: FragmentIndex?
    ) throws(MediaError) {
        self.header = header
        self.start = start
        self.index = index
        end = start
        var counting: [UInt32: Counting] = [:]
        var forms: [UInt32: SampleForm] = [:]
        for (id, trak) in header.tracks {
            counting[id] = Counting(trak)
            forms[id] = SampleForm(track: trak)
        }
        var cursor = try FragmentCursor(atoms, from: start, index: index)
        var held: FragmentCursor.Fragment?
        walk: while true {
            switch try cursor.next() {
            case .indexIsBroken: return nil
            case .fragment(let next):
                if let held { try take(held, &counting) }
                held = next
            case .torn(let fragment):
                if let held { try take(held, &counting) }
                try take(last: fragment, isCut: true, &counting, forms, storage, atoms.fileSize)
                break walk
            case .end:
                guard let fragment = held else { break walk }
                if fragment.isKnownWhole {
                    try take(fragment, &counting)
                } else {
                    try take(last: fragment, isCut: false, &counting, forms, storage, atoms.fileSize)
                }
                break walk
            }
        }
        try conclude(&counting)
    }

    private mutating func take(_ fragment: FragmentCursor.Fragment, _ counting: inout [UInt32: Counting])
        throws(MediaError)
    {
        for part in fragment.tracks { try counting[part.id]?.add(part, fragment: fragment.offset) }
        end = fragment.end
    }

    /// Takes what is there of the recording's last fragment.
    private mutating func take(
        last fragment: FragmentCursor.Fragment, isCut: Bool, _ counting: inout [UInt32: Counting],
        _ forms: [UInt32: SampleForm], _ storage: any MovieStorage, _ fileSize: UInt64
    ) throws(MediaError) {
        let rest = try FragmentSalvage(fragment, isCut: isCut, forms: forms, storage: storage, fileSize: fileSize)
        lost = rest.lost
        guard let restEnd = rest.end else { return }
        for part in rest.tracks { try counting[part.id]?.add(part, fragment: fragment.offset) }
        end = restEnd
        if isCut || !rest.lost.isEmpty {
            salvage = rest
            salvagedOffset = fragment.offset
        }
    }

    private mutating func conclude(_ counting: inout [UInt32: Counting]) throws(MediaError) {
        var movieEnd: MediaTime?
        for (id, trak) in header.tracks where !FinalHeader.lastsUntilTheEnd(trak) {
            guard let times = counting[id]?.samples.times, !times.isEmpty else { continue }
            let end = header.facts.trackEnds[id] ?? FinalHeader.TimeLine(trak).time(at: times.presentationEnd)
            movieEnd = max(movieEnd ?? end, end)
        }
        for (id, trak) in header.tracks where FinalHeader.lastsUntilTheEnd(trak) {
            guard let end = header.facts.sessionEnd ?? movieEnd else { continue }
            lastUntil[id] = FinalHeader.TimeLine(trak).position(of: end, rounding: .down)
        }
        for id in counting.keys {
            guard var count = counting[id] else { continue }
            try count.samples.finish(lastUntil: lastUntil[id])
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

    /// Goes through the kept samples once more and writes every track's tables.
    ///
    /// - Parameter sinks: for each track id, where its entries go.
    func replay(_ atoms: TopLevelAtoms, into sinks: [UInt32: SampleTableWriter]) throws(MediaError) {
        var tracks: [UInt32: TrackIndexer<SampleTableWriter>] = [:]
        for (id, trak) in header.tracks {
            guard let sink = sinks[id] else { continue }
            tracks[id] = TrackIndexer(sink, trak, unit: units[id] == true ? .chunk : .sample)
        }
        var cursor = try FragmentCursor(atoms, from: start, index: index)
        walk: while cursor.position < end {
            let (fragment, isTorn): (FragmentCursor.Fragment, Bool)
            switch try cursor.next() {
            case .fragment(let whole): (fragment, isTorn) = (whole, false)
            case .torn(let rest): (fragment, isTorn) = (rest, true)
            case .end, .indexIsBroken: break walk
            }
            let isLast = isTorn || fragment.offset == salvagedOffset
            let parts = isLast ? salvage?.tracks ?? [] : fragment.tracks
            for part in parts { try tracks[part.id]?.add(part, fragment: fragment.offset) }
            if isLast { break }
        }
        for id in tracks.keys {
            guard var track = tracks.removeValue(forKey: id) else { continue }
            try track.finish(lastUntil: lastUntil[id])
            var sink = track.runs.sink
            try sink.flush()
        }
    }
}

extension RecordingSurvey.Counting {
    fileprivate init(_ trak: Atom) {
        samples = TrackIndexer(SampleTableLayout(), trak, unit: .sample)
        if FinalHeader.handlerType(trak) == "soun" {
            chunks = TrackIndexer(SampleTableLayout(), trak, unit: .chunk)
        }
    }

    fileprivate mutating func add(_ part: FragmentReader.Track, fragment: UInt64) throws(MediaError) {
        try samples.add(part, fragment: fragment)
        if samples.isPCM { try chunks?.add(part, fragment: fragment) }
    }
}

extension TrackIndexer {
    fileprivate init(_ sink: Sink, _ trak: Atom, unit: Unit) {
        self.init(
            sink, unit: unit, isSound: FinalHeader.handlerType(trak) == "soun",
            timeScale: FinalHeader.TimeLine(trak).scale)
    }
}

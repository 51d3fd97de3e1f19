import MediaTypes

/// Turns the leading header of a recording and the index of its fragments into the header of an ordinary movie.
struct FinalHeader {
    /// What the fragments say about one track.
    struct TrackIndex {
        var table = SampleTable()
        /// Decode time of the first and of the latest sample, in ticks from the track's zero.
        var firstDecodeTime: UInt64 = 0
        var lastDecodeTime: UInt64 = 0
        /// When the sample that is shown first is shown.
        var firstPresentation = Int64.max
        /// The same for the two that are shown last, and how long decoding has for the last.
        private var lastPresentation = Int64.min
        private var presentationBefore = Int64.min
        private var lastDuration: Int64 = 0
        private var isReordered = false

        /// Takes note of `count` samples shown one after the other.
        mutating func note(shown: Int64, count: UInt32, duration: UInt32, isReordered: Bool) {
            firstPresentation = min(firstPresentation, shown)
            self.isReordered = self.isReordered || isReordered
            let last = shown + Int64(duration) * Int64(max(count, 1) - 1)
            if last > lastPresentation {
                presentationBefore = count > 1 ? last - Int64(duration) : lastPresentation
                lastPresentation = last
                lastDuration = Int64(duration)
            } else {
                presentationBefore = max(presentationBefore, last)
            }
        }

        /// Where the last sample shown ends. Where pictures are decoded in another order than shown, durations tell the
        /// distance to the next one decoded; then the last is taken to be shown as long as the one before it.
        var presentationEnd: Int64 {
            guard isReordered, presentationBefore > .min else { return lastPresentation + lastDuration }
            return lastPresentation + (lastPresentation - presentationBefore)
        }
    }

    let leading: Atom
    let facts: FinishingFacts

    /// The tracks' ids, in the order of the leading header.
    var trackIDs: [UInt32] { leading.all("trak").compactMap { Self.trackID($0) } }

    /// The final `moov` atom's bytes. Tracks without a sample in the session are left out, unless none has one.
    func build(_ indices: [UInt32: TrackIndex]) -> [UInt8] {
        var moov = leading
        let movieScale = Self.timeScale(moov["mvhd"]) ?? 1000
        var tracks: [Atom] = []
        var movieDuration: UInt64 = 0
        for trak in leading.all("trak") {
            guard let id = Self.trackID(trak), let index = indices[id], index.table.sampleCount > 0 else { continue }
            guard let (track, duration) = finish(trak, id: id, index: index, movieScale: movieScale) else { continue }
            tracks.append(track)
            movieDuration = max(movieDuration, duration)
        }
        let ids = Set(tracks.compactMap { Self.trackID($0) })
        for index in tracks.indices { TrackReferences.keepThose(to: ids, in: &tracks[index]) }
        var rebuilt: [Atom] = []
        for child in moov.children {
            switch child.type {
            case "trak": if tracks.isEmpty { rebuilt.append(child) }
            case "mvex": break
            case "mvhd": rebuilt.append(Self.withDuration(child, movieDuration, at: 24))
            default: rebuilt.append(child)
            }
        }
        let position = rebuilt.firstIndex { $0.type == "mvhd" }.map { $0 + 1 } ?? 0
        rebuilt.insert(contentsOf: tracks, at: position)
        moov.children = rebuilt
        MovieMetadata.merge(facts.metadata, into: &moov)
        var writer = AtomWriter()
        moov.write(into: &writer)
        return writer.bytes
    }

    /// One track with its times and tables; its duration in the movie's time scale. nil when the session shows none of it.
    private func finish(_ trak: Atom, id: UInt32, index: TrackIndex, movieScale: Int32) -> (Atom, UInt64)? {
        var trak = trak
        let scale = Self.timeScale(trak.find("mdia", "mdhd")) ?? 1000
        guard let edits = edits(trak, id: id, index: index, scale: scale, movieScale: movieScale) else { return nil }
        let duration = edits.entries.reduce(0) { $0 + $1.duration }
        trak["edts"] = Atom("edts", children: [Atom("elst", bytes: Array(edits.atom().dropFirst(8)))])
        trak["tkhd"] = trak["tkhd"].map { Self.withDuration($0, duration, at: 28) }
        guard var mdia = trak["mdia"], var minf = mdia["minf"], let stsd = minf.find("stbl", "stsd") else {
            return (trak, duration)
        }
        mdia["mdhd"] = mdia["mdhd"].map { Self.withDuration($0, index.table.duration, at: 24) }
        var tables = AtomWriter()
        tables.atom("stbl") { stbl in
            stsd.write(into: &stbl)
            index.table.write(into: &stbl)
        }
        minf["stbl"] = Atom(parsing: tables.bytes)
        mdia["minf"] = minf
        trak["mdia"] = mdia
        return (trak, duration)
    }

    /// The session's stretch of the track, after an empty edit where the track begins later than the session; nil when
    /// the session ends before.
    private func edits(_ trak: Atom, id: UInt32, index: TrackIndex, scale: Int32, movieScale: Int32) -> EditList? {
        let leadingEdits = trak.find("edts", "elst").flatMap { EditList(payload: $0.payload) }
        // Where the session starts on the track's time line; the leading header keeps it.
        let sessionStart = min(max(0, leadingEdits?.entries.last?.mediaTime ?? 0), 1 << 60)
        func onTimeLine(_ time: MediaTime) -> Int64 { sessionStart + min(max(0, time.ticks(in: scale)), 1 << 60) }
        let firstDecode = Int64(clamping: index.firstDecodeTime)
        let start = max(sessionStart, index.firstPresentation, firstDecode)
        var end = facts.trackEnds[id].map(onTimeLine) ?? index.presentationEnd
        if let sessionEnd = facts.sessionEnd { end = min(end, onTimeLine(sessionEnd)) }
        guard end > start || facts.sessionEnd == nil else { return nil }
        func movieTicks(_ ticks: Int64) -> UInt64 {
            UInt64(clamping: MediaTime(value: max(0, ticks), timescale: scale).ticks(in: movieScale))
        }
        let gap = movieTicks(start - sessionStart)
        var entries: [EditList.Entry] = gap > 0 ? [.init(duration: gap, mediaTime: -1)] : []
        entries.append(.init(duration: movieTicks(end - start), mediaTime: start - firstDecode))
        return EditList(entries)
    }

    static func trackID(_ trak: Atom) -> UInt32? {
        guard let tkhd = trak["tkhd"] else { return nil }
        var reader = ByteReader(tkhd.payload)
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11) else { return nil }
        return reader.u32()
    }

    /// From `mvhd` or `mdhd`.
    static func timeScale(_ header: Atom?) -> Int32? {
        guard let header else { return nil }
        var reader = ByteReader(header.payload)
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11), let scale = reader.s32(), scale > 0 else {
            return nil
        }
        return scale
    }

    /// A version 1 header with its 64-bit duration at `offset` of the payload replaced.
    private static func withDuration(_ atom: Atom, _ duration: UInt64, at offset: Int) -> Atom {
        var bytes = atom.payload
        guard bytes.first == 1, bytes.count >= offset + 8 else { return atom }
        for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: duration >> (56 - 8 * UInt64(index))) }
        return Atom(atom.type, bytes: bytes)
    }
}

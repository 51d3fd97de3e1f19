import MediaTypes

/// Turns the leading header of a recording, and the contents of its fragments, into the header of an ordinary movie.
///
/// The header has gaps for its large tables, which are written later (`HeaderAssembly`). Everything else is copied from
/// the leading header, which is treated as a tree of atoms. Unknown atoms pass through.
struct FinalHeader {
    /// The contents of the fragments for one track.
    struct TrackIndex {
        var tables = SampleTableLayout()
        /// Ticks from the first sample's decode time to the end of the last one.
        var mediaDuration: UInt64 = 0
        var times = TrackTimes()
    }

    let leading: Atom
    let facts: FinishingInfo

    /// The tracks, in the order of the leading header.
    var tracks: [(id: UInt32, trak: Atom)] {
        leading.all("trak").compactMap { trak in Self.trackID(trak).map { ($0, trak) } }
    }

    /// Returns the final `moov`, and the duration of the movie. Tracks without a sample in the session are left out. If
    /// no track has a sample in the session, all tracks are kept.
    func assemble(_ indices: [UInt32: TrackIndex], hasLongOffsets: Bool) -> (HeaderAssembly, MediaTime) {
        let movieScale = Self.timeScale(leading["mvhd"]) ?? 1000
        var kept: [(trak: Atom, id: UInt32, index: TrackIndex)] = []
        var movieDuration: UInt64 = 0
        for (id, trak) in tracks {
            guard let index = indices[id], !index.times.isEmpty,
                let (track, duration) = finish(trak, id: id, index: index, movieScale: movieScale)
            else { continue }
            kept.append((track, id, index))
            movieDuration = max(movieDuration, duration)
        }
        let ids = Set(kept.map(\.id))
        for index in kept.indices { TrackReferences.removeReferences(exceptTo: ids, in: &kept[index].trak) }
        var described = leading
        MovieMetadata.merge(facts.metadata, into: &described)
        var assembly = HeaderAssembly()
        assembly.atom("moov") { moov in
            if let mvhd = leading["mvhd"] { moov.add(Self.withDuration(mvhd, movieDuration, at: 24)) }
            for track in kept {
                Self.write(track.trak, id: track.id, tables: track.index.tables, hasLongOffsets, into: &moov)
            }
            for child in described.children {
                switch child.type {
                case "trak": if kept.isEmpty { moov.add(child) }
                // `free` reserves space for tracks that were not yet known.
                case "mvhd", "mvex", "free": break
                default: moov.add(child)
                }
            }
        }
        return (assembly, MediaTime(value: Int64(clamping: movieDuration), timescale: movieScale))
    }

    /// Returns a track with its times, and its duration in the movie's time scale; nil if the session shows no part of
    /// it.
    private func finish(_ trak: Atom, id: UInt32, index: TrackIndex, movieScale: Int32) -> (Atom, UInt64)? {
        var trak = trak
        guard let edits = edits(trak, id: id, times: index.times, movieScale: movieScale) else { return nil }
        let duration = edits.entries.reduce(0) { $0 &+ $1.duration }
        trak["edts"] = Atom("edts", children: [Atom("elst", bytes: Array(edits.atom().dropFirst(8)))])
        trak["tkhd"] = trak["tkhd"].map { Self.withDuration($0, duration, at: 28) }
        if var mdia = trak["mdia"] {
            mdia["mdhd"] = mdia["mdhd"].map { Self.withDuration($0, index.mediaDuration, at: 24) }
            trak["mdia"] = mdia
        }
        return (trak, duration)
    }

    /// Writes a `trak` with its tables instead of the empty ones of the leading header.
    private static func write(
        _ trak: Atom, id: UInt32, tables: SampleTableLayout, _ hasLongOffsets: Bool, into moov: inout HeaderAssembly
    ) {
        func copy(_ atom: Atom, path: ArraySlice<FourCharCode>, into parent: inout HeaderAssembly) {
            guard atom.type == path.first else { return parent.add(atom) }
            parent.atom(atom.type) { body in
                guard atom.type == "stbl" else {
                    for child in atom.children { copy(child, path: path.dropFirst(), into: &body) }
                    return
                }
                if let description = atom["stsd"] { body.add(description) }
                for table in tables.tables(hasLongOffsets: hasLongOffsets) { body.add(table, track: id) }
            }
        }
        copy(trak, path: ["trak", "mdia", "minf", "stbl"], into: &moov)
    }

    /// Returns the edits that show the session's part of the track. If the track begins later than the session, an
    /// empty edit comes first. Returns nil if the session ends before the track begins.
    private func edits(_ trak: Atom, id: UInt32, times: TrackTimes, movieScale: Int32) -> EditList? {
        let line = line(of: trak)
        let sections = times.sections
        if let shown = LeadingEdits.several(trak) {
            return LeadingEdits.following(shown, sections: sections, scale: line.scale, movieScale: movieScale)
        }
        if let edits = facts.trackEdits[id] {
            return EditList(edits, on: line, sections: sections, movieScale: movieScale)
        }
        let first = sections[0]
        let start = max(line.sessionStart, first.firstPresentation, first.decodeStart)
        let told = Self.lastsUntilTheEnd(trak) ? nil : facts.trackEnds[id]
        var end = told.map { line.position(of: $0) } ?? times.presentationEnd
        if let sessionEnd = facts.sessionEnd {
            end = min(end, line.position(of: sessionEnd))
            guard end > start else { return nil }
        }
        let edits = TrackEdits(
            sections: sections, sessionStart: line.sessionStart, end: max(end, start + 1),
            isAudio: Self.handlerType(trak) == "soun", scale: line.scale, movieScale: movieScale,
            windows: PresentedWindow.all(between: facts.cuts, on: line, movieScale: movieScale)
        ).list()
        return edits?.delayed(by: LeadingEdits.delay(trak))
    }

    /// Returns the timeline of a track.
    func line(of trak: Atom) -> TimeLine {
        var line = TimeLine(trak)
        let delay = Int64(clamping: LeadingEdits.delay(trak))
        if delay > 0 { line.delay = MediaTime(value: delay, timescale: Self.timeScale(leading["mvhd"]) ?? 1000) }
        return line
    }

    static func trackID(_ trak: Atom) -> UInt32? {
        guard let tkhd = trak["tkhd"] else { return nil }
        var reader = ByteReader(tkhd.payload)
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11) else { return nil }
        return reader.u32()
    }

    /// Returns the time scale of `mvhd` or `mdhd`.
    static func timeScale(_ header: Atom?) -> Int32? { header?.timeScale }

    /// Returns the media type of a track: `vide`, `soun`, `text`, `tmcd`, …
    static func handlerType(_ trak: Atom) -> FourCharCode? {
        guard let handler = trak.find("mdia", "hdlr") else { return nil }
        var reader = ByteReader(handler.payload)
        guard reader.skip(8) else { return nil }
        return reader.code()
    }

    /// Returns true if a track's last sample lasts until the end of the session, whatever its own duration. This
    /// applies to timecodes and titles. Subtitles that were passed through have their own ends.
    static func lastsUntilTheEnd(_ trak: Atom) -> Bool {
        guard let handler = trak.find("mdia", "hdlr"), let type = handlerType(trak) else { return false }
        if type == "tmcd" { return true }
        guard type == "text" || type == "sbtl" else { return false }
        // Skips the other fields; a length may precede the name.
        let name = String(decoding: handler.payload.dropFirst(24), as: UTF8.self)
        return !name.contains(MediaHeader.subtitleHandlerName)
    }

    /// Returns a header of version 1 with a new duration; `offset` is the position of the 64-bit duration in the
    /// payload.
    private static func withDuration(_ atom: Atom, _ duration: UInt64, at offset: Int) -> Atom {
        var bytes = atom.payload
        guard bytes.first == 1, bytes.count >= offset + 8 else { return atom }
        for index in 0..<8 { bytes[offset + index] = UInt8(truncatingIfNeeded: duration >> (56 - 8 * UInt64(index))) }
        return Atom(atom.type, bytes: bytes)
    }
}

extension FinalHeader {
    /// Converts between the session's time and the timeline of a track.
    struct TimeLine {
        let scale: Int32
        /// The start of the session on the track's timeline, from the leading header's edit list.
        let sessionStart: Int64
        /// The time at which the movie shows that start. Only other programs' leading headers have such a delay.
        fileprivate(set) var delay = MediaTime.zero

        init(_ trak: Atom) {
            scale = FinalHeader.timeScale(trak.find("mdia", "mdhd")) ?? 1000
            let edits = trak.find("edts", "elst").flatMap { EditList(payload: $0.payload) }
            sessionStart = min(max(0, edits?.entries.last?.mediaTime ?? 0), 1 << 60)
        }

        /// Converts a time since the start of the session to ticks of the track's timeline.
        ///
        /// - Parameter rounding: down for the end of a track that must not be longer than a track with finer ticks.
        func position(of time: MediaTime, rounding: MediaTime.Rounding = .nearest) -> Int64 {
            sessionStart + min(max(0, (time - delay).ticks(in: scale, rounding: rounding)), 1 << 60)
        }

        /// Converts a position on the track's timeline to a time since the start of the session.
        func time(at position: Int64) -> MediaTime {
            delay + MediaTime(value: max(0, position - sessionStart), timescale: scale)
        }
    }
}

extension EditList {
    /// Creates an edit list from given edits, converted to the timeline of the tables.
    fileprivate init?(
        _ edits: [TrackEdit], on line: FinalHeader.TimeLine, sections: [TrackTimes.Section], movieScale: Int32
    ) {
        self.init([])
        // Calculated from exact times, so that rounding errors do not accumulate.
        var shown: Int64 = 0
        for edit in edits {
            let end = edit.target.end.ticks(in: movieScale)
            let isLate = entries.isEmpty && edit.target.start > .zero
            if isLate {
                shown = edit.target.start.ticks(in: movieScale)
                entries.append(Entry(duration: UInt64(clamping: shown), mediaTime: -1))
            }
            guard end > shown else { continue }
            var mediaTime: Int64 = -1
            if let start = edit.mediaStart {
                let position = line.sessionStart + start.ticks(in: line.scale)
                let section = sections.last { $0.decodeStart <= position } ?? sections[0]
                mediaTime = max(0, position - section.shift)
            }
            entries.append(Entry(duration: UInt64(clamping: end - shown), mediaTime: mediaTime))
            shown = end
        }
        guard entries.contains(where: { $0.mediaTime >= 0 }) else { return nil }
    }
}

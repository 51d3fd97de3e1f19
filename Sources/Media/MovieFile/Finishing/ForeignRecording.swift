import MediaTypes

/// A fragmented file that is not repaired in place. It is from another program, or a partial copy of one of our
/// finalized recordings. Its fragments are found like those of a damaged recording. They are written to another file,
/// with the samples that the header lists.
struct ForeignRecording {
    private let leading: Atom
    private let fileType: [UInt8]
    /// The end of the leading header.
    private let end: UInt64

    /// The maximum number of atoms up to the header, which is near the start of a fragmented file.
    private static let mostAtoms = 16
    private static let mostTracks = 256

    /// Reads the leading header. Returns nil if the file has no leading header of a fragmented file.
    init?(_ storage: any MovieStorage) throws(MediaError) {
        var atoms = try TopLevelAtoms(storage)
        var position: UInt64 = 0
        var fileType: [UInt8] = []
        for _ in 0..<Self.mostAtoms {
            guard let atom = try atoms.header(at: position) else { break }
            if atom.type == "ftyp", let bytes = try atoms.contents(of: atom) { fileType = bytes }
            if atom.type == "moov", let bytes = try atoms.contents(of: atom), let moov = Atom(parsing: bytes),
                moov["mvex"] != nil, moov.all("trak").count <= Self.mostTracks
            {
                (leading, self.fileType, end) = (Self.upgraded(moov), fileType, atom.end)
                return
            }
            position = atom.end
            if atom.type == "ftyp", let (body, bodyEnd) = try Self.coveredHeader(at: position, &atoms) {
                (leading, self.fileType, end) = (body, fileType, bodyEnd)
                return
            }
        }
        return nil
    }

    /// Returns the remains of the leading header after finalizing: its atoms, after the sixteen bytes that became the
    /// header of the media data.
    private static func coveredHeader(at room: UInt64, _ atoms: inout TopLevelAtoms) throws(MediaError) -> (
        Atom, UInt64
    )? {
        guard try RecordingHead.isHalfMovie(at: room, &atoms) else { return nil }
        let start = room + 16
        var end = start
        for _ in 0..<(mostTracks + mostAtoms) {
            guard let atom = try atoms.header(at: end), !["moof", "free", "mdat"].contains(atom.type) else { break }
            end = atom.end
        }
        guard end > start, end - start <= TopLevelAtoms.largestHeader else { return nil }
        let body = try atoms.bytes(at: start, count: Int(end - start))
        let moov = AtomWriter.build("moov") { $0.raw(body) }
        guard let leading = Atom(parsing: moov), RecordingMark.isOn(leading) else { return nil }
        return (leading, end)
    }

    /// - Throws: `corruptData` if none of its fragments can be read, or `unsupported` for several recordings in one
    ///   file.
    func examined(_ storage: any MovieStorage, facts: FinishingInfo) throws(MediaError) -> ExaminedRecording {
        let final = FinalHeader(leading: leading, facts: facts)
        let dialect = RecordingMark.isOn(leading) ? nil : FragmentDialect(leading: leading)
        let found = try DamagedRecording(storage, from: end, tracks: Set(final.tracks.map(\.id)), dialect: dialect)
        if let second = try secondRecording(in: found, storage) {
            throw MediaError(
                .unsupported, "cannot repair the recording",
                reason: "the file contains two recordings: the second one begins at byte \(second)",
                wayOut: "split the file, and repair each part: `head -c \(second) FILE >FIRST` and "
                    + "`tail -c +\(second + 1) FILE >SECOND`")
        }
        let samples = try LeadingSamples(final, before: found, storage)
        let survey = try RecordingSurvey(final, found, after: samples, dialect: dialect, storage)
        // The media is copied from here on. The samples of the header may be before the header.
        return try ExaminedRecording(
            final, survey, fileType: fileType, end: min(end, samples.start ?? end), fileSize: found.fileSize,
            facts: facts)
    }

    /// Returns the position at which another recording begins; nil if there is only one. A header that is only repeated
    /// begins no recording: it has the same sample descriptions, and the times after it continue.
    private func secondRecording(in found: DamagedRecording, _ storage: any MovieStorage) throws(MediaError) -> UInt64?
    {
        var atoms = try TopLevelAtoms(storage)
        for header in found.otherHeaders {
            let (before, after) = (
                found.fragments.filter { $0.offset < header.offset },
                found.fragments.filter { $0.offset > header.offset }
            )
            guard !after.isEmpty else {
                // The places of samples may count from the start of the other recording, and then have no meaning here.
                if try isBeforeFragment(header, &atoms) { return header.offset }
                continue
            }
            let last = before.reduce(into: [UInt32: UInt64]()) { $0[$1.track] = max($0[$1.track] ?? 0, $1.time) }
            let continues = after.allSatisfy { fragment in
                fragment.hasTime && last[fragment.track].map { fragment.time > $0 } ?? true
            }
            guard continues, try descriptions(in: header, &atoms) == Self.descriptions(in: leading) else {
                return header.offset
            }
        }
        return nil
    }

    private func isBeforeFragment(_ header: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms) throws(MediaError)
        -> Bool
    {
        var position = header.end
        for _ in 0..<Self.mostAtoms {
            guard let atom = try atoms.header(at: position), atom.type != "mdat" else { return false }
            if atom.type == "moof" { return true }
            position = atom.end
        }
        return false
    }

    private func descriptions(in header: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms) throws(MediaError)
        -> [UInt32: [UInt8]]
    {
        var position = header.offset
        while position < header.end, let atom = try atoms.header(at: position) {
            if atom.type == "moov", let bytes = try atoms.contents(of: atom), let moov = Atom(parsing: bytes) {
                return Self.descriptions(in: moov)
            }
            position = atom.end
        }
        return [:]
    }

    /// Returns the sample descriptions of each track, by track ID.
    private static func descriptions(in moov: Atom) -> [UInt32: [UInt8]] {
        moov.all("trak").reduce(into: [:]) { found, trak in
            guard let id = FinalHeader.trackID(trak) else { return }
            found[id] = trak.find("mdia", "minf", "stbl", "stsd")?.payload
        }
    }

    /// Returns the header with 64-bit times and durations, the only form that the final header has.
    private static func upgraded(_ moov: Atom) -> Atom {
        var moov = moov
        moov.children = moov.children.map { child in
            switch child.type {
            case "mvhd": return upgraded(child, before: 4, after: 0)
            case "trak":
                var trak = child
                trak["tkhd"] = trak["tkhd"].map { upgraded($0, before: 4, after: 4) }
                if var mdia = trak["mdia"] {
                    mdia["mdhd"] = mdia["mdhd"].map { upgraded($0, before: 4, after: 0) }
                    trak["mdia"] = mdia
                }
                return trak
            default: return child
            }
        }
        return moov
    }

    /// Returns a header of version 0 as version 1: both dates and the duration get 64 bits (ISO/IEC 14496-12, 8.2.2,
    /// 8.3.2 and 8.4.2).
    private static func upgraded(_ header: Atom, before: Int, after: Int) -> Atom {
        var reader = ByteReader(header.payload)
        guard let word = reader.u32(), word >> 24 == 0, let created = reader.u32(), let changed = reader.u32(),
            let middle = reader.slice(before + after), let duration = reader.u32(),
            let rest = reader.slice(reader.remaining)
        else { return header }
        var writer = AtomWriter()
        writer.u32(word | 1 << 24)
        writer.u64(UInt64(created))
        writer.u64(UInt64(changed))
        writer.raw(middle)
        writer.u64(UInt64(duration))
        writer.raw(rest)
        return Atom(header.type, bytes: writer.bytes)
    }
}

package import MediaTypes

/// Checks that the tables of an ordinary movie agree with each other and with the file (ISO/IEC 14496-12, 8.6 and 8.7;
/// QTFF, "Sample Atoms"). Reads them through windows, so its memory use does not grow with the movie. Changes nothing.
package struct TableCheck: Sendable {
    package struct Fault: Sendable {
        package var what: String
        /// The position of the fault in seconds on the track's timeline; nil if the fault concerns no single time.
        package var time: Double?
        /// True if the tables list samples past the end of the file.
        package var isCutOff = false
    }

    package struct Track: Sendable {
        package var id: UInt32
        package var handler: FourCharCode
        /// The number of samples in the table of sizes.
        package var samples: UInt64 = 0
        /// The minimum and maximum number of samples that are shown: players differ at the borders of edits. nil if
        /// unknown.
        package var shown: ClosedRange<UInt64>?
        /// The total duration that the edits show, in seconds: without gaps, and with them. Audio has no empty samples,
        /// so the sample before a gap lasts until its end, although it contains no more audio than any other sample.
        package var shownDuration: ClosedRange<Double>?
        /// The duration in seconds, according to the table of durations.
        package var duration = 0.0
        package var faults: [Fault] = []
    }

    package private(set) var tracks: [Track] = []
    /// True if the header itself is invalid.
    package private(set) var isBroken = false

    private typealias Part = TopLevelAtoms.Header
    private static let mostTracks = 1000
    private static let mostParts = 10_000

    /// Checks the tables of a file. Returns nil for a fragmented file or a file of another family, which has no tables.
    package init?(_ storage: any MovieStorage, _ shape: FileShape) throws(MediaError) {
        guard shape.form == .ordinary, let header = shape.header else { return nil }
        var atoms = try TopLevelAtoms(storage)
        let parts = try Self.parts(of: header, &atoms)
        // The tables are compressed (QTFF, "Compressed Movie Resources"), so only decoding can check the file.
        if let parts, parts.contains(where: { $0.type == "cmov" }), !parts.contains(where: { $0.type == "mvhd" }) {
            return nil
        }
        guard let parts, let mvhd = parts.first(where: { $0.type == "mvhd" }),
            let scale = try Self.scale(of: mvhd, &atoms)
        else {
            isBroken = true
            return
        }
        for trak in parts.filter({ $0.type == "trak" }).prefix(Self.mostTracks) {
            if let track = try Self.check(trak, storage, shape, movieScale: Double(scale), &atoms) {
                tracks.append(track)
            } else {
                isBroken = true
            }
        }
    }

    /// Returns the atoms inside an atom; nil if lengths contradict each other.
    private static func parts(of atom: Part, _ atoms: inout TopLevelAtoms) throws(MediaError) -> [Part]? {
        var position = atom.offset + atom.headerSize
        var parts: [Part] = []
        while position + 8 <= atom.end {
            guard let part = try atoms.header(at: position), part.end <= atom.end, parts.count < mostParts else {
                return nil
            }
            parts.append(part)
            position = part.end
        }
        return parts
    }

    private static func part(
        _ path: [FourCharCode], of atom: Part, _ atoms: inout TopLevelAtoms
    ) throws(MediaError) -> Part? {
        var atom = atom
        for type in path {
            guard let next = try parts(of: atom, &atoms)?.first(where: { $0.type == type }) else { return nil }
            atom = next
        }
        return atom
    }

    /// Returns the payload of a small atom.
    private static func payload(_ atom: Part, _ atoms: inout TopLevelAtoms) throws(MediaError) -> [UInt8] {
        try atoms.bytes(
            at: atom.offset + atom.headerSize, count: Int(min(64 << 10, atom.end - atom.offset - atom.headerSize)))
    }

    /// Returns the time scale of `mvhd` or `mdhd`.
    private static func scale(of atom: Part, _ atoms: inout TopLevelAtoms) throws(MediaError) -> UInt32? {
        var reader = ByteReader(try payload(atom, &atoms))
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11), let scale = reader.u32(), scale > 0 else {
            return nil
        }
        return scale
    }

    private static func check(
        _ trak: Part, _ storage: any MovieStorage, _ shape: FileShape, movieScale: Double, _ atoms: inout TopLevelAtoms
    ) throws(MediaError) -> Track? {
        guard let tkhd = try part(["tkhd"], of: trak, &atoms),
            let mdia = try part(["mdia"], of: trak, &atoms),
            let mdhd = try part(["mdhd"], of: mdia, &atoms),
            let hdlr = try part(["hdlr"], of: mdia, &atoms),
            let stbl = try part(["minf", "stbl"], of: mdia, &atoms),
            let scale = try scale(of: mdhd, &atoms)
        else { return nil }
        var reader = ByteReader(try payload(tkhd, &atoms))
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11), let id = reader.u32() else { return nil }
        var handler = ByteReader(try payload(hdlr, &atoms))
        guard handler.skip(8), let kind = handler.code() else { return nil }
        var track = Track(id: id, handler: kind)
        let edits = try edits(trak, scale: Double(scale), movieScale: movieScale, &atoms)
        let tables = try SampleTables(storage, stbl: parts(of: stbl, &atoms) ?? [], shape: shape, scale: scale)
        try tables.check(edits, movieTick: Double(scale) / movieScale, into: &track)
        if !isSelfContained(try part(["minf", "dinf", "dref"], of: mdia, &atoms), &atoms) {
            track.faults.removeAll()
            track.faults.append(Fault(what: "its media is in another file"))
        }
        return track
    }

    /// Returns true if the first entry of the data references refers to this file. All programs write a single entry
    /// (QTFF, "Data Reference Atoms").
    private static func isSelfContained(_ dref: Part?, _ atoms: inout TopLevelAtoms) -> Bool {
        guard let dref, let bytes = try? payload(dref, &atoms) else { return true }
        var reader = ByteReader(bytes)
        guard reader.skip(8 + 8), let flags = reader.u32() else { return true }
        return flags & 1 == 1
    }

    /// Returns the shown ranges of the track's timeline, in ticks of the track; nil if everything is shown.
    private static func edits(
        _ trak: Part, scale: Double, movieScale: Double, _ atoms: inout TopLevelAtoms
    ) throws(MediaError) -> [Range<Double>]? {
        guard let elst = try part(["edts", "elst"], of: trak, &atoms),
            let list = EditList(payload: try payload(elst, &atoms)), !list.entries.isEmpty
        else { return nil }
        var edits: [Range<Double>] = []
        for entry in list.entries where entry.mediaTime >= 0 {
            let start = Double(entry.mediaTime)
            // In a movie made from fragments, a duration of 0 means that the edit lasts until the end of the media.
            let length = entry.duration == 0 ? Double.infinity : Double(entry.duration) / movieScale * scale
            edits.append(start..<start + length)
        }
        return edits
    }
}

import MediaTypes

/// Checks that a finalized movie's header has exactly the form that a recorder writes.
///
/// Players are tolerant: FFmpeg interprets an atom by its type at whatever level it is stored, and of two atoms with
/// the same type it uses the last. A header is therefore accepted only if it follows a list: the atoms that each atom
/// may contain, their order and their number. Everything else is refused, even if some players would skip it.
enum PlainHeader {
    /// The atoms that are permitted at one position in a parent.
    private struct Slot {
        let types: Set<FourCharCode>
        let count: ClosedRange<Int>

        init(_ types: FourCharCode..., count: ClosedRange<Int> = 1...1) {
            (self.types, self.count) = (Set(types), count)
        }
    }

    /// The children of each parent, in order.
    private static let layout: [FourCharCode: [Slot]] = [
        "moov": [
            Slot("mvhd"), Slot("trak", count: 1...Int.max), Slot("udta", count: 0...1), Slot("meta", count: 0...1),
        ],
        "trak": [
            Slot("tkhd"), Slot("edts"), Slot("tref", count: 0...1), Slot("mdia"), Slot("udta", count: 0...1),
            Slot("meta", count: 0...1),
        ],
        "edts": [Slot("elst")],
        "mdia": [Slot("mdhd"), Slot("hdlr"), Slot("elng", count: 0...1), Slot("minf")],
        "minf": [
            Slot("vmhd", "smhd", "sthd", "nmhd", "gmhd"), Slot("hdlr", count: 0...1), Slot("dinf"), Slot("stbl"),
        ],
        "stbl": [
            Slot("stsd"), Slot("stts"), Slot("ctts", count: 0...1), Slot("stss", count: 0...1), Slot("stsc"),
            Slot("stsz"), Slot("stco", "co64"),
        ],
    ]

    /// References to other tracks that a recorder writes, each with the handler of the tracks that it refers to.
    private static let references: [FourCharCode: FourCharCode] = ["chap": "text", "tmcd": "tmcd"]

    /// Returns true if a header has the only permitted form.
    ///
    /// - Parameter byteCount: the length that the `moov` states. The parsed atoms must fill it.
    static func isPlain(_ moov: Atom, byteCount: UInt64) -> Bool {
        let tracks = moov.all("trak")
        let ids = tracks.compactMap(FinalHeader.trackID)
        guard moov.type == "moov", UInt64(moov.byteCount) == byteCount, hasLayout(moov), ids.count == tracks.count,
            zip(ids, ids.dropFirst()).allSatisfy(<)
        else { return false }
        let handlers = Dictionary(zip(ids, tracks.map(FinalHeader.handlerType))) { first, _ in first }
        return tracks.allSatisfy { trak in
            (trak["tref"].map { arePlainReferences($0, handlers) } ?? true) && hasPlainTimes(trak)
                && PlainTexts.arePlain(in: trak)
        } && hasPlainTimes(movie: moov) && PlainTexts.arePlain(in: moov)
    }

    private static func hasLayout(_ atom: Atom) -> Bool {
        guard let slots = layout[atom.type] else { return true }
        var rest = atom.children[...]
        for slot in slots {
            let found = rest.prefix { slot.types.contains($0.type) }
            guard slot.count.contains(found.count) else { return false }
            rest = rest.dropFirst(found.count)
        }
        return rest.isEmpty && atom.children.allSatisfy(hasLayout)
    }

    private static func arePlainReferences(_ tref: Atom, _ handlers: [UInt32: FourCharCode?]) -> Bool {
        var reader = ByteReader(tref.payload)
        var types: [FourCharCode] = []
        var isPlain = true
        reader.forEachAtom { type, body in
            types.append(type)
            var list = ByteReader(body)
            var count = 0
            while let id = list.u32() {
                count += 1
                isPlain = isPlain && references[type] != nil && handlers[id] == references[type]
            }
            isPlain = isPlain && count > 0 && list.remaining == 0
        }
        return isPlain && reader.remaining == 0 && Set(types).count == types.count
    }

    // MARK: Times

    /// Checks `mvhd`: version 1, and the duration of the longest track.
    private static func hasPlainTimes(movie moov: Atom) -> Bool {
        let header = moov["mvhd"]?.payload ?? []
        let longest = moov.all("trak").compactMap { duration($0["tkhd"]?.payload ?? [], at: 28) }.max()
        return header.count == 112 && header[..<4].elementsEqual([1, 0, 0, 0]) && hasScale(header)
            && duration(header, at: 24) == longest
    }

    /// Checks `tkhd` and `mdhd`. They must have version 1, and reserved fields must be 0. The track must be as long as
    /// its edits, and the media as long as its samples. The flags of `tkhd`, and the fields after the duration, are
    /// part of the signed form.
    private static func hasPlainTimes(_ trak: Atom) -> Bool {
        let track = trak["tkhd"]?.payload ?? []
        let media = trak.find("mdia", "mdhd")?.payload ?? []
        guard track.count == 96, track[0] == 1, track[24..<28].allSatisfy({ $0 == 0 }), media.count == 36,
            media[..<4].elementsEqual([1, 0, 0, 0]), hasScale(media), media[34..<36].allSatisfy({ $0 == 0 }),
            let edits = trak.find("edts", "elst").flatMap({ EditList(payload: $0.payload) })
        else { return false }
        return duration(track, at: 28) == edits.entries.reduce(0) { $0 &+ $1.duration }
            && duration(media, at: 24) == ticks(trak)
    }

    /// Checks `mvhd` and `mdhd`: a time scale that fits in 31 bits. For other values, each player uses its own default.
    private static func hasScale(_ payload: [UInt8]) -> Bool {
        var reader = ByteReader(payload)
        guard reader.skip(20), let scale = reader.s32() else { return false }
        return scale > 0
    }

    private static func duration(_ payload: [UInt8], at place: Int) -> UInt64? {
        var reader = ByteReader(payload)
        return reader.skip(place) ? reader.u64() : nil
    }

    /// Returns the duration of all samples in ticks: the sum of `stts`.
    private static func ticks(_ trak: Atom) -> UInt64? {
        var reader = ByteReader(trak.find("mdia", "minf", "stbl", "stts")?.payload ?? [])
        guard reader.skip(8) else { return nil }
        var sum: UInt64 = 0
        while let count = reader.u32(), let each = reader.u32() { sum &+= UInt64(count) * UInt64(each) }
        return sum
    }
}

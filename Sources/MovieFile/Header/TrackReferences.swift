import MediaTypes

/// `tref`: which tracks a track refers to, and as what (QTFF, "Track Reference Atoms"; ISO/IEC 14496-12, 8.3.3).
enum TrackReferences {
    /// Writes nothing for no references.
    static func write(_ references: [TrackAssociation: [UInt32]], into trak: inout AtomWriter) {
        let references = references.filter { !$0.value.isEmpty }
        guard !references.isEmpty else { return }
        trak.atom("tref") { tref in
            for (association, ids) in references.sorted(by: { $0.key.rawValue.rawValue < $1.key.rawValue.rawValue }) {
                tref.atom(association.rawValue) { for id in ids { $0.u32(id) } }
            }
        }
    }

    /// Removes from a `trak` the references to tracks that are not in the file: they lead nowhere.
    static func keepThose(to ids: Set<UInt32>, in trak: inout Atom) {
        guard let tref = trak["tref"] else { return }
        var references: [TrackAssociation: [UInt32]] = [:]
        var reader = ByteReader(tref.payload)
        reader.forEachAtom { type, body in
            var list = ByteReader(body)
            while let id = list.u32() {
                if ids.contains(id) { references[TrackAssociation(rawValue: type), default: []].append(id) }
            }
        }
        var writer = AtomWriter()
        write(references, into: &writer)
        trak["tref"] = Atom(parsing: writer.bytes)
    }
}

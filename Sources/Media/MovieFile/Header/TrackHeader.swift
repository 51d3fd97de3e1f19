import MediaTypes

/// Writes one track, `trak` (QTFF, "Track Atoms"; ISO/IEC 14496-12, 8.3).
struct TrackHeader {
    let track: MovieTrack
    /// The start of the session on the track's timeline, in ticks.
    let editStart: Int64
    /// Seconds since 1970.
    let creationTime: Int64
    let dialect: MovieDialect

    func write(into moov: inout AtomWriter) {
        moov.atom("trak") { trak in
            writeHeader(into: &trak)
            trak.atom("edts") { edts in
                // Duration 0: the edit lasts as long as the fragments (ISO/IEC 14496-12, 8.6.6.1).
                edts.raw(EditList([.init(duration: 0, mediaTime: editStart)]).atom())
            }
            TrackReferences.write(track.references, into: &trak)
            MediaHeader(track: track, creationTime: creationTime, dialect: dialect).write(into: &trak)
            MovieMetadata.write(track.metadata, dialect: dialect, into: &trak)
        }
    }

    /// Writes `tkhd`, version 1 (QTFF, "Track Header Atoms"; ISO/IEC 14496-12, 8.3.2).
    private func writeHeader(into trak: inout AtomWriter) {
        // Flags: enabled 1, in movie 2, in preview 4.
        trak.fullAtom("tkhd", version: 1, flags: track.isEnabled ? 7 : 6) { tkhd in
            tkhd.dates(creationTime)
            tkhd.u32(track.id)
            tkhd.u32(0)
            tkhd.u64(0)
            tkhd.zeros(8)
            tkhd.u16(0)  // layer
            tkhd.u16(UInt16(clamping: track.alternateGroup))
            tkhd.fixed8(track.mediaType == .audio ? Double(track.volume) : 0)
            tkhd.u16(0)
            tkhd.matrix(track.matrix)
            let size = track.shownSize
            tkhd.fixed(size.width)
            tkhd.fixed(size.height)
        }
    }
}

extension MovieTrack {
    /// Width and height of the track before its matrix is applied: the natural size, or else the size of the format
    /// with square pixels. Zero for a track without video.
    var shownSize: (width: Double, height: Double) {
        if let naturalSize { return naturalSize }
        guard let video = format?.video else { return (0, 0) }
        let aspect = video.pixelAspectRatio
        let shape = Double(max(1, aspect.numerator)) / Double(max(1, aspect.denominator))
        return (Double(video.width) * shape, Double(video.height))
    }
}

/// `tref`: the tracks that a track refers to, by type of reference (QTFF, "Track Reference Atoms"; ISO/IEC 14496-12,
/// 8.3.3).
enum TrackReferences {
    /// Writes the references. Writes nothing if there are none.
    static func write(_ references: [TrackAssociation: [UInt32]], into trak: inout AtomWriter) {
        let references = references.filter { !$0.value.isEmpty }
        guard !references.isEmpty else { return }
        trak.atom("tref") { tref in
            for (association, ids) in references.sorted(by: { $0.key.rawValue.rawValue < $1.key.rawValue.rawValue }) {
                tref.atom(association.rawValue) { for id in ids { $0.u32(id) } }
            }
        }
    }

    /// Removes from a `trak` the references to tracks that are not in the file.
    static func removeReferences(exceptTo ids: Set<UInt32>, in trak: inout Atom) {
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

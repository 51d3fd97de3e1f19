import MediaTypes

/// How the samples of a track are to be understood: what a fragment's own head does not say.
package struct TrackDescription: Equatable, Sendable {
    /// Ticks per second.
    package var timeScale: UInt32
    /// Where on the track's time line the movie begins, in ticks.
    package var start: Int64
    /// What the track's header says about decoding and showing: the same before the movie is finished and after.
    package var form: [UInt8]
}

/// The tracks of a movie, by its header.
package struct TrackDescriptions {
    private let all: [UInt32: TrackDescription]
    /// What the movie's own header says about showing, without dates and the duration (ISO/IEC 14496-12, 8.2.2): the time scale,
    /// and what stands behind the duration.
    package let movie: [UInt8]

    /// - Parameter bytes: everything in front of a recording's first fragment.
    package init(leadingHeader bytes: [UInt8]) { self.init(RecordingHead(copy: bytes)?.leading) }

    /// - Parameter moov: a header of any movie.
    init(_ moov: Atom?) {
        let bytes = moov?["mvhd"]?.payload ?? []
        let isLong = bytes.first == 1
        movie = Array(bytes.dropFirst(isLong ? 20 : 12).prefix(4) + bytes.dropFirst(isLong ? 32 : 20))
        var all: [UInt32: TrackDescription] = [:]
        for trak in moov?.all("trak") ?? [] {
            guard let id = FinalHeader.trackID(trak) else { continue }
            let line = FinalHeader.TimeLine(trak)
            var form = AtomWriter()
            Self.write(trak, into: &form)
            all[id] = TrackDescription(
                timeScale: UInt32(clamping: line.scale), start: line.sessionStart, form: form.bytes)
        }
        self.all = all
    }

    package subscript(id: UInt32) -> TrackDescription? { all[id] }

    /// What finishing makes, or an owner may change: times, tables, references between tracks, texts.
    private static let leftOut: Set<FourCharCode> = [
        "edts", "tref", "udta", "meta", "stts", "ctts", "stss", "stsc", "stsz", "stco", "co64",
    ]

    /// The track's atoms as they are, without those, and without the dates and durations of `tkhd` and `mdhd` and the language.
    private static func write(_ atom: Atom, into writer: inout AtomWriter) {
        guard !leftOut.contains(atom.type) else { return }
        writer.atom(atom.type) { body in
            for child in atom.children { write(child, into: &body) }
            let bytes = atom.payload
            let isLong = bytes.first == 1
            switch atom.type {
            // ISO/IEC 14496-12, 8.3.2: the flags, and what stands behind the duration.
            case "tkhd": body.raw(bytes.dropFirst().prefix(3) + bytes.dropFirst(isLong ? 36 : 24))
            // 8.4.2: the time scale.
            case "mdhd": body.raw(bytes.dropFirst(isLong ? 20 : 12).prefix(4))
            default: body.raw(bytes)
            }
        }
    }
}

import MediaTypes

/// The information that is needed to interpret a track's samples, and that a fragment's own head does not contain.
package struct TrackDescription: Equatable, Sendable {
    /// Ticks per second.
    package var timeScale: UInt32
    /// The start of the movie on the track's timeline, in ticks.
    package var start: Int64
    /// The values of the track's header for decoding and presentation. Finalizing does not change them.
    package var form: [UInt8]
}

/// The tracks of a movie, from its header.
package struct TrackDescriptions {
    private let all: [UInt32: TrackDescription]
    /// The values of the movie's own header for presentation, without dates and the duration (ISO/IEC 14496-12, 8.2.2):
    /// the time scale, and the fields after the duration.
    package let movie: [UInt8]

    /// - Parameter bytes: everything before a recording's first fragment.
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

    /// Atoms that finalizing creates, or that the user may change: times, tables, references between tracks, texts.
    private static let leftOut: Set<FourCharCode> = [
        "edts", "tref", "udta", "meta", "stts", "ctts", "stss", "stsc", "stsz", "stco", "co64",
    ]

    /// Writes the track's atoms except those in `leftOut`. Leaves out the dates, the durations and the language in
    /// `tkhd` and `mdhd`.
    private static func write(_ atom: Atom, into writer: inout AtomWriter) {
        guard !leftOut.contains(atom.type) else { return }
        writer.atom(atom.type) { body in
            for child in atom.children { write(child, into: &body) }
            let bytes = atom.payload
            let isLong = bytes.first == 1
            switch atom.type {
            // ISO/IEC 14496-12, 8.3.2: the flags, and the fields after the duration.
            case "tkhd": body.raw(bytes.dropFirst().prefix(3) + bytes.dropFirst(isLong ? 36 : 24))
            // 8.4.2: the time scale.
            case "mdhd": body.raw(bytes.dropFirst(isLong ? 20 : 12).prefix(4))
            default: body.raw(bytes)
            }
        }
    }
}

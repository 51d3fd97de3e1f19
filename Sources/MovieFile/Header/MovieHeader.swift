import MediaTypes

/// Writes the movie header, `moov` (QTFF, "Movie Atoms"), in the form that stands before the fragments.
///
/// The final header is made from this one by `FinalHeader`, which keeps everything and adds times and sample tables.
struct MovieHeader {
    var dialect = MovieDialect.quickTime
    /// Ticks per second of movie-level durations.
    var timeScale: Int32
    /// Seconds since 1970.
    var creationTime: Int64
    var metadata: [MetadataItem]
    /// Each track with the place on its time line where the session starts, in ticks.
    var tracks: [(track: MovieTrack, editStart: Int64)]
    /// Bytes at its end for what is not known yet; 0 or 8 and more.
    var room = 0

    func write(into writer: inout AtomWriter) {
        writer.atom("moov") { moov in
            writeMovie(into: &moov)
            for (track, editStart) in tracks {
                TrackHeader(
                    track: finished(track), editStart: editStart, creationTime: creationTime, dialect: dialect
                ).write(into: &moov)
            }
            writeExtends(into: &moov)
            MovieMetadata.write(metadata, dialect: dialect, into: &moov)
            if room >= 8 { moov.atom("free") { $0.zeros(room - 8) } }
        }
    }

    /// The track as the whole movie wants it.
    private func finished(_ track: MovieTrack) -> MovieTrack {
        var track = track
        // A reference to a track that is not in the file leads nowhere.
        let ids = Set(tracks.map(\.track.id))
        track.references = track.references.mapValues { $0.filter(ids.contains) }
        // The titles of chapters belong to the player's menu, not into the picture (QTFF, "Chapter Lists").
        let isChapterList = tracks.contains { $0.track.references[.chapterList]?.contains(track.id) == true }
        if isChapterList, track.mediaType == .text { track.isEnabled = false }
        return track
    }

    /// `mvhd`, version 1: 64-bit dates and duration (QTFF, "Movie Header Atoms"; ISO/IEC 14496-12, 8.2.2).
    private func writeMovie(into moov: inout AtomWriter) {
        moov.fullAtom("mvhd", version: 1) { mvhd in
            mvhd.dates(creationTime)
            mvhd.u32(UInt32(clamping: timeScale))
            mvhd.u64(0)  // duration: in the fragments
            mvhd.fixed(1)  // preferred rate
            mvhd.fixed8(1)  // preferred volume
            mvhd.zeros(10)
            mvhd.matrix(MovieTrack.identityMatrix)
            mvhd.zeros(24)
            mvhd.u32((tracks.map(\.track.id).max() ?? 0) &+ 1)  // next track id
        }
    }

    /// `mvex`: this movie goes on in fragments (ISO/IEC 14496-12, 8.8.1).
    private func writeExtends(into moov: inout AtomWriter) {
        moov.atom("mvex") { mvex in
            for (track, _) in tracks {
                mvex.fullAtom("trex") { trex in
                    trex.u32(track.id)
                    trex.u32(1)  // sample description
                    trex.zeros(12)
                }
            }
        }
    }
}

extension AtomWriter {
    /// The dates of creation and of the last change, each 64 bits of seconds since 1904-01-01 00:00 UTC.
    ///
    /// - Parameter seconds: since 1970.
    mutating func dates(_ seconds: Int64) {
        let (date, overflow) = seconds.addingReportingOverflow(2_082_844_800)
        for _ in 0..<2 { u64(overflow ? 0 : UInt64(clamping: date)) }
    }

    /// Nine numbers; the third of each row has 30 bits of fraction, the others 16 (QTFF, "Matrices").
    mutating func matrix(_ numbers: [Double]) {
        for (index, value) in (numbers.count == 9 ? numbers : MovieTrack.identityMatrix).enumerated() {
            if index % 3 == 2 { fixed30(value) } else { fixed(value) }
        }
    }
}

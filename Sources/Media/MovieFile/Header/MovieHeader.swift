import MediaTypes

/// Writes the movie header, `moov` (QTFF, "Movie Atoms"), in the form that is stored before the fragments.
///
/// `FinalHeader` makes the final header from this one. The final header has the same contents, with times and sample
/// tables.
struct MovieHeader {
    var dialect = MovieDialect.quickTime
    /// Ticks per second of movie-level durations.
    var timeScale: Int32
    /// Seconds since 1970.
    var creationTime: Int64
    var metadata: [MetadataItem]
    /// The tracks, each with the start of the session on its timeline, in ticks.
    var tracks: [(track: MovieTrack, editStart: Int64)]
    /// The number of bytes reserved at the end for data that is not yet known; 0, or at least 8.
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

    /// Returns the track with the changes that the movie requires.
    private func finished(_ track: MovieTrack) -> MovieTrack {
        var track = track
        // A reference to a track that is not in the file is invalid.
        let ids = Set(tracks.map(\.track.id))
        track.references = track.references.mapValues { $0.filter(ids.contains) }
        // Chapter titles belong in the player's menu, not on the screen (QTFF, "Chapter Lists").
        let isChapterList = tracks.contains { $0.track.references[.chapterList]?.contains(track.id) == true }
        if isChapterList, track.mediaType == .text { track.isEnabled = false }
        return track
    }

    /// Writes `mvhd`, version 1: 64-bit dates and duration (QTFF, "Movie Header Atoms"; ISO/IEC 14496-12, 8.2.2).
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
            mvhd.u32((tracks.map(\.track.id).max() ?? 0) &+ 1)  // next track ID
        }
    }

    /// Writes `mvex`: the movie continues in fragments (ISO/IEC 14496-12, 8.8.1).
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
    /// Writes the dates of creation and of the last change, each 64 bits of seconds since 1904-01-01 00:00 UTC.
    ///
    /// - Parameter seconds: seconds since 1970.
    mutating func dates(_ seconds: Int64) {
        let (date, overflow) = seconds.addingReportingOverflow(2_082_844_800)
        for _ in 0..<2 { u64(overflow ? 0 : UInt64(clamping: date)) }
    }

    /// Writes nine numbers. The third of each row has 30 fractional bits, the others 16 (QTFF, "Matrices").
    mutating func matrix(_ numbers: [Double]) {
        for (index, value) in (numbers.count == 9 ? numbers : MovieTrack.identityMatrix).enumerated() {
            if index % 3 == 2 { fixed30(value) } else { fixed(value) }
        }
    }
}

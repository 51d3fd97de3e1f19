package import MediaTypes

/// The facts that only the writer knows at the end of a recording. The fragments do not contain them. Each fact may be
/// missing, for example after a power loss.
package struct FinishingInfo: Sendable {
    /// The end of the presentation, from the session start.
    package var sessionEnd: MediaTime?
    /// Time ranges that are not shown, from the session start, in order and without overlaps. In every track, the
    /// samples after such a range directly follow those before it.
    package var cuts: [TimeRange] = []
    /// The end of each track's real samples, from the session start. The last packet may be longer, because an audio
    /// encoder pads it.
    package var trackEnds: [UInt32: MediaTime]
    /// The edit lists of tracks that show several parts of their media. Their target and media times are relative to
    /// the session start. They replace the edits that result from the other facts.
    package var trackEdits: [UInt32: [TrackEdit]] = [:]
    /// Items to add to the metadata of the leading header; items with the same keys are replaced.
    package var metadata: [MetadataItem]
    /// The fragments' headers, from the writer of this file. Affects the number of bytes that are read, not the result.
    package var index: FragmentIndex?

    package init(
        sessionEnd: MediaTime? = nil, trackEnds: [UInt32: MediaTime] = [:], metadata: [MetadataItem] = [],
        index: FragmentIndex? = nil
    ) {
        self.sessionEnd = sessionEnd
        self.trackEnds = trackEnds
        self.metadata = metadata
        self.index = index
    }
}

/// Turns a fragmented recording, intact or truncated, into an ordinary movie. The media is not moved.
///
/// 1. The fragments' headers are read, to determine the size of the tables and the end of the recording. After damage,
///    a search finds the next fragment.
/// 2. Only for a truncated recording: the bytes after the last sample are removed if they are certainly unusable. The
///    last fragment is changed to list the remaining samples. The file is synced.
/// 3. A complete `moov` is written after the last fragment. The fragments' headers are read again, and each table is
///    written through a small buffer. The file is synced.
/// 4. The bytes of `wide` and of the leading `moov`'s header become the header of one `mdat`, which covers everything
///    up to the new `moov`. This is one write inside the first 512 bytes. The file is synced.
///
/// A crash before step 4 leaves the fragmented movie, readable as before; finalizing again keeps the same samples.
/// After step 4 the movie is complete, and finalizing again changes nothing. The memory use does not grow with the
/// recording.
package enum MovieFinisher {
    package struct Report: Sendable, Equatable {
        /// The number of samples in the final header, by track ID.
        package var sampleCounts: [UInt32: Int64] = [:]
        /// The duration of the movie; nil if it was already finalized.
        package var duration: MediaTime?
        /// Bytes that belong to no fragment: at a truncated end, or in damaged parts. Only bytes known to be unusable
        /// are removed.
        package var abandonedBytes: UInt64 = 0
        /// The number of samples that fragment headers list but that are missing, by track ID.
        package var lostSamples: [UInt32: Int64] = [:]
        /// Time ranges without samples, between existing ones.
        package var gaps: [MissingRange] = []
        /// True if the fragments were not contiguous up to the end, so that a search found them.
        package var isDamaged = false
        /// Tracks whose table was full before the recording ended; later samples are not shown.
        package var fullTracks: Set<UInt32> = []
        package var wasFinishedAlready = false
        /// True if the recording ended inside a fragment, or in bytes that are not a fragment.
        package var wasTorn: Bool { abandonedBytes > 0 || !lostSamples.isEmpty }
    }

    /// Finalizes a recording.
    ///
    /// - Throws: `corruptData` if the file is not one of our recordings, or the storage's error. The media is not
    ///   changed.
    @discardableResult
    package static func finish(_ storage: any MovieStorage, facts: FinishingInfo = .init()) throws(MediaError)
        -> Report
    {
        guard let recording = try ExaminedRecording(storage, facts: facts) else {
            return Report(wasFinishedAlready: true)
        }
        let (survey, room) = (recording.survey, recording.room)
        let hasLongOffsets = survey.largestChunkOffset > UInt64(UInt32.max)
        let (moov, duration) = recording.final.assemble(survey.indices, hasLongOffsets: hasLongOffsets)
        try check(moov)

        try survey.cut(storage, fileSize: recording.fileSize)
        do throws(MediaError) {
            try write(moov, of: survey, to: storage, at: survey.end, hasLongOffsets: hasLongOffsets, from: storage)
            try storage.synchronize()
        } catch {
            // There was no space for the header. Without its incomplete bytes, the recording is as it was.
            try? storage.truncate(to: survey.end)
            throw error
        }
        // If the first sector was lost, the file type is restored in the same write.
        let start = recording.isFileTypeLost ? recording.fileType : []
        try storage.write(
            start + mediaDataHeader(from: room.offset, to: survey.end, room: room.type),
            at: room.offset - UInt64(start.count))
        try storage.synchronize()
        return report(survey, duration, fileSize: recording.fileSize)
    }

    /// Returns the state of a file. Reads only its top-level atoms, and the mark of our recordings (`RecordingMark`). A
    /// fragmented file of another program may already be complete. Changes nothing.
    package static func health(of storage: any MovieStorage) throws(MediaError) -> MovieSummary.Health {
        var atoms = try TopLevelAtoms(storage)
        if try FinishedMovie.isWhole(&atoms) { return .whole }
        var position: UInt64 = 0
        var types: Set<FourCharCode> = []
        while let atom = try atoms.header(at: position) {
            if atom.type == "moov", let bytes = try atoms.contents(of: atom), let moov = Atom(parsing: bytes),
                moov["mvex"] != nil, !RecordingMark.isOn(moov)
            {
                return .unknown
            }
            types.insert(atom.type)
            position = atom.end
        }
        let isTorn = position < atoms.fileSize
        guard types.contains("ftyp") || types.contains("moov") else { return .unknown }
        return types.contains("moov") && !isTorn ? .unfinished : .torn
    }

    /// Returns the clock facts of an unfinished recording from its clock notes, without reading its header; nil if
    /// there are no notes. Changes nothing.
    package static func clock(of storage: any MovieStorage) throws(MediaError) -> RecordingClock? {
        try ClockNote.gathered(from: storage)
    }

    static func report(_ survey: RecordingSurvey, _ duration: MediaTime, fileSize: UInt64) -> Report {
        Report(
            sampleCounts: survey.sampleCounts, duration: duration,
            abandonedBytes: survey.unreadBytes + fileSize - min(survey.end, fileSize), lostSamples: survey.lost,
            gaps: survey.gaps, isDamaged: survey.isDamaged, fullTracks: survey.fullTracks)
    }

    /// Checks the length of a header.
    ///
    /// - Throws: `unsupported` if the length does not fit in 32 bits.
    static func check(_ moov: HeaderAssembly) throws(MediaError) {
        guard moov.length <= UInt64(UInt32.max) else {
            throw MediaError(
                .unsupported, "cannot finalize the movie", reason: "its sample tables would exceed 4 GiB",
                wayOut: "it plays as it is")
        }
    }

    /// Writes a header and every track's tables.
    static func write(
        _ moov: HeaderAssembly, of survey: RecordingSurvey, to target: any MovieStorage, at start: UInt64,
        hasLongOffsets: Bool, shift: UInt64 = 0, from source: any MovieStorage
    ) throws(MediaError) {
        try moov.write(to: target, at: start)
        // 64 KiB for each table, and 4 MiB for all.
        let capacity = min(64 << 10, (4 << 20) / max(1, moov.gaps.count))
        var sinks: [UInt32: SampleTableWriter] = [:]
        for id in Set(moov.gaps.map(\.track)) {
            sinks[id] = SampleTableWriter(
                target, places: moov.places(ofTrack: id, from: start), hasLongOffsets: hasLongOffsets, shift: shift,
                capacity: capacity)
        }
        try survey.replay(TopLevelAtoms(source), into: sinks)
    }

    /// Returns the 16 bytes before the media: an empty atom and an `mdat` header with a 32-bit length, or a single
    /// `mdat` header with a 64-bit length.
    private static func mediaDataHeader(from start: UInt64, to end: UInt64, room: FourCharCode) -> [UInt8] {
        var writer = AtomWriter()
        if end - start - 8 <= UInt64(UInt32.max) {
            writer.u32(8)
            writer.code(room)
            writer.u32(UInt32(end - start - 8))
            writer.code("mdat")
        } else {
            writer.u32(1)
            writer.code("mdat")
            writer.u64(end - start)
        }
        return writer.bytes
    }
}

extension RecordingSurvey {
    var largestChunkOffset: UInt64 { indices.values.reduce(0) { max($0, $1.tables.largestChunkOffset) } }
}

package import MediaTypes

/// What the writer knows at the end and the fragments do not say. All of it may be missing, as after a power cut.
package struct FinishingFacts: Sendable {
    /// Where the presentation ends, from the session start.
    package var sessionEnd: MediaTime?
    /// Where each track's real samples end, from the session start: an audio encoder pads its last packet.
    package var trackEnds: [UInt32: MediaTime]
    /// Added to the metadata of the leading header; same keys are replaced.
    package var metadata: [MetadataItem]

    package init(sessionEnd: MediaTime? = nil, trackEnds: [UInt32: MediaTime] = [:], metadata: [MetadataItem] = []) {
        self.sessionEnd = sessionEnd
        self.trackEnds = trackEnds
        self.metadata = metadata
    }
}

/// Makes an ordinary movie of a fragmented recording, whole or torn. The media is not moved.
///
/// 1. The fragments' headers are read back; whatever follows the last whole fragment is given up.
/// 2. A complete `moov` is written behind that fragment, and synced.
/// 3. The bytes of `wide` and of the leading `moov`'s header become the header of one `mdat` that covers everything up
///    to the new `moov`, in one write inside the first 512 bytes; synced.
///
/// A crash before 3 leaves the fragmented movie, readable as before; finishing again repeats everything. After 3 the
/// movie is whole, and finishing again changes nothing.
package enum MovieFinisher {
    package struct Report: Sendable, Equatable {
        /// Samples in the final header, for each track id.
        package var sampleCounts: [UInt32: Int64] = [:]
        /// Bytes behind the last whole fragment that could not be kept.
        package var abandonedBytes: UInt64 = 0
        package var wasFinishedAlready = false
    }

    /// - Throws: `corruptData` when the file is no recording of ours, or the storage's error. The media stays as it is.
    @discardableResult
    package static func finish(_ storage: any MovieStorage, facts: FinishingFacts = .init()) throws(MediaError)
        -> Report
    {
        var atoms = try TopLevelAtoms(storage)
        guard let fileType = try atoms.header(at: 0), fileType.type == "ftyp" else {
            throw notARecording("no `ftyp` atom")
        }
        guard let second = try atoms.header(at: fileType.end) else { throw notARecording("it ends after `ftyp`") }
        if try isFinished(second, &atoms) { return Report(wasFinishedAlready: true) }
        guard second.type == "wide" || second.type == "free", let header = try atoms.header(at: second.end),
            header.type == "moov",
            let bytes = try atoms.contents(of: header), let leading = Atom(parsing: bytes)
        else { throw notARecording("its header is not whole") }

        let final = FinalHeader(leading: leading, facts: facts)
        let (indices, end) = try readFragments(after: header.end, tracks: final.trackIDs, &atoms)
        var report = Report()
        for (id, index) in indices { report.sampleCounts[id] = Int64(index.table.sampleCount) }
        report.abandonedBytes = atoms.fileSize - end

        let movie = final.build(indices)
        try storage.write(movie, at: end)
        if atoms.fileSize > end + UInt64(movie.count) { try storage.truncate(to: end + UInt64(movie.count)) }
        try storage.synchronize()
        try storage.write(mediaDataHeader(from: second.offset, to: end, room: second.type), at: second.offset)
        try storage.synchronize()
        return report
    }

    /// What state a file is in, by its top-level atoms alone. Changes nothing.
    package static func health(of storage: any MovieStorage) throws(MediaError) -> MovieSummary.Health {
        var atoms = try TopLevelAtoms(storage)
        var position: UInt64 = 0
        var types: Set<FourCharCode> = []
        while let atom = try atoms.header(at: position) {
            types.insert(atom.type)
            position = atom.end
        }
        let isTorn = position < atoms.fileSize
        guard types.contains("ftyp") || types.contains("moov") else { return .unknown }
        guard types.contains("moov") else { return .torn }
        if types.contains("moof") || isTorn { return isTorn ? .torn : .unfinished }
        return types.contains("mdat") ? .whole : .unfinished
    }

    private static func notARecording(_ reason: String) -> MediaError {
        MediaError(.corruptData, "cannot finish the movie", reason: reason)
    }

    /// `mdat` from behind `ftyp`, and a `moov` at the end.
    private static func isFinished(
        _ second: TopLevelAtoms.Header, _ atoms: inout TopLevelAtoms
    ) throws(MediaError) -> Bool {
        var media = second
        if media.type == "wide" || media.type == "free", let next = try atoms.header(at: media.end) { media = next }
        guard media.type == "mdat", let last = try atoms.header(at: media.end) else { return false }
        return last.type == "moov" && last.end == atoms.fileSize
    }

    /// 16 bytes: `wide` or `free` and a 32-bit `mdat`, or a 64-bit `mdat` in the place of both.
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

    /// Reads every whole fragment's header. Returns the tracks' indices and where the last whole fragment ends.
    private static func readFragments(
        after start: UInt64, tracks: [UInt32], _ atoms: inout TopLevelAtoms
    ) throws(MediaError) -> ([UInt32: FinalHeader.TrackIndex], UInt64) {
        var indices: [UInt32: FinalHeader.TrackIndex] = [:]
        for id in tracks { indices[id] = FinalHeader.TrackIndex() }
        var position = start
        while let fragment = try atoms.header(at: position), fragment.type == "moof",
            let media = try atoms.header(at: fragment.end), media.type == "mdat",
            let bytes = try atoms.contents(of: fragment),
            let parts = FragmentReader.tracks(inMovieFragment: bytes)
        {
            let body = (fragment.size + media.headerSize)..<(fragment.size + media.size)
            guard parts.allSatisfy({ $0.isPlausible(media: body) }) else { break }
            for part in parts { indices[part.id]?.add(part, fragmentOffset: fragment.offset) }
            position = media.end
        }
        return (indices, position)
    }
}

extension FinalHeader.TrackIndex {
    /// Adds the samples of one fragment as one chunk.
    fileprivate mutating func add(_ part: FragmentReader.Track, fragmentOffset: UInt64) {
        guard !part.runs.isEmpty, table.hasRoom(for: part.sampleCount) else { return }
        if table.sampleCount == 0 {
            firstDecodeTime = part.decodeTime
        } else if part.decodeTime > lastDecodeTime {
            // The sample before lasts until this one.
            table.setLastDuration(UInt32(clamping: part.decodeTime - lastDecodeTime))
        }
        var time = part.decodeTime
        var count: UInt32 = 0
        for run in part.runs {
            table.append(
                count: run.count, duration: run.duration, size: run.size, compositionOffset: run.compositionOffset,
                isKeyFrame: run.isKeyFrame)
            let length = UInt64(run.duration) * UInt64(run.count)
            note(
                shown: Int64(time) + Int64(run.compositionOffset), count: run.count, duration: run.duration,
                isReordered: run.compositionOffset != 0)
            lastDecodeTime = time + length - UInt64(run.duration)
            time += length
            count += run.count
        }
        table.endChunk(offset: fragmentOffset + UInt64(max(0, part.dataOffset)), count: count)
    }
}

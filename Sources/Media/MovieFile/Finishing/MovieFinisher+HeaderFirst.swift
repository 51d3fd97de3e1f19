package import MediaTypes

extension MovieFinisher {
    /// Writes the recording as an ordinary movie with its header first (`ftyp`, `moov`, `mdat`) into another file. A
    /// player on a network can then begin with the first bytes.
    ///
    /// The recording itself is not changed. After a crash it is repaired like any other, and the other file is useless
    /// (`RecordingFileName.rewriting`). The caller renames the other file after this returns. The media is copied,
    /// inside the kernel if the file systems support it.
    ///
    /// - Parameter target: an empty file. Stays empty if the recording already is an ordinary movie.
    /// - Throws: `corruptData` if the file is not one of our recordings, or a storage's error.
    @discardableResult
    package static func finish(
        _ storage: any MovieStorage, into target: any MovieStorage, facts: FinishingInfo = .init()
    ) throws(MediaError) -> Report {
        guard try target.size() == 0 else {
            throw MediaError(.outputExists, "cannot finalize the movie", reason: "the output file is not empty")
        }
        guard let head = try ExaminedRecording(storage, facts: facts) else { return Report(wasFinishedAlready: true) }
        return try write(head, of: storage, into: target)
    }

    /// Writes a movie that is not repaired in place to another file. Also accepts fragments of another program, and
    /// partial copies of finalized recordings.
    ///
    /// - Throws: `corruptData` if there are no fragments in the file, or a storage's error.
    static func rewrite(_ storage: any MovieStorage, into target: any MovieStorage) throws(MediaError) -> Report {
        do throws(MediaError) {
            return try finish(storage, into: target)
        } catch {
            guard error.code == .corruptData, let foreign = try ForeignRecording(storage) else { throw error }
            return try write(foreign.examined(storage, facts: .init()), of: storage, into: target)
        }
    }

    private static func write(
        _ head: ExaminedRecording, of storage: any MovieStorage, into target: any MovieStorage
    ) throws(MediaError) -> Report {
        let (final, survey) = (head.final, head.survey)
        let media = head.end..<survey.end
        let mediaHeader = mediaDataHeader(media.upperBound - media.lowerBound)
        let before = UInt64(head.fileType.count + mediaHeader.count)

        // The size of offsets, 32 or 64 bits, affects the header's length, which in turn affects the offsets.
        var (moov, duration) = final.assemble(survey.indices, hasLongOffsets: true)
        let furthest = before + moov.length + (survey.largestChunkOffset - min(survey.largestChunkOffset, head.end))
        let hasLongOffsets = furthest > UInt64(UInt32.max)
        if !hasLongOffsets { (moov, duration) = final.assemble(survey.indices, hasLongOffsets: false) }
        try check(moov)

        let start = before + moov.length
        try target.write(head.fileType, at: 0)
        try write(
            moov, of: survey, to: target, at: UInt64(head.fileType.count), hasLongOffsets: hasLongOffsets,
            shift: start &- head.end, from: storage)
        try target.write(mediaHeader, at: start - UInt64(mediaHeader.count))
        try storage.copy(media, to: target, at: start)
        try target.synchronize()
        return report(survey, duration, fileSize: head.fileSize)
    }

    private static func mediaDataHeader(_ length: UInt64) -> [UInt8] {
        var writer = AtomWriter()
        if length + 8 <= UInt64(UInt32.max) {
            writer.u32(UInt32(length + 8))
            writer.code("mdat")
        } else {
            writer.u32(1)
            writer.code("mdat")
            writer.u64(length + 16)
        }
        return writer.bytes
    }
}

import MediaTypes

/// A recording before it is finalized: its leading header, and the contents of its fragments. Examining the recording
/// does not change the file.
struct ExaminedRecording {
    let final: FinalHeader
    let survey: RecordingSurvey
    /// The file type atom (`ftyp`), with its header.
    let fileType: [UInt8]
    let room: TopLevelAtoms.Header
    /// The start of the media: the first fragment, or samples before it.
    let end: UInt64
    let fileSize: UInt64
    /// True if the file no longer begins with the file type.
    private(set) var isFileTypeLost = false

    /// Examines a file. Returns nil for an ordinary movie.
    ///
    /// - Throws: `corruptData` if the file is not one of our recordings, or the storage's error.
    init?(_ storage: any MovieStorage, facts: FinishingInfo) throws(MediaError) {
        var atoms = try TopLevelAtoms(storage)
        fileSize = atoms.fileSize
        var head: RecordingHead
        do throws(MediaError) {
            head = try RecordingHead(&atoms)
        } catch {
            guard error.code == .corruptData, let copy = try Self.copiedHead(storage, &atoms) else { throw error }
            head = copy
        }
        guard head.state == .recording, let leading = head.leading, let room = head.room else { return nil }
        let facts = try facts.adding(notesOf: storage, to: leading)
        if let survey = try RecordingSurvey(
            FinalHeader(leading: leading, facts: facts), from: head.end, atoms, storage, index: facts.index)
        {
            // A file that ends with its header is an empty recording. Unknown bytes are left alone.
            if fileSize > head.end { try Self.check(survey) }
            (self.survey, final) = (survey, FinalHeader(leading: leading, facts: facts))
            (fileType, self.room, end) = (head.fileType, room, head.end)
        } else {
            let ids = FinalHeader(leading: leading, facts: facts).tracks.map(\.id)
            var damaged = try DamagedRecording(storage, from: head.end, tracks: Set(ids))
            // A copy has a checksum; the header itself has none.
            if let copy = RecordingHead(copy: damaged.leadingHeader), copy.leading != leading || copy.end != head.end {
                head = copy
                damaged = try DamagedRecording(
                    storage, from: head.end,
                    tracks: Set(FinalHeader(leading: copy.leading ?? leading, facts: facts).tracks.map(\.id)))
            }
            let plain = FinalHeader(leading: head.leading ?? leading, facts: facts)
            let survey = try RecordingSurvey(plain, damaged, storage)
            try Self.check(survey)
            (self.survey, final) = (survey, FinalHeader(leading: plain.leading, facts: facts.adding(survey.gaps)))
            (fileType, self.room, end) = (head.fileType, head.room ?? room, head.end)
        }
        let start = try atoms.bytes(at: 0, count: fileType.count)
        isFileTypeLost = start != fileType
    }

    /// Creates a recording from fragments that were found one by one.
    init(
        _ plain: FinalHeader, _ survey: RecordingSurvey, fileType: [UInt8], end: UInt64, fileSize: UInt64,
        facts: FinishingInfo
    ) throws(MediaError) {
        try Self.check(survey)
        (self.survey, final) = (survey, FinalHeader(leading: plain.leading, facts: facts.adding(survey.gaps)))
        (self.fileType, self.end, self.fileSize) = (fileType, end, fileSize)
        room = TopLevelAtoms.Header(type: "free", offset: UInt64(fileType.count), size: 8, headerSize: 8)
    }

    private static func check(_ survey: RecordingSurvey) throws(MediaError) {
        guard survey.indices.values.contains(where: { !$0.times.isEmpty }) else {
            throw MediaError(.corruptData, "cannot finalize the movie", reason: "it contains no complete sample")
        }
    }

    /// Returns the leading header from a later copy, if the one at the start is damaged. Returns nil if the file is an
    /// incomplete copy of a finalized movie, because that file may still grow.
    private static func copiedHead(_ storage: any MovieStorage, _ atoms: inout TopLevelAtoms) throws(MediaError)
        -> RecordingHead?
    {
        var search = try FragmentSearch(storage, tracks: nil)
        var position: UInt64 = 0
        while let piece = try search.next(from: position) {
            guard case .copy(let copy) = piece, let head = RecordingHead(copy: copy.leadingHeader) else {
                position = piece.start + 8
                continue
            }
            return try RecordingHead.isHalfMovie(at: head.room?.offset ?? 0, &atoms) ? nil : head
        }
        return nil
    }
}

extension FinishingInfo {
    /// Adds the clock notes that were stored before a crash. Not used when the writer itself finalizes, because the
    /// writer has newer facts.
    fileprivate func adding(notesOf storage: any MovieStorage, to leading: Atom) throws(MediaError) -> FinishingInfo {
        guard index == nil, !metadata.contains(where: { $0.key == MetadataItem.clockKey }),
            let clock = try ClockNote.gathered(from: storage)
        else { return self }
        var facts = self
        let known = RecordingClock(MovieMetadata.read(from: leading))
        facts.metadata.append((known?.adding(clock) ?? clock).metadataItem)
        return facts
    }

    /// Adds the gaps that damage caused. They are listed in the metadata, where players and users find them.
    fileprivate func adding(_ gaps: [MissingRange]) -> FinishingInfo {
        guard !gaps.isEmpty else { return self }
        var facts = self
        facts.metadata.append(MetadataItem(key: MetadataItem.missingKey, value: MissingRange.text(gaps)))
        return facts
    }
}

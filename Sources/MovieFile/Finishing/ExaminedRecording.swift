import MediaTypes

/// A recording before it is finished: its leading header and what its fragments hold. Nothing is changed by looking.
struct ExaminedRecording {
    let final: FinalHeader
    let survey: RecordingSurvey
    /// `ftyp`, with its header.
    let fileType: [UInt8]
    let room: TopLevelAtoms.Header
    /// Where the first fragment begins.
    let end: UInt64
    let fileSize: UInt64
    /// The file does not begin with the file type any more.
    private(set) var isFileTypeLost = false

    /// nil for an ordinary movie.
    ///
    /// - Throws: `corruptData` when the file is no recording of ours, or the storage's error.
    init?(_ storage: any MovieStorage, facts: FinishingFacts) throws(MediaError) {
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
            // A file that ends with its header was a recording of nothing; but bytes that nobody knows are left alone.
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

    /// Of fragments that were found one by one.
    init(
        _ plain: FinalHeader, _ survey: RecordingSurvey, fileType: [UInt8], end: UInt64, fileSize: UInt64,
        facts: FinishingFacts
    ) throws(MediaError) {
        try Self.check(survey)
        (self.survey, final) = (survey, FinalHeader(leading: plain.leading, facts: facts.adding(survey.gaps)))
        (self.fileType, self.end, self.fileSize) = (fileType, end, fileSize)
        room = TopLevelAtoms.Header(type: "free", offset: UInt64(fileType.count), size: 8, headerSize: 8)
    }

    private static func check(_ survey: RecordingSurvey) throws(MediaError) {
        guard survey.indices.values.contains(where: { !$0.times.isEmpty }) else {
            throw MediaError(.corruptData, "cannot finish the movie", reason: "it holds not one whole sample")
        }
    }

    /// The leading header by a copy behind it, where it is damaged. A finished movie that is being copied, or was half copied,
    /// is left alone: it may still grow.
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

extension FinishingFacts {
    /// With what the clock said until a crash; the writer itself knows more.
    fileprivate func adding(notesOf storage: any MovieStorage, to leading: Atom) throws(MediaError) -> FinishingFacts {
        guard index == nil, !metadata.contains(where: { $0.key == MetadataItem.clockKey }),
            let clock = try ClockNote.gathered(from: storage)
        else { return self }
        var facts = self
        let known = RecordingClock(MovieMetadata.read(from: leading))
        facts.metadata.append((known?.adding(clock) ?? clock).metadataItem)
        return facts
    }

    /// With what damage took, where players and people find it.
    fileprivate func adding(_ gaps: [MissingStretch]) -> FinishingFacts {
        guard !gaps.isEmpty else { return self }
        var facts = self
        facts.metadata.append(MetadataItem(key: MetadataItem.missingKey, value: MissingStretch.text(gaps)))
        return facts
    }
}

package import MediaTypes

/// A packet on its way into the file.
package struct TrackSample: Sendable {
    /// Index of its track, from 0.
    package var track: Int
    package var sample: SampleBuffer
    /// How many captured samples are safe once this packet is: what the ledger then counts as written.
    package var accountsFor: Int64
    /// The first one of another session, behind a gap: the sample before does not last until it. It is the first one of its track
    /// in its fragment.
    package var beginsSession = false
    package init(track: Int, sample: SampleBuffer, accountsFor: Int64 = 1) {
        self.track = track
        self.sample = sample
        self.accountsFor = accountsFor
    }
}

/// Writes a movie in fragments, each with one sync. Knows no threads: one thread at a time calls it.
///
/// Layout of the file while it grows: `ftyp`, `wide` or `free` (eight bytes that make room for a 64-bit length), `moov`
/// (formats, no samples), then `moof` + `mdat` for every fragment, in front of each a copy of the head before (`HeadCopy`),
/// and now and then an index block (`FragmentIndex`) and what the clock says (`ClockNote`). `MovieFinisher` makes an ordinary
/// movie of it.
package final class MovieFileWriter {
    private struct TrackState {
        var track: MovieTrack
        /// Ticks added to times since the session start, so that decode times begin at zero or above.
        var lead: Int64 = 0
        var isInHeader = false
        /// Why it has no place in the file.
        var refusal: MediaError?
        /// The decode time after which the next sample must come.
        var nextDecodeTime: Int64 = 0
        var nominalDuration: UInt32 = 0
        /// A seal has told how its samples are to be understood.
        var isSealed = false
        /// The format of the sample that was looked at last, and its entry in the sample description table, from 1.
        var lastFormat: (format: FormatDescription, description: UInt32)?
        /// Of the fragment that is being written: empty between fragments, but its memory stays.
        var runs: [FragmentBuilder.Run] = []

        var isPCM: Bool { track.format?.audio?.bytesPerFrame != nil }
    }

    private let storage: any FragmentOutput
    private let sealing: (any FragmentSealing)?
    private let sessionStart: MediaTime
    private let keepsIndex: Bool
    private var tracks: [TrackState]
    /// What is in the fragment that is being written; empty between fragments.
    private var fragments: [FragmentBuilder.Track] = []
    private var sequenceNumber: UInt32 = 0
    private var buffer = AtomWriter()
    private let block = GatheredBlock()
    private var header: LeadingHeader
    /// The header stands in the file, or there is a copy of it, as it is now.
    private var isHeaderCopied = false
    /// Goes in front of the next fragment but the first.
    private var note: RecordingClock?
    /// What the finisher of this file is told of its fragments.
    package internal(set) var index = FragmentIndex()
    /// Bytes of media past which a batch becomes several fragments.
    private let largestFragment: Int
    /// Bytes in the file.
    package private(set) var byteCount: UInt64 = 0

    /// - Parameters:
    ///   - storage: an empty file, or a stream.
    ///   - keepsIndex: puts index blocks into the file, for the finisher.
    ///   - fileType: the container, which decides between QuickTime's and MPEG-4's forms of some atoms.
    ///   - timeScale: ticks per second of movie-level times.
    ///   - creationTime: seconds since 1970.
    ///   - sessionStart: the moment, in the samples' clock, that becomes time 0 of the movie.
    ///   - sealing: gives each fragment a seal.
    ///   - largestFragment: bytes of media past which a batch becomes several fragments.
    package init(
        storage: any FragmentOutput, fileType: FileType = .mov, timeScale: Int32, creationTime: Int64,
        metadata: [MetadataItem], tracks: [MovieTrack], sessionStart: MediaTime, keepsIndex: Bool = true,
        sealing: (any FragmentSealing)? = nil, largestFragment: Int = 1 << 30
    ) {
        self.sealing = sealing
        self.keepsIndex = keepsIndex
        self.largestFragment = largestFragment
        self.storage = storage
        header = LeadingHeader(
            fileType: fileType, timeScale: timeScale, creationTime: creationTime, metadata: metadata)
        self.sessionStart = sessionStart
        self.tracks = tracks.map { TrackState(track: $0) }
    }

    /// Writes a batch of packets as one fragment and syncs it. The first one writes the header too; a track whose format nobody
    /// knew then is entered into it with its first packet.
    ///
    /// - Parameters:
    ///   - batch: packets in the order of their arrival; each track's in decode order.
    ///   - next: the packet after this batch, where that is known.
    ///   - clock: what the file's clock has to tell since the last one.
    /// - Throws: the storage's error; what was synced before is untouched.
    package func writeFragment(
        _ batch: [TrackSample], next: TrackSample? = nil, clock: RecordingClock? = nil
    ) throws(MediaError) {
        guard !batch.isEmpty else { return }
        buffer.removeAll()
        if let clock { note = note.map { $0.adding(clock) } ?? clock }
        let isFirst = sequenceNumber == 0
        let isNew = enterTracks(batch, isFirst: isFirst)
        // A stream has its new header before the fragment that needs it.
        if isFirst || isNew && !keepsIndex { buffer.raw(header.bytes) }
        if isNew { isHeaderCopied = false }
        try write(batch[...], next: next)
        // In a file the fragment comes first, with a copy of the new header in front of it: so one of the two is whole at any
        // moment, and the newest copy tells.
        guard isNew, !isFirst, keepsIndex else { return }
        try storage.write(header.bytes, at: 0)
        try storage.synchronize()
    }

    private func write(_ batch: ArraySlice<TrackSample>, next: TrackSample?) throws(MediaError) {
        if let change = formatChange(in: batch) {
            try write(batch[..<change], next: batch[change])
            return try write(batch[change...], next: next)
        }
        // A run's place in its fragment has 31 bits (ISO/IEC 14496-12, 8.8.8): what is larger becomes several.
        let size = batch.reduce(0) { $0 + $1.sample.byteCount }
        if size > largestFragment, batch.count > 1 {
            let middle = batch.startIndex + batch.count / 2
            try write(batch[..<middle], next: batch[middle])
            return try write(batch[middle...], next: next)
        }
        defer {
            fragments.removeAll(keepingCapacity: true)
            for index in tracks.indices { tracks[index].runs.removeAll(keepingCapacity: true) }
        }
        for index in tracks.indices where tracks[index].isInHeader && tracks[index].refusal == nil {
            let isFollowed = next?.track == index && next?.beginsSession == false
            let following = isFollowed ? next.map { decodeTicks($0.sample, track: index) } : nil
            if let track = layOut(batch, track: index, following: following) { fragments.append(track) }
        }
        sequenceNumber += 1
        guard !fragments.isEmpty else { return try writeBuffer() }
        // In the same write, so that a fragment is still one.
        let block = index.isFull ? byteCount + UInt64(buffer.count) : nil
        if block != nil { index.writeBlock(into: &buffer) }
        // Right behind the fragment that it is of, as far as it is not the index that stands there.
        writeCopies(isBlockDue: block != nil)
        // The leading header ends where the first fragment begins; and a stream has no repair.
        if keepsIndex, sequenceNumber > 1, let note = note.take() { ClockNote.write(note, into: &buffer) }
        let (start, place) = (buffer.count, byteCount + UInt64(buffer.count))
        var stored = StoredPieces()
        FragmentBuilder.write(
            fragments, sequenceNumber: sequenceNumber, at: place, seal: seal(), into: &buffer, stored: &stored)
        try writeBuffer(among: stored)
        sealing?.fragmentWritten()
        if keepsIndex { index.note(fragment: buffer.bytes[start...], at: place, block: block) }
        buffer.removeAll()
    }

    /// Of the fragment that is being written; nothing where nobody asks for seals.
    private func seal() -> [UInt8] {
        guard let sealing else { return [] }
        let described = fragments.map { part in
            let index = tracks.firstIndex { $0.track.id == part.id }
            let isNew = index.map { !tracks[$0].isSealed } ?? false
            if let index { tracks[index].isSealed = true }
            return FragmentContents.Track(
                id: part.id, isNew: isNew, decodeTime: part.decodeTime,
                isOne: index.map { tracks[$0].isPCM } ?? false, runs: part.runs)
        }
        return sealing.seal(
            FragmentContents(number: sequenceNumber, tracks: described, leadingHeader: header.bytes))
    }

    /// The head of the fragment before. In front of the second, fourth, eighth … one and with each index block the leading
    /// header too: two copies close to each other may be hit by the same damage.
    private func writeCopies(isBlockDue: Bool) {
        guard keepsIndex, sequenceNumber > 1 else { return }
        let isRepeated =
            (isBlockDue || sequenceNumber & (sequenceNumber - 1) == 0)
            && header.bytes.count <= HeadCopy.largestRepeatedHeader
        index.writeCopy(leadingHeader: isRepeated || !isHeaderCopied ? header.bytes : [], into: &buffer)
        isHeaderCopied = true
    }

    private func writeBuffer(among stored: StoredPieces = StoredPieces()) throws(MediaError) {
        try stored.write(among: buffer.bytes, to: storage, at: byteCount, using: block)
        byteCount += UInt64(buffer.count + stored.byteCount)
        try storage.synchronize()
    }

    /// Why a track has no place in the file, where it has none; its samples are then left out.
    package func refusal(track index: Int) -> MediaError? { tracks[index].refusal }

    /// Enters the tracks that are known now into the header.
    ///
    /// - Returns: whether that changed it.
    private func enterTracks(_ batch: [TrackSample], isFirst: Bool) -> Bool {
        var entered: [Int] = []
        for index in tracks.indices where !tracks[index].isInHeader && tracks[index].refusal == nil {
            let first = batch.first { $0.track == index }?.sample
            if let first, tracks[index].track.mayChangeFormat, let format = tracks[index].track.format,
                !first.format.isDescribed(by: format) || first.format.completes(format)
            {
                tracks[index].track.format = format.changed(to: first.format)
            }
            if let first, tracks[index].track.format == nil {
                tracks[index].track.format = first.format
                // Sound counts in its own samples, which nobody knew before.
                if let audio = first.format.audio { tracks[index].track.timeScale = Int32(clamping: audio.sampleRate) }
            }
            guard tracks[index].track.format != nil else { continue }
            let early = first.map { -decodeTicks($0, track: index) } ?? Int64(tracks[index].track.primingFrames)
            tracks[index].lead = max(0, early)
            tracks[index].isInHeader = true
            entered.append(index)
        }
        let changed = enterFormats(batch)
        if isFirst {
            let changing = tracks.count(where: { $0.isInHeader && $0.track.mayChangeFormat })
            header.begin(entries, missing: keepsIndex ? tracks.count - entered.count + changing : 0)
            return true
        }
        guard !entered.isEmpty || !changed.isEmpty else { return false }
        guard keepsIndex else {
            header.renew(entries)
            return true
        }
        guard let missing = header.replace(entries) else { return true }
        for index in entered {
            tracks[index].isInHeader = false
            tracks[index].refusal = MediaError(
                .invalidSample, "cannot put the \(tracks[index].track.mediaType) track into the movie",
                reason:
                    "its first sample came after the header was written, which has \(missing) bytes too few for its "
                    + "format",
                wayOut: "give the input a sourceFormatHint, or append its first sample earlier; the other tracks are "
                    + "kept, and `recorder repair` makes them whole")
        }
        for (index, count) in changed {
            tracks[index].track.otherFormats.removeLast(count)
            tracks[index].refusal = MediaError(
                .invalidSample, "cannot put another format into the \(tracks[index].track.mediaType) track",
                reason: "the header has \(missing) bytes too few for its description",
                wayOut: "write what follows to another file; `recorder repair` finalizes this one")
        }
        return false
    }

    // MARK: Formats that change

    /// Adds an entry to the sample description table for each format that is new in a batch.
    ///
    /// - Returns: the number of new entries by the place of the track.
    private func enterFormats(_ batch: [TrackSample]) -> [Int: Int] {
        var added: [Int: Int] = [:]
        for packet in batch where tracks[packet.track].track.mayChangeFormat {
            let index = packet.track
            guard tracks[index].isInHeader, let first = tracks[index].track.format,
                description(of: packet.sample, track: index) == nil
            else { continue }
            tracks[index].track.otherFormats.append(first.changed(to: packet.sample.format))
            added[index, default: 0] += 1
            // The next seal tells of the new entry.
            tracks[index].isSealed = false
        }
        return added
    }

    /// Which entry of the sample description table describes a sample, from 1; nil: none does yet.
    private func description(of sample: SampleBuffer, track index: Int) -> UInt32? {
        guard tracks[index].track.mayChangeFormat, let first = tracks[index].track.format else { return 1 }
        if let last = tracks[index].lastFormat, last.format == sample.format { return last.description }
        let formats = [first] + tracks[index].track.otherFormats
        guard let place = formats.firstIndex(where: { sample.format.isDescribed(by: $0) }) else { return nil }
        tracks[index].lastFormat = (sample.format, UInt32(place + 1))
        return UInt32(place + 1)
    }

    /// Where in a batch a track's samples get another description: a fragment has one for each track.
    private func formatChange(in batch: ArraySlice<TrackSample>) -> Int? {
        guard tracks.contains(where: { !$0.track.otherFormats.isEmpty }) else { return nil }
        var descriptions: [Int: UInt32] = [:]
        for place in batch.indices where tracks[batch[place].track].track.mayChangeFormat {
            let (index, sample) = (batch[place].track, batch[place].sample)
            guard let own = description(of: sample, track: index) else { continue }
            if let first = descriptions[index], first != own { return place }
            descriptions[index] = own
        }
        return nil
    }

    /// Those of the header.
    private var entries: [(track: MovieTrack, editStart: Int64)] {
        tracks.filter(\.isInHeader).map { ($0.track, $0.lead) }
    }

    /// Ticks since the session start, plus the track's lead.
    private func decodeTicks(_ sample: SampleBuffer, track index: Int) -> Int64 {
        ticks(sample.decodeTime ?? sample.presentationTime, track: index)
    }

    private func ticks(_ time: MediaTime, track index: Int) -> Int64 {
        (time - sessionStart).ticks(in: tracks[index].track.timeScale) + tracks[index].lead
    }

    /// What a batch holds of one track; nil for nothing.
    ///
    /// - Parameter following: when the track's next sample is decoded, where that is known.
    private func layOut(
        _ batch: ArraySlice<TrackSample>, track index: Int, following: Int64?
    ) -> FragmentBuilder.Track? {
        let isPCM = tracks[index].isPCM
        let isSound = tracks[index].track.mediaType == .audio
        // Decode times never step back and never fall before zero, whatever arrives.
        var floor = tracks[index].nextDecodeTime
        var first: Int64?
        var last: (time: Int64, duration: MediaTime?)?
        var entry: UInt32?
        for packet in batch where packet.track == index {
            let sample = packet.sample
            entry = entry ?? description(of: sample, track: index)
            let time = max(floor, decodeTicks(sample, track: index))
            endRun(last, at: time, track: index, isPCM: isPCM)
            floor = time + 1
            first = first ?? time
            last = nil
            guard case .data(let data) = sample.content else { continue }
            let count = UInt32(clamping: isPCM ? sample.sampleCount : 1)
            tracks[index].runs.append(
                FragmentBuilder.Run(
                    data: data, count: count, size: UInt32(clamping: data.count / Int(max(count, 1))), duration: 1,
                    // Sound is heard as it is decoded: what was moved behind the sample before is heard there.
                    compositionOffset: isSound
                        ? 0 : Int32(clamping: ticks(sample.presentationTime, track: index) - time),
                    isKeyFrame: sample.isKeyFrame))
            last = (time, sample.duration)
        }
        guard let first else { return nil }
        endRun(last, at: following, track: index, isPCM: isPCM)
        tracks[index].nextDecodeTime = floor
        guard !tracks[index].runs.isEmpty else { return nil }
        let track = tracks[index].track
        return FragmentBuilder.Track(
            id: track.id, decodeTime: UInt64(max(0, first)), runs: tracks[index].runs, timeScale: track.timeScale,
            lead: tracks[index].lead, chunkDuration: track.chunkDuration, chunkAlignment: track.chunkAlignment,
            description: entry ?? 1)
    }

    /// Sets how long the last run lasts: until the next sample, where that is known.
    private func endRun(_ last: (time: Int64, duration: MediaTime?)?, at end: Int64?, track index: Int, isPCM: Bool) {
        guard let last, !isPCM else { return }
        var duration = tracks[index].nominalDuration
        if let end, end > last.time {
            duration = UInt32(clamping: end - last.time)
            tracks[index].nominalDuration = duration
        } else if let own = last.duration {
            duration = UInt32(clamping: own.ticks(in: tracks[index].track.timeScale))
        }
        tracks[index].runs[tracks[index].runs.count - 1].duration = duration
    }
}

package import MediaTypes

/// A packet to be written to the file.
package struct TrackSample: Sendable {
    /// The index of the packet's track, from 0.
    package var track: Int
    package var sample: SampleBuffer
    /// The number of captured samples that are safe once this packet is written. The ledger then counts them as
    /// written.
    package var accountsFor: Int64
    /// True for the first packet of a later session: the previous sample ends before the gap. The packet must be the
    /// first of its track in its fragment.
    package var beginsSession = false
    package init(track: Int, sample: SampleBuffer, accountsFor: Int64 = 1) {
        self.track = track
        self.sample = sample
        self.accountsFor = accountsFor
    }
}

/// Writes a movie in fragments, and syncs each fragment once. Has no threads of its own: one thread at a time calls it.
///
/// Layout of the file while it grows: `ftyp`, `wide` or `free` (eight bytes reserved for a 64-bit length), `moov`
/// (formats, no samples), then `moof` + `mdat` for every fragment. Before each fragment is a copy of the previous head
/// (`HeadCopy`), and sometimes an index block (`FragmentIndex`) or a clock note (`ClockNote`). `MovieFinisher` turns
/// the file into an ordinary movie.
package final class MovieFileWriter {
    private struct TrackState {
        var track: MovieTrack
        /// The number of ticks added to all times since the session start, so that no decode time is negative.
        var lead: Int64 = 0
        var isInHeader = false
        /// The reason why the track cannot be stored in the file.
        var refusal: MediaError?
        /// The minimum decode time of the next sample.
        var nextDecodeTime: Int64 = 0
        var nominalDuration: UInt32 = 0
        /// True if a seal contains the information for interpreting the track's samples.
        var isSealed = false
        /// The format of the last sample, and its entry in the sample description table, from 1.
        var lastFormat: (format: FormatDescription, description: UInt32)?
        /// The runs of the current fragment. Emptied between fragments, but its memory is kept.
        var runs: [FragmentBuilder.Run] = []

        var isPCM: Bool { track.format?.audio?.bytesPerFrame != nil }
    }

    private let storage: any FragmentOutput
    private let sealing: (any FragmentSealing)?
    private let sessionStart: MediaTime
    private let keepsIndex: Bool
    private var tracks: [TrackState]
    /// The tracks of the current fragment; empty between fragments.
    private var fragments: [FragmentBuilder.Track] = []
    /// The number of the last fragment, from 1. Repair regards a missing number as a lost fragment.
    private var sequenceNumber: UInt32 = 0
    /// True once a batch was written, even if it had no sample for the file.
    private var hasBegun = false
    private var buffer = AtomWriter()
    private let block = GatheredBlock()
    private var header: LeadingHeader
    /// True if the file contains the current header at its start, or a copy of it.
    private var isHeaderCopied = false
    /// The clock note to write before the next fragment. None is written before the first fragment.
    private var note: RecordingClock?
    /// The positions of the fragments, for the finisher of this file.
    package internal(set) var index = FragmentIndex()
    /// The number of media bytes above which a batch is divided into several fragments.
    private let largestFragment: Int
    /// The size of the file in bytes.
    package private(set) var byteCount: UInt64 = 0

    /// - Parameters:
    ///   - storage: an empty file, or a stream.
    ///   - fileType: the container, which selects the QuickTime or MPEG-4 form of some atoms.
    ///   - timeScale: ticks per second of movie-level times.
    ///   - creationTime: seconds since 1970.
    ///   - sessionStart: the time, in the samples' clock, that becomes time 0 of the movie.
    ///   - keepsIndex: true to put index blocks into the file, for the finisher.
    ///   - sealing: creates a seal for each fragment.
    ///   - largestFragment: the number of media bytes above which a batch is divided into several fragments.
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

    /// Writes a batch of packets as one fragment and syncs it. A batch that is too large, or in which a format changes
    /// or PCM has a gap, becomes several fragments. The first call also writes the header. If the format of a track is
    /// not known at that time, the track is added to the header with its first packet.
    ///
    /// - Parameters:
    ///   - batch: packets in the order of their arrival; those of each track in decode order.
    ///   - next: the packet after this batch, if known.
    ///   - clock: new readings of the file's clock since the last call.
    /// - Throws: the storage's error. Data that was synced before is not affected.
    package func writeFragment(
        _ batch: [TrackSample], next: TrackSample? = nil, clock: RecordingClock? = nil
    ) throws(MediaError) {
        guard !batch.isEmpty else { return }
        buffer.removeAll()
        if let clock { note = note.map { $0.adding(clock) } ?? clock }
        let isFirst = !hasBegun
        hasBegun = true
        let isNew = enterTracks(batch, isFirst: isFirst)
        // In a stream, the new header precedes the fragment that needs it.
        if isFirst || isNew && !keepsIndex { buffer.raw(header.bytes) }
        if isNew { isHeaderCopied = false }
        try write(batch[...], next: next)
        // In a file, the fragment is written first, with a copy of the new header before it. So at any moment either
        // the header or the copy is intact. If they differ, the newest copy is used.
        guard isNew, !isFirst, keepsIndex else { return }
        try storage.write(header.bytes, at: 0)
        try storage.synchronize()
    }

    private func write(_ batch: ArraySlice<TrackSample>, next: TrackSample?) throws(MediaError) {
        if let place = formatChange(in: batch) ?? gap(in: batch) {
            try write(batch[..<place], next: batch[place])
            return try write(batch[place...], next: next)
        }
        // The offset of a run in its fragment has 31 bits (ISO/IEC 14496-12, 8.8.8), so a larger batch is divided.
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
        guard !fragments.isEmpty else {
            try writeBuffer()
            return buffer.removeAll()
        }
        sequenceNumber += 1
        // The index block is part of the same write, so that there is still one write for each fragment.
        let block = index.isFull ? byteCount + UInt64(buffer.count) : nil
        if block != nil { index.writeBlock(into: &buffer) }
        // A copy of a head directly follows the fragment, or the index block after that fragment.
        writeCopies(isBlockDue: block != nil)
        // No note precedes the first fragment, because the first fragment begins where the leading header ends. A
        // stream has no notes, because it is not repaired.
        if keepsIndex, sequenceNumber > 1, let note = note.take() { ClockNote.write(note, into: &buffer) }
        let (start, place) = (buffer.count, byteCount + UInt64(buffer.count))
        var stored = StoredPieces()
        FragmentBuilder.write(
            fragments, sequenceNumber: sequenceNumber, at: place, seal: seal(), into: &buffer, stored: &stored)
        try writeBuffer(among: stored)
        sealing?.fragmentWritten()
        if keepsIndex { index.record(fragment: buffer.bytes[start...], at: place, block: block) }
        buffer.removeAll()
    }

    /// Returns the seal of the current fragment; empty without `sealing`.
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

    /// Writes a copy of the previous head. Also copies the leading header before the second, fourth, eighth … fragment,
    /// and with each index block. The copies are spread over the file, because the same damage may hit copies that are
    /// close to each other.
    private func writeCopies(isBlockDue: Bool) {
        guard keepsIndex, sequenceNumber > 1 else { return }
        let isRepeated =
            (isBlockDue || sequenceNumber & (sequenceNumber - 1) == 0)
            && header.bytes.count <= HeadCopy.largestRepeatedHeader
        index.writeCopy(leadingHeader: isRepeated || !isHeaderCopied ? header.bytes : [], into: &buffer)
        isHeaderCopied = true
    }

    private func writeBuffer(among stored: StoredPieces = StoredPieces()) throws(MediaError) {
        if stored.isEmpty {
            try storage.write(buffer.bytes, at: byteCount)
        } else {
            try stored.write(among: buffer.bytes, to: storage, at: byteCount, using: block)
        }
        byteCount += UInt64(buffer.count + stored.byteCount)
        try storage.synchronize()
    }

    /// Returns why a track cannot be stored in the file; nil if it can. The samples of a refused track are left out.
    package func refusal(track index: Int) -> MediaError? { tracks[index].refusal }

    /// Adds to the header the tracks whose formats are now known.
    ///
    /// - Returns: true if the header changed.
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
                // Audio is counted in audio frames, whose rate was unknown before.
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
                .invalidSample, "cannot add the \(tracks[index].track.mediaType) track to the movie",
                reason:
                    "its first sample came after the header was written, and the header is \(missing) bytes too small "
                    + "for its format",
                wayOut: "set a sourceFormatHint, or append its first sample earlier; the other tracks are "
                    + "kept, and `recorder repair` finalizes the file")
        }
        for (index, count) in changed {
            tracks[index].track.otherFormats.removeLast(count)
            tracks[index].refusal = MediaError(
                .invalidSample, "cannot add another format to the \(tracks[index].track.mediaType) track",
                reason: "the header is \(missing) bytes too small for its description",
                wayOut: "write the following samples to another file; `recorder repair` finalizes this one")
        }
        return false
    }

    // MARK: Formats that change

    /// Adds an entry to the sample description table for each new format in a batch.
    ///
    /// - Returns: the number of new entries by track index.
    private func enterFormats(_ batch: [TrackSample]) -> [Int: Int] {
        var added: [Int: Int] = [:]
        for packet in batch where tracks[packet.track].track.mayChangeFormat {
            let index = packet.track
            guard tracks[index].isInHeader, let first = tracks[index].track.format,
                description(of: packet.sample, track: index) == nil
            else { continue }
            tracks[index].track.otherFormats.append(first.changed(to: packet.sample.format))
            added[index, default: 0] += 1
            // The next seal covers the new entry.
            tracks[index].isSealed = false
        }
        return added
    }

    /// Returns the entry of the sample description table, from 1, that describes a sample; nil if there is none yet.
    private func description(of sample: SampleBuffer, track index: Int) -> UInt32? {
        guard tracks[index].track.mayChangeFormat, let first = tracks[index].track.format else { return 1 }
        if let last = tracks[index].lastFormat, last.format == sample.format { return last.description }
        let formats = [first] + tracks[index].track.otherFormats
        guard let place = formats.firstIndex(where: { sample.format.isDescribed(by: $0) }) else { return nil }
        tracks[index].lastFormat = (sample.format, UInt32(place + 1))
        return UInt32(place + 1)
    }

    /// Returns the index in a batch at which a track's samples change their description. A fragment has one description
    /// for each track.
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

    /// The longest gap in the PCM of a fragment that is closed, in milliseconds. `TrackIndexer` closes such gaps too.
    private static let closedGap: Int64 = 40

    /// Returns the index in a batch of the first PCM after a gap. A fragment states only the time of its first PCM
    /// frame, and all others follow without a gap. In a stream, fragments are segments and are not divided.
    private func gap(in batch: ArraySlice<TrackSample>) -> Int? {
        guard keepsIndex, tracks.contains(where: \.isPCM) else { return nil }
        // For each track, the end of its PCM if all of it is contiguous.
        var ends: [Int: Int64] = [:]
        for place in batch.indices where tracks[batch[place].track].isPCM {
            let (index, sample) = (batch[place].track, batch[place].sample)
            let time = decodeTicks(sample, track: index)
            let end = ends[index] ?? time
            if time - end > Int64(tracks[index].track.timeScale) * Self.closedGap / 1000 { return place }
            ends[index] = end + Int64(sample.sampleCount)
        }
        return nil
    }

    /// The tracks of the header.
    private var entries: [(track: MovieTrack, editStart: Int64)] {
        tracks.filter(\.isInHeader).map { ($0.track, $0.lead) }
    }

    /// Returns the decode time in ticks since the session start, plus the track's lead.
    private func decodeTicks(_ sample: SampleBuffer, track index: Int) -> Int64 {
        ticks(sample.decodeTime ?? sample.presentationTime, track: index)
    }

    private func ticks(_ time: MediaTime, track index: Int) -> Int64 {
        (time - sessionStart).ticks(in: tracks[index].track.timeScale) + tracks[index].lead
    }

    /// Returns the samples of one track in a batch; nil if there are none.
    ///
    /// - Parameter following: the decode time of the track's next sample, if known.
    private func layOut(
        _ batch: ArraySlice<TrackSample>, track index: Int, following: Int64?
    ) -> FragmentBuilder.Track? {
        let isPCM = tracks[index].isPCM
        let isAudio = tracks[index].track.mediaType == .audio
        // Decode times never decrease and are never below zero, whatever arrives.
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
                    // Audio is played at its decode time. A packet that was moved after the previous one is therefore
                    // played later.
                    compositionOffset: isAudio
                        ? 0 : Int32(clamping: ticks(sample.presentationTime, track: index) - time),
                    isKeyframe: sample.isKeyframe))
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

    /// Sets the duration of the last run. If the time of the next sample is known, the run lasts until then.
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

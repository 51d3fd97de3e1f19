package import MediaTypes

/// A packet on its way into the file.
package struct TrackSample: Sendable {
    /// Index of its track, from 0.
    package var track: Int
    package var sample: SampleBuffer
    /// How many captured samples are safe once this packet is: what the ledger then counts as written.
    package var accountsFor: Int64
    package init(track: Int, sample: SampleBuffer, accountsFor: Int64 = 1) {
        self.track = track
        self.sample = sample
        self.accountsFor = accountsFor
    }
}

/// Writes a movie in fragments, each with one write and one sync. Knows no threads: one thread at a time calls it.
///
/// Layout of the file while it grows: `ftyp`, `wide` or `free` (eight bytes that make room for a 64-bit length), `moov`
/// (formats, no samples), then `moof` + `mdat` for every fragment, in front of each a copy of the head before (`HeadCopy`),
/// and now and then an index block (`FragmentIndex`). `MovieFinisher` makes an ordinary movie of it.
package final class MovieFileWriter {
    private struct TrackState {
        var track: MovieTrack
        /// Ticks added to times since the session start, so that decode times begin at zero or above.
        var lead: Int64 = 0
        var isInHeader = false
        /// The decode time after which the next sample must come.
        var nextDecodeTime: Int64 = 0
        var nominalDuration: UInt32 = 0
        /// Of the fragment that is being written: empty between fragments, but its memory stays.
        var runs: [FragmentBuilder.Run] = []
    }

    private let storage: any FragmentOutput
    private let fileType: FileType
    private let timeScale: Int32
    private let creationTime: Int64
    private let metadata: [MetadataItem]
    private let sessionStart: MediaTime
    private let keepsIndex: Bool
    private var tracks: [TrackState]
    /// What is in the fragment that is being written; empty between fragments.
    private var fragments: [FragmentBuilder.Track] = []
    private var sequenceNumber: UInt32 = 0
    private var buffer = AtomWriter()
    /// What stands before the first fragment, as long as there is no copy of it in the file, and after that while it is
    /// small enough to be copied again.
    private var leadingHeader: [UInt8] = []
    private var isHeaderCopied = false
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
    ///   - largestFragment: bytes of media past which a batch becomes several fragments.
    package init(
        storage: any FragmentOutput, fileType: FileType = .mov, timeScale: Int32, creationTime: Int64,
        metadata: [MetadataItem], tracks: [MovieTrack], sessionStart: MediaTime, keepsIndex: Bool = true,
        largestFragment: Int = 1 << 30
    ) {
        self.keepsIndex = keepsIndex
        self.largestFragment = largestFragment
        self.storage = storage
        self.fileType = fileType
        self.timeScale = timeScale
        self.creationTime = creationTime
        self.metadata = metadata
        self.sessionStart = sessionStart
        self.tracks = tracks.map { TrackState(track: $0) }
    }

    /// Writes a batch of packets as one fragment and syncs it. The first one writes the header too.
    ///
    /// - Parameters:
    ///   - batch: packets in the order of their arrival; each track's in decode order.
    ///   - nextDecodeTime: for a track, when the packet after this batch is decoded, where that is known.
    /// - Throws: the storage's error; what was synced before is untouched.
    package func writeFragment(_ batch: [TrackSample], next: TrackSample? = nil) throws(MediaError) {
        guard !batch.isEmpty else { return }
        buffer.removeAll()
        if sequenceNumber == 0 { writeHeader(batch) }
        try write(batch[...], next: next)
    }

    private func write(_ batch: ArraySlice<TrackSample>, next: TrackSample?) throws(MediaError) {
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
        for index in tracks.indices where tracks[index].isInHeader {
            let following = next?.track == index ? next.map { decodeTicks($0.sample, track: index) } : nil
            if let track = layOut(batch, track: index, following: following) { fragments.append(track) }
        }
        sequenceNumber += 1
        guard !fragments.isEmpty else { return try writeBuffer() }
        // In the same write, so that a fragment is still one.
        let block = index.isFull ? byteCount + UInt64(buffer.count) : nil
        if block != nil { index.writeBlock(into: &buffer) }
        writeCopies(isBlockDue: block != nil)
        let (start, place) = (buffer.count, byteCount + UInt64(buffer.count))
        var stored = StoredPieces()
        FragmentBuilder.write(
            fragments, sequenceNumber: sequenceNumber, at: place, into: &buffer, stored: &stored)
        try stored.read(into: &buffer)
        try writeBuffer()
        if keepsIndex { index.note(fragment: buffer.bytes[start...], at: place, block: block) }
        buffer.removeAll()
    }

    /// The head of the fragment before. In front of the second, fourth, eighth … one and with each index block the leading
    /// header too: two copies close to each other may be hit by the same damage.
    private func writeCopies(isBlockDue: Bool) {
        guard keepsIndex, sequenceNumber > 1 else { return }
        let isHeaderDue = isBlockDue || !isHeaderCopied || sequenceNumber & (sequenceNumber - 1) == 0
        index.writeCopy(leadingHeader: isHeaderDue ? leadingHeader : [], into: &buffer)
        isHeaderCopied = true
        if leadingHeader.count > HeadCopy.largestRepeatedHeader { leadingHeader = [] }
    }

    private func writeBuffer() throws(MediaError) {
        try storage.write(buffer.bytes, at: byteCount)
        byteCount += UInt64(buffer.count)
        try storage.synchronize()
    }

    /// Whether a track's format came too late for the header; its samples are then left out.
    package func isLeftOut(track index: Int) -> Bool { sequenceNumber > 0 && !tracks[index].isInHeader }

    private func writeHeader(_ batch: [TrackSample]) {
        for index in tracks.indices {
            let first = batch.first { $0.track == index }?.sample
            if let first, tracks[index].track.format == nil {
                tracks[index].track.format = first.format
                // Sound counts in its own samples, which nobody knew before.
                if let audio = first.format.audio { tracks[index].track.timeScale = Int32(clamping: audio.sampleRate) }
            }
            tracks[index].isInHeader = tracks[index].track.format != nil
            let early = first.map { -decodeTicks($0, track: index) } ?? Int64(tracks[index].track.primingFrames)
            tracks[index].lead = max(0, early)
        }
        let dialect = MovieDialect(fileType)
        FileTypeAtom.write(fileType, into: &buffer)
        FileTypeAtom.writeRoom(dialect, into: &buffer)
        MovieHeader(
            dialect: dialect, timeScale: timeScale, creationTime: creationTime, metadata: metadata,
            tracks: tracks.filter(\.isInHeader).map { ($0.track, $0.lead) }
        ).write(into: &buffer)
        if keepsIndex { leadingHeader = buffer.bytes }
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
        let isPCM = tracks[index].track.format?.audio?.codec == .linearPCM
        // Decode times never step back and never fall before zero, whatever arrives.
        var floor = tracks[index].nextDecodeTime
        var first: Int64?
        var last: (time: Int64, duration: MediaTime?)?
        for packet in batch where packet.track == index {
            let sample = packet.sample
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
                    compositionOffset: Int32(clamping: ticks(sample.presentationTime, track: index) - time),
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
            lead: tracks[index].lead, chunkDuration: track.chunkDuration, chunkAlignment: track.chunkAlignment)
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

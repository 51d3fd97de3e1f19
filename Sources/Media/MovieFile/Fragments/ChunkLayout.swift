import MediaTypes

/// Divides the samples of a fragment into chunks, and assigns each chunk its position in the media data.
///
/// A chunk is a contiguous run of samples of one track. Chunks are ordered by the time of their first sample, whatever
/// their track. Packets that are stored in another file keep the order of that file, so that adjacent packets are
/// copied in one operation. This exception does not apply to tracks with chunk settings.
struct ChunkLayout {
    struct Chunk {
        /// The index of the chunk's track in the fragment.
        var track: Int
        /// The decode time of the chunk's first sample, from the session start.
        var start: MediaTime
        var runs: [FragmentBuilder.Run] = []
        /// The number of zeros before the chunk, for the alignment of its track.
        var padding = 0
        /// The start of the chunk, relative to the start of the media data.
        var offset = 0
        /// The position in the fragment's bytes at which the chunk's data offset is filled in later.
        var offsetField = 0

        /// - Parameter time: the time of the chunk's first sample on the track's timeline, in ticks.
        init(track index: Int, at time: UInt64, of track: FragmentBuilder.Track) {
            let ticks = Int64(clamping: time).subtractingReportingOverflow(track.lead).partialValue
            (self.track, start) = (index, MediaTime(value: ticks, timescale: track.timeScale))
        }

        var byteCount: Int { runs.reduce(0) { $0 + $1.byteCount } }
        var sampleCount: Int { runs.reduce(0) { $0 + Int($1.count) } }
    }

    /// The chunks in the order of the media data.
    private(set) var chunks: [Chunk] = []
    /// The bytes of all chunks, including the padding between them.
    private(set) var byteCount = 0

    init(_ tracks: [FragmentBuilder.Track]) {
        chunks.reserveCapacity(tracks.count)
        let order = StoredOrder(tracks)
        for index in tracks.indices where order?.tracks.contains(index) != true { cut(tracks[index], index: index) }
        // Chunks with the same time keep the order of their tracks.
        for index in chunks.indices { chunks[index].offset = index }
        chunks.sort { ($0.start, $0.offset) < ($1.start, $1.offset) }
        if let order { chunks += order.chunks }
    }

    /// Assigns each chunk its position. The media data starts at `position` in the file.
    mutating func place(at position: UInt64, tracks: [FragmentBuilder.Track]) {
        byteCount = 0
        for index in chunks.indices {
            let alignment = UInt64(clamping: min(max(1, tracks[chunks[index].track].chunkAlignment), 1 << 24))
            let excess = (position + UInt64(byteCount)) % alignment
            chunks[index].padding = excess == 0 ? 0 : Int(alignment - excess)
            chunks[index].offset = byteCount + chunks[index].padding
            byteCount = chunks[index].offset + chunks[index].byteCount
        }
    }

    /// Records the position of a chunk's data offset.
    mutating func setOffsetField(_ position: Int, ofChunk index: Int) { chunks[index].offsetField = position }

    /// Divides a track into chunks no longer than the track's chunk duration. A single sample may exceed that duration,
    /// and is then a chunk.
    private mutating func cut(_ track: FragmentBuilder.Track, index: Int) {
        func chunk(at time: UInt64) -> Chunk { Chunk(track: index, at: time, of: track) }
        var time = track.decodeTime
        guard let duration = track.chunkDuration, duration.isNumeric, duration > .zero else {
            var whole = chunk(at: time)
            whole.runs = track.runs
            chunks.append(whole)
            return
        }
        let limit = UInt64(clamping: max(1, duration.ticks(in: track.timeScale, rounding: .down)))
        chunks.append(chunk(at: time))
        var used: UInt64 = 0
        for var run in track.runs {
            while run.count > 0 {
                let last = chunks.count - 1
                let length = UInt64(run.duration)
                let room = used >= limit ? 0 : length == 0 ? UInt64(run.count) : (limit - used) / length
                let isEmpty = chunks[last].runs.isEmpty
                if room == 0, !isEmpty {
                    chunks.append(chunk(at: time))
                    used = 0
                    continue
                }
                let part = run.takeFirst(UInt32(clamping: min(max(room, 1), UInt64(run.count))))
                chunks[last].runs.append(part)
                used &+= length &* UInt64(part.count)
                time &+= length &* UInt64(part.count)
            }
        }
    }
}

extension FragmentBuilder.Run {
    /// The size of the run's part of `data`.
    var byteCount: Int { count == 0 ? 0 : min(Int(size) * Int(count), data.count - offset) }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: data.bytes[offset..<(offset + byteCount)])
    }

    /// Removes the first `samples` samples and returns them.
    fileprivate mutating func takeFirst(_ samples: UInt32) -> FragmentBuilder.Run {
        var part = self
        part.count = samples
        count -= samples
        offset += part.byteCount
        return part
    }
}

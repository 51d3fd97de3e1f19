import DequeModule
import MediaTypes

/// Reads several audio tracks as one: contiguous blocks of one length, with silence where no track has audio.
///
/// It begins at the start of the range, or with the earliest track if that is later. It ends at the end of the range,
/// or with the last track if that is earlier.
final class MixSource: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.
    private static let blockFrames = 2048

    private let inputs: [MixInput]
    private let format: AudioFormat
    private let rate: Int32
    private let packing: FloatPacking
    private let buffer: MixBuffer
    private let pool: MediaDataPool
    /// The time from the first track's beginning to the last one's end, according to their headers.
    private let extent: TimeRange
    private var ranges: Deque<TimeRange>
    private var position: Int64 = 0
    /// The position after the last frame of the range; nil for a range without an end.
    private var limit: Int64?
    private var isAtEnd = true
    /// True as long as the inputs read the range with which they were opened.
    private var isFresh = true

    var allocationCount: Int { inputs.reduce(pool.allocationCount) { $0 + $1.allocationCount } }

    /// Opens the tracks.
    ///
    /// - Parameters:
    ///   - format: the linear PCM format of the output.
    ///   - configuration: the configuration of the output.
    /// - Throws: the errors of opening a file or a decoder.
    init(
        _ tracks: [AssetTrack], of asset: Asset, format: AudioFormat, mix: AudioMix?, ranges: [TimeRange],
        configuration: ReaderOutputConfiguration = ReaderOutputConfiguration()
    ) throws(MediaError) {
        self.format = format
        self.ranges = Deque(ranges)
        rate = Int32(clamping: format.sampleRate)
        packing = FloatPacking(format: format.pcm ?? .float32, isBigEndian: format.isBigEndian)
        buffer = MixBuffer(frameCapacity: Self.blockFrames, channelCount: format.channelCount)
        pool = MediaDataPool(byteCount: Self.blockFrames * max(1, format.bytesPerFrame ?? 4))
        extent = TimeRange(
            start: tracks.map(\.timeRange.start).min() ?? .zero, end: tracks.map(\.timeRange.end).max() ?? .zero)
        let floating = AudioFormat(
            pcm: .float32, sampleRate: format.sampleRate, channelCount: format.channelCount, layout: format.layout)
        var inputs: [MixInput] = []
        for track in tracks {
            inputs.append(
                try MixInput(
                    track, of: asset, format: floating, volume: mix?.envelope(of: track) ?? VolumeEnvelope(),
                    range: ranges.first, configuration))
        }
        self.inputs = inputs
    }

    func restart(ranges: [TimeRange]) {
        self.ranges = Deque(ranges)
        (isFresh, isAtEnd) = (false, true)
    }

    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if !isAtEnd {
                if let block = try nextBlock() { return block }
                for input in inputs { try input.drain() }
                isAtEnd = true
            }
            guard let range = ranges.popFirst() else { return nil }
            begin(range)
        }
    }

    private func begin(_ range: TimeRange) {
        if !isFresh { for input in inputs { input.restart(range) } }
        (isFresh, isAtEnd) = (false, false)
        position = frame(max(range.start, extent.start))
        limit = range.end.isNumeric ? frame(range.end) : nil
    }

    private func nextBlock() throws(MediaError) -> SampleBuffer? {
        let most = position + Int64(Self.blockFrames)
        let frames = position..<max(position, min(most, limit ?? most))
        guard !frames.isEmpty else { return nil }
        buffer.clear()
        for input in inputs { try input.add(frames, to: buffer) }
        let end = min(frames.upperBound, self.end ?? frames.upperBound)
        let count = Int(end - position)
        guard count > 0 else { return nil }
        let bytes = count * (format.bytesPerFrame ?? 4)
        let data = pool.makeData { target in
            packing.pack(buffer.prefix(count), into: UnsafeMutableRawBufferPointer(rebasing: target[..<bytes]))
            return bytes
        }
        defer { position = end }
        return data.map {
            SampleBuffer(pcm: $0, format: format, presentationTime: MediaTime(value: position, timescale: rate))
        }
    }

    /// The position after the last frame of the mix; nil while there may be more. The end of the tracks in their
    /// headers counts only if the range is finite. In an infinite range, an estimated end could produce an hour of
    /// silence.
    private var end: Int64? {
        guard inputs.allSatisfy(\.isAtEnd) else { return nil }
        let stated = limit.map { min($0, frame(extent.end)) } ?? .min
        return max(stated, inputs.compactMap(\.end).max() ?? .min, position)
    }

    private func frame(_ time: MediaTime) -> Int64 {
        // No movie is longer than this limit, which keeps sums within the range of `Int64`.
        min(max(time.ticks(in: rate, rounding: .up), -(1 << 60)), 1 << 60)
    }
}

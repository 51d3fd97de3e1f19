import MediaTypes

/// Linear PCM belongs to a part by the frame. Parts meet without a hole and without an overlap, whatever the rates are:
/// every frame of the composition is in exactly one segment.
struct SoundPlacement: SamplePlacement {
    let sourceRange: TimeRange
    /// What is given: the track's form, however the segment's own is called.
    private let format: AudioFormat
    private let rate: Int32
    /// Frames of the composition that belong to the part.
    private let frames: Range<Int64>
    /// How many frames later they are than in their own asset.
    private let offset: Int64
    /// Times in coarser ticks than frames differ from the count by this much.
    private let tolerance: Int64
    private var next: Int64?

    init(_ part: CompositionPart, format: AudioFormat) {
        self.format = format
        let rate = Int32(clamping: max(1, format.sampleRate))
        self.rate = rate
        func frame(_ time: MediaTime) -> Int64 {
            // No film is longer; keeps sums within the range of numbers.
            min(max(time.ticks(in: rate, rounding: .up), -(1 << 60)), 1 << 60)
        }
        let first = frame(part.target.start)
        let frames = first..<max(first, frame(part.target.end))
        // `RetimedSound` has put it in its place.
        let isRetimed = part.source.map != nil
        let offset = isRetimed ? 0 : frame(part.segment.timeRange.start) - frame(part.source.timeRange.start)
        self.frames = frames
        self.offset = offset
        let scale = max(1, part.source.track.naturalTimeScale)
        tolerance = scale < rate ? 2 * Int64(rate / scale) + 1 : 0
        let isResampled = part.source.track.formatDescription?.audio?.sampleRate != format.sampleRate
        // A resampler begins and ends a little off, and sounds right only with what is around.
        let margin = isResampled || isRetimed ? MediaTime(value: 1, timescale: 100) : .zero
        let range =
            isRetimed
            ? part.sourceRange
            : TimeRange(
                start: MediaTime(value: frames.lowerBound - offset, timescale: rate),
                end: MediaTime(value: frames.upperBound - offset, timescale: rate))
        sourceRange = TimeRange(start: max(.zero, range.start - margin), end: range.end + margin)
    }

    mutating func place(_ sample: SampleBuffer) -> SampleBuffer? {
        guard let size = format.bytesPerFrame, size > 0, case .data(let data) = sample.content else { return nil }
        let count = Int64(data.count / size)
        let stated = sample.presentationTime.ticks(in: rate)
        guard stated.magnitude < 1 << 61 else { return nil }
        var start = stated + offset
        if let next, (start - next).magnitude <= UInt64(tolerance) { start = next }
        let lower = max(start, frames.lowerBound, next ?? .min)
        let upper = min(start + count, frames.upperBound)
        guard lower < upper else { return nil }
        next = upper
        let isWhole = upper - lower == count
        if isWhole, offset == 0, sample.format == .audio(format) { return sample }
        let kept = isWhole ? data : data.slice(Int(lower - start) * size..<Int(upper - start) * size)
        return SampleBuffer(
            pcm: kept, format: format, presentationTime: MediaTime(value: lower, timescale: rate))
    }
}

extension MediaData {
    /// Some of the bytes, which keep the whole alive.
    fileprivate func slice(_ range: Range<Int>) -> MediaData {
        MediaData(borrowing: UnsafeRawBufferPointer(rebasing: bytes[range])) { _ = self }
    }
}

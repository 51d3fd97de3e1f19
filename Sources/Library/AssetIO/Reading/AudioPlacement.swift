import MediaTypes

/// Places linear PCM exactly, to the audio frame. Parts meet without gap or overlap at any sample rate, because every
/// audio frame of the composition is in exactly one segment.
struct AudioPlacement: SamplePlacement {
    let sourceRange: TimeRange
    /// The output format: the track's, even if the format of the segment differs.
    private let format: AudioFormat
    private let rate: Int32
    /// The audio frames of the composition that belong to the part.
    private let frames: Range<Int64>
    /// The offset from the asset's frame numbers to those of the composition.
    private let offset: Int64
    /// The largest difference, in audio frames, between a sample's time and the frame count. If ticks are longer than
    /// frames, times that are rounded to ticks differ from the count.
    private let tolerance: Int64
    private var next: Int64?

    init(_ part: CompositionPart, format: AudioFormat) {
        self.format = format
        let rate = Int32(clamping: max(1, format.sampleRate))
        self.rate = rate
        func frame(_ time: MediaTime) -> Int64 {
            // No movie is longer than this limit, which keeps sums within the range of `Int64`.
            min(max(time.ticks(in: rate, rounding: .up), -(1 << 60)), 1 << 60)
        }
        let first = frame(part.target.start)
        let frames = first..<max(first, frame(part.target.end))
        // `RetimedAudio` has already placed the audio of a part with a map.
        let isRetimed = part.source.map != nil
        let offset = isRetimed ? 0 : frame(part.segment.timeRange.start) - frame(part.source.timeRange.start)
        self.frames = frames
        self.offset = offset
        let scale = max(1, part.source.track.naturalTimeScale)
        tolerance = scale < rate ? 2 * Int64(rate / scale) + 1 : 0
        let isResampled = part.source.track.formatDescription?.audio?.sampleRate != format.sampleRate
        // A resampler is inexact at its first and last frames, so it needs some audio around the part.
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
    /// Returns a range of the bytes without copying them. The result keeps the complete data alive.
    fileprivate func slice(_ range: Range<Int>) -> MediaData {
        MediaData(borrowing: UnsafeRawBufferPointer(rebasing: bytes[range])) { _ = self }
    }
}

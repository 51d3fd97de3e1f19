public import MediaTypes

/// How loud a stretch of sound is, bucket by bucket: the peak and the RMS of every channel.
///
/// 1 is full scale. Sound in floating point may go beyond.
public struct Waveform: Sendable, Hashable {
    /// Frames per second; a frame is one sample of each channel.
    public let sampleRate: Int
    public let channelCount: Int
    /// When the first bucket begins.
    public let start: MediaTime
    /// Where each bucket begins, in frames from `start` on, and at the end where the last one ends. Every frame is in exactly
    /// one bucket.
    public let borders: [Int]
    /// Bucket by bucket, the channels one after the other.
    private let peaks: [Float]
    private let means: [Float]

    init(
        sampleRate: Int, channelCount: Int, start: MediaTime, borders: [Int], peaks: [Float], means: [Float]
    ) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.start = start
        self.borders = borders
        self.peaks = peaks
        self.means = means
    }

    /// Of parts that follow each other, each from the border where the one before ends.
    init(joining parts: [Waveform]) {
        self.init(
            sampleRate: parts[0].sampleRate, channelCount: parts[0].channelCount, start: parts[0].start,
            borders: parts[0].borders + parts.dropFirst().flatMap { $0.borders.dropFirst() },
            peaks: parts.flatMap(\.peaks), means: parts.flatMap(\.means))
    }

    public var bucketCount: Int { max(0, borders.count - 1) }
    public var frameCount: Int { borders.last ?? 0 }
    /// The mean length of a bucket in frames; those of one waveform differ by one, apart from the last.
    public var framesPerBucket: Double { bucketCount == 0 ? 0 : Double(frameCount) / Double(bucketCount) }

    public var timeRange: TimeRange {
        TimeRange(
            start: start, duration: MediaTime(value: Int64(frameCount), timescale: Int32(clamping: max(1, sampleRate))))
    }

    /// The greatest distance from silence.
    ///
    /// - Precondition: both are in range.
    public func peak(bucket: Int, channel: Int) -> Float { peaks[bucket * channelCount + channel] }

    /// The root of the mean of the squares: 0.3536 for a sine with a peak of 0.5. 0 for a bucket without frames.
    ///
    /// - Precondition: both are in range.
    public func rms(bucket: Int, channel: Int) -> Float { means[bucket * channelCount + channel] }
}

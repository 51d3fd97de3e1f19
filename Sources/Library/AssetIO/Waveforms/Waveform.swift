public import MediaTypes

/// The loudness of a time range of audio, bucket by bucket: the peak and the RMS of every channel.
///
/// 1 is full scale. Floating-point audio may exceed it.
public struct Waveform: Sendable, Hashable {
    /// Frames per second; a frame is one sample of each channel.
    public let sampleRate: Int
    public let channelCount: Int
    /// The start of the first bucket.
    public let start: MediaTime
    /// The start of each bucket, in frames after `start`, followed by the end of the last one. Every frame is in
    /// exactly one bucket.
    public let borders: [Int]
    /// The peaks, bucket by bucket, the channels one after the other.
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

    /// Joins consecutive parts. Each part begins where the previous one ends.
    init(joining parts: [Waveform]) {
        self.init(
            sampleRate: parts[0].sampleRate, channelCount: parts[0].channelCount, start: parts[0].start,
            borders: parts[0].borders + parts.dropFirst().flatMap { $0.borders.dropFirst() },
            peaks: parts.flatMap(\.peaks), means: parts.flatMap(\.means))
    }

    public var bucketCount: Int { max(0, borders.count - 1) }
    public var frameCount: Int { borders.last ?? 0 }
    /// The mean length of a bucket in frames. The lengths differ by at most one frame, except for the last bucket's.
    public var framesPerBucket: Double { bucketCount == 0 ? 0 : Double(frameCount) / Double(bucketCount) }

    public var timeRange: TimeRange {
        TimeRange(
            start: start, duration: MediaTime(value: Int64(frameCount), timescale: Int32(clamping: max(1, sampleRate))))
    }

    /// Returns the largest absolute sample value.
    ///
    /// - Precondition: both indices are in range.
    public func peak(bucket: Int, channel: Int) -> Float { peaks[bucket * channelCount + channel] }

    /// Returns the root of the mean of the squares: 0.3536 for a sine with a peak of 0.5, and 0 for a bucket without
    /// frames.
    ///
    /// - Precondition: both indices are in range.
    public func rms(bucket: Int, channel: Int) -> Float { means[bucket * channelCount + channel] }
}

import AssetIO

/// A waveform as numbers: the JSON object of `recorder waveform --json`.
public struct WaveformReport: Encodable, Sendable {
    public let source: String
    public let track: Int
    public let sampleRate: Int
    public let channels: Int
    /// As "left", "right", "centre".
    public let channelNames: [String]
    /// Seconds.
    public let start: Double
    public let duration: Double
    /// Frames in all buckets together.
    public let frames: Int
    public let buckets: Int
    /// Channel by channel, a number for each bucket; 1 is full scale.
    public let peak: [[Float]]
    public let rms: [[Float]]
    /// The picture, if there is one.
    public let file: String?

    init(_ waveform: Waveform, source: String, track: Int, names: [String], file: String?) {
        channelNames = names
        self.source = source
        self.track = track
        sampleRate = waveform.sampleRate
        channels = waveform.channelCount
        start = waveform.timeRange.start.seconds
        duration = waveform.timeRange.duration.seconds
        frames = waveform.frameCount
        buckets = waveform.bucketCount
        func all(_ level: (Int, Int) -> Float) -> [[Float]] {
            (0..<waveform.channelCount).map { channel in (0..<waveform.bucketCount).map { level($0, channel) } }
        }
        peak = all(waveform.peak(bucket:channel:))
        rms = all(waveform.rms(bucket:channel:))
        self.file = file
    }
}

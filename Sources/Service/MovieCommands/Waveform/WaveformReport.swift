import AssetIO

/// A waveform as numbers: the JSON object of `recorder waveform --json`.
package struct WaveformReport: Encodable, Sendable {
    package let source: String
    package let track: Int
    package let sampleRate: Int
    package let channels: Int
    /// Names such as "left", "right", "center".
    package let channelNames: [String]
    /// The beginning of the measured range, in seconds.
    package let start: Double
    package let duration: Double
    /// The total number of audio frames in all buckets.
    package let frames: Int
    package let buckets: Int
    /// The levels per channel, one number for each bucket; 1 is full scale.
    package let peak: [[Float]]
    package let rms: [[Float]]
    /// The path of the image, if there is one.
    package let file: String?

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

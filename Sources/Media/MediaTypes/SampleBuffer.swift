/// A frame, a run of audio or a compressed packet, with its format and its time. Immutable; copies share memory.
public struct SampleBuffer: Sendable {
    public enum Content: Sendable {
        /// A raw frame.
        case pixels(PixelBuffer)
        /// Interleaved PCM frames, or one compressed packet.
        case data(MediaData)
    }

    public let format: FormatDescription
    public let content: Content
    /// The timestamp of the first sample, in the clock of its source.
    public let presentationTime: MediaTime
    /// The decode time; nil if it is the presentation time.
    public let decodeTime: MediaTime?
    /// The duration; nil if only the next sample determines it.
    public let duration: MediaTime?
    /// The number of audio frames; 1 for a video frame.
    public let sampleCount: Int
    /// True if the sample can be decoded without any sample before it. Always true for raw frames and PCM.
    public let isKeyframe: Bool
    /// The number of captured samples that a packet represents, if an encoder set it.
    private var accounted: Int64?
    /// True if the packet was encoded with less effort than requested, because there was not enough time.
    package private(set) var isEased = false

    public init(
        format: FormatDescription, content: Content, presentationTime: MediaTime, decodeTime: MediaTime? = nil,
        duration: MediaTime? = nil, sampleCount: Int = 1, isKeyframe: Bool = true
    ) {
        self.format = format
        self.content = content
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.duration = duration
        self.sampleCount = sampleCount
        self.isKeyframe = isKeyframe
    }

    /// Creates a sample from a raw frame.
    public init(pixels: PixelBuffer, presentationTime: MediaTime, duration: MediaTime? = nil) {
        self.init(
            format: .video(pixels.videoFormat), content: .pixels(pixels), presentationTime: presentationTime,
            duration: duration)
    }

    /// Creates a sample from interleaved PCM.
    ///
    /// - Precondition: `format` is linear PCM and `data` contains complete frames of it.
    public init(pcm data: MediaData, format: AudioFormat, presentationTime: MediaTime) {
        let frames = data.count / max(1, format.bytesPerFrame ?? 1)
        self.init(
            format: .audio(format), content: .data(data), presentationTime: presentationTime,
            duration: MediaTime(value: Int64(frames), timescale: Int32(clamping: format.sampleRate)),
            sampleCount: frames)
    }

    /// The number of captured samples that a ledger counts: the encoder's number for a packet, otherwise `sampleCount`.
    package var ledgerCount: Int64 { accounted ?? Int64(sampleCount) }

    /// Returns the same packet, representing `count` captured samples. Use 0 for a second copy of a packet that is
    /// already counted.
    package func accounting(for count: Int64) -> SampleBuffer {
        var sample = self
        sample.accounted = count
        return sample
    }

    /// Returns the same packet, marked as encoded with less effort.
    package func eased() -> SampleBuffer {
        var sample = self
        sample.isEased = true
        return sample
    }

    /// Returns the same frame in a different layout. `format` stays the same, because it describes the source.
    package func drawn(as pixels: PixelBuffer) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .pixels(pixels), presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyframe: isKeyframe)
    }

    /// Bytes of media in this sample, as counted by a queue's budget.
    public var byteCount: Int {
        switch content {
        case .pixels(let buffer): buffer.layout.byteCount
        case .data(let data): data.count
        }
    }

    /// Returns the same sample at another time.
    public func at(_ time: MediaTime) -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: time,
            decodeTime: decodeTime.map { $0 + (time - presentationTime) }, duration: duration,
            sampleCount: sampleCount, isKeyframe: isKeyframe)
    }

    /// Returns the same sample with another decode time.
    package func decoded(at time: MediaTime?) -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: presentationTime, decodeTime: time, duration: duration,
            sampleCount: sampleCount, isKeyframe: isKeyframe)
    }

    /// Returns the same sample, marked as not being a keyframe.
    package func dependent() -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyframe: false)
    }

    /// The expected time of the next sample if this sample has a duration; otherwise this sample's time.
    package var endTime: MediaTime { presentationTime + (duration ?? .zero) }

    /// Returns the same sample with another duration.
    package func lasting(_ duration: MediaTime?) -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyframe: isKeyframe)
    }
}

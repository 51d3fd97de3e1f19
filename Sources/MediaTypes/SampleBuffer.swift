/// A picture, a stretch of sound or a compressed packet, with its format and its time. Immutable; copies share memory.
public struct SampleBuffer: Sendable {
    public enum Content: Sendable {
        /// A raw picture.
        case pixels(PixelBuffer)
        /// Interleaved PCM frames, or one compressed packet.
        case data(MediaData)
    }

    public let format: FormatDescription
    public let content: Content
    /// When the first sample is shown or heard, in the clock of its source.
    public let presentationTime: MediaTime
    /// When it must be decoded; nil where that is the presentation time.
    public let decodeTime: MediaTime?
    /// nil where only the next sample will tell.
    public let duration: MediaTime?
    /// Audio frames in here; 1 for a picture.
    public let sampleCount: Int
    /// Decodable without any sample before it. Always true for raw pictures and PCM.
    public let isKeyFrame: Bool
    /// Captured samples that a packet stands for, where an encoder said so.
    private var accounted: Int64?
    /// A packet that was encoded with less effort than was asked for, because there was no time.
    package private(set) var isEased = false

    public init(
        format: FormatDescription, content: Content, presentationTime: MediaTime, decodeTime: MediaTime? = nil,
        duration: MediaTime? = nil, sampleCount: Int = 1, isKeyFrame: Bool = true
    ) {
        self.format = format
        self.content = content
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.duration = duration
        self.sampleCount = sampleCount
        self.isKeyFrame = isKeyFrame
    }

    /// A raw picture.
    public init(pixels: PixelBuffer, presentationTime: MediaTime, duration: MediaTime? = nil) {
        self.init(
            format: .video(pixels.videoFormat), content: .pixels(pixels), presentationTime: presentationTime,
            duration: duration)
    }

    /// Interleaved PCM.
    ///
    /// - Precondition: `format` is linear PCM and `data` holds whole frames of it.
    public init(pcm data: MediaData, format: AudioFormat, presentationTime: MediaTime) {
        let frames = data.count / max(1, format.bytesPerFrame ?? 1)
        self.init(
            format: .audio(format), content: .data(data), presentationTime: presentationTime,
            duration: MediaTime(value: Int64(frames), timescale: Int32(format.sampleRate)), sampleCount: frames)
    }

    /// How many captured samples a ledger counts for it: of a packet what its encoder said, else its samples.
    package var ledgerCount: Int64 { accounted ?? Int64(sampleCount) }

    /// The same packet, standing for so many captured samples; none for one that is stored twice.
    package func accounting(for count: Int64) -> SampleBuffer {
        var sample = self
        sample.accounted = count
        return sample
    }

    /// The same packet, encoded with less effort.
    package func eased() -> SampleBuffer {
        var sample = self
        sample.isEased = true
        return sample
    }

    /// The same picture in another layout. What its source gives, `format`, stays.
    package func drawn(as pixels: PixelBuffer) -> SampleBuffer {
        SampleBuffer(
            format: format, content: .pixels(pixels), presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyFrame: isKeyFrame)
    }

    /// Bytes of media in here, what a queue's budget counts.
    public var byteCount: Int {
        switch content {
        case .pixels(let buffer): buffer.layout.byteCount
        case .data(let data): data.count
        }
    }

    /// The same sample at another time.
    public func at(_ time: MediaTime) -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: time,
            decodeTime: decodeTime.map { $0 + (time - presentationTime) }, duration: duration,
            sampleCount: sampleCount, isKeyFrame: isKeyFrame)
    }

    /// The same sample, decoded at another time.
    package func decoded(at time: MediaTime?) -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: presentationTime, decodeTime: time, duration: duration,
            sampleCount: sampleCount, isKeyFrame: isKeyFrame)
    }

    /// The same sample, where decoding does not begin.
    package func dependent() -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyFrame: false)
    }

    /// When the next sample is due, as far as this one tells.
    package var endTime: MediaTime { presentationTime + (duration ?? .zero) }

    /// The same sample with another duration.
    package func lasting(_ duration: MediaTime?) -> SampleBuffer {
        SampleBuffer(
            format: format, content: content, presentationTime: presentationTime, decodeTime: decodeTime,
            duration: duration, sampleCount: sampleCount, isKeyFrame: isKeyFrame)
    }
}

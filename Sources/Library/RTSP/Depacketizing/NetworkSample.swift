package import MediaTypes

/// A sample of a network camera: a coded frame or a run of audio, in the form in which a movie file stores it.
package struct NetworkSample: Sendable {
    /// NAL units after their lengths in four bytes, a JPEG image, a packet of audio, or interleaved PCM.
    package var data: MediaData
    /// The RTP time, counted beyond 32 bits.
    package var time: Int64
    /// The arrival of its first packet, in nanoseconds of the monotonic clock.
    package var arrival: Int64
    /// True if decoding can begin here. Always true for audio and JPEG.
    package var isKeyframe: Bool
    /// True if a part of the frame is missing.
    package var isDamaged: Bool
    /// The number of packets that are missing before this sample or within it.
    package var lostPackets: Int64
    /// True if a keyframe may be among the missing packets.
    package var mayMissKeyframe: Bool
    /// The number of audio frames; 1 for video.
    package var frameCount: Int
    /// The maximum number of frames that come before another frame and are shown after it, as stated by the parameter
    /// sets of a keyframe; nil if they do not say, and for other samples.
    package var reorderDepth: Int?

    init(
        _ data: MediaData, time: Int64, arrival: Int64, isKeyframe: Bool = true, isDamaged: Bool = false,
        lostPackets: Int64 = 0, mayMissKeyframe: Bool = true, frameCount: Int = 1, reorderDepth: Int? = nil
    ) {
        self.data = data
        self.time = time
        self.arrival = arrival
        self.isKeyframe = isKeyframe
        self.isDamaged = isDamaged
        self.lostPackets = lostPackets
        self.mayMissKeyframe = mayMissKeyframe
        self.frameCount = frameCount
        self.reorderDepth = reorderDepth
    }
}

/// The result of depacketizing.
package enum DepacketizedItem: Sendable {
    /// The format of all samples that follow. Sent before the first sample, and after a change.
    case format(FormatDescription)
    case sample(NetworkSample)
    /// Samples that were received but cannot be used.
    case dropped(count: Int64, DropReason, time: Int64)
    /// The camera sends something that is not supported. Sent once for each cause.
    case unsupported(String)
}

/// The reason why a received sample is not delivered.
package enum DropReason: String, Sendable, Hashable, CaseIterable {
    /// Packets are missing, and nothing usable remains.
    case damaged
    /// The parameter sets are still unknown.
    case withoutFormat
    /// Larger than any frame may be.
    case tooLarge
}

/// Turns the packets of one stream into samples. A pure value, except for the pool of memory for its samples.
package protocol Depacketizer: Sendable {
    /// The format of all samples, if the camera's description states it; nil if only packets do.
    var describedFormat: FormatDescription? { get }

    /// Accepts the next packet of the stream, in order.
    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem])

    /// Ends the sample that is still incomplete: the stream ended or began again.
    mutating func flush(to output: inout [DepacketizedItem])
}

extension Depacketizer {
    package var describedFormat: FormatDescription? { nil }
}

/// Limits of samples.
enum SampleLimits {
    /// The maximum number of bytes of a sample. A frame of 4K has less than 4 MiB.
    static let mostBytes = 16 << 20
    /// The maximum number of bytes of a parameter set. The largest, of HEVC with scaling lists, have 3 KiB.
    static let mostSetBytes = 8 << 10
    /// The maximum number of changed parameter sets in a frame.
    static let mostNewSets = 64
    /// The frame sizes of video in pixels, in each direction. Those of HEVC have 32 bits in a parameter set.
    static let pixels = 1...16_384
    /// The rates of audio in Hz.
    static let rates = 4000...192_000
    static let mostChannels = 8
}

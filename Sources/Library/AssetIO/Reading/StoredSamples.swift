import Demuxing
import MediaCodecs
import MediaTypes

/// Makes the stored samples of a track from its packets. The samples have the form that movie files need, and decode
/// times. A plain value; the track's reader creates a new one each time reading begins.
struct StoredSamples {
    private let isVideo: Bool
    private let givesHiddenSamples: Bool
    /// The stored form; nil if stored samples have the same form as the packets.
    private var form: StoredForm?
    /// The decode times of stored frames.
    private var decodeTimes = DecodeTimes()
    /// True after a seek if the file does not store decode times. libavformat then uses the presentation time as the
    /// first frame's decode time.
    private var doubtsDecodeTime: Bool
    /// True if frames are left out up to the next keyframe, because frames are missing that they may depend on.
    private var awaitsKeyframe = false
    /// The latest audio before the range: the packets that `AudioPreroll` wants, and those from the last keyframe on,
    /// because TrueHD packets depend on them. In other codecs every packet is a keyframe.
    private var early: [SampleBuffer] = []
    /// The limit of `early`. TrueHD has fewer packets from one keyframe to the next.
    private static let mostEarly = 256
    /// The number of packets before the range that are returned although they are keyframes.
    private let preroll: Int
    /// The start of the first frame before the parameter sets; nil once a frame can be decoded.
    private(set) var undecodableStart: MediaTime?
    private var hasBegun = false

    /// - Parameter packets: the packets, at the position where reading begins.
    init(of packets: TrackPackets, _ options: SourceOptions) {
        isVideo = packets.isVideo
        givesHiddenSamples = options.givesHiddenSamples
        let audio = options.givesPreroll ? packets.track.format?.audio : nil
        preroll = audio.map(AudioPreroll.needed) ?? 0
        form = options.settings == nil ? packets.track.format.flatMap { StoredForm($0) } : nil
        doubtsDecodeTime = !packets.isFromBeginning && !packets.storesDecodeTimes
    }

    /// Records that packets are missing, so that video continues with a keyframe.
    mutating func awaitKeyframe() { awaitsKeyframe = true }

    /// Passes on the sample of a packet, after the samples that waited for its decode time. Leaves out hidden samples
    /// that are not wanted, and audio before the range that no other audio depends on.
    ///
    /// - Parameter start: the start of the range.
    /// - Returns: false for a frame that cannot be decoded.
    mutating func take(
        _ packet: MovieDemuxer.Packet, from start: MediaTime, output: (SampleBuffer) -> Void
    ) throws(MediaError) -> Bool {
        if awaitsKeyframe, isVideo, !packet.sample.isKeyframe { return false }
        awaitsKeyframe = false
        if packet.isDiscarded, isVideo, !givesHiddenSamples { return true }
        // All frames from the keyframe on are returned, because decoding needs those before the range.
        let end = packet.start + (packet.sample.duration ?? .zero)
        guard isVideo || start <= .zero || end > start else {
            keep(early: packet.sample)
            return true
        }
        let needed = packet.sample.isKeyframe ? Array(early.suffix(preroll)) : early
        early = []
        for sample in needed {
            if let sample = try converted(sample) { decodeTimes.take(sample, isKnown: true, output: output) }
        }
        let isKnown = packet.hasDecodeTime && !(doubtsDecodeTime && packet.sample.decodeTime == nil)
        doubtsDecodeTime = false
        guard let sample = try converted(packet.sample) else {
            if !hasBegun { undecodableStart = undecodableStart ?? packet.start }
            return false
        }
        (hasBegun, undecodableStart) = (true, nil)
        decodeTimes.take(sample, isKnown: isKnown || !isVideo, output: output)
        return true
    }

    /// Passes on the samples that still wait for their decode times.
    mutating func finish(output: (SampleBuffer) -> Void) { decodeTimes.finish(output: output) }

    private mutating func keep(early sample: SampleBuffer) {
        guard sample.format.mediaType == .audio, sample.isKeyframe || !early.isEmpty else { return }
        early.append(sample)
        let first = early.count - max(1, preroll)
        if first > 0, early[first].isKeyframe { early.removeFirst(first) }
        if early.count > Self.mostEarly { early = [] }
    }

    /// Returns the sample in its stored form; nil for one that cannot be decoded.
    private mutating func converted(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer? {
        if form == nil { return sample }
        return try form?.convert(sample)
    }
}

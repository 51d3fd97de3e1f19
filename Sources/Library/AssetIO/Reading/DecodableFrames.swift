import Demuxing
import MediaCodecs
import MediaTypes

/// Selects the frames that can be decoded, because the decoder has the frames that they depend on. A plain value that
/// the track's reader owns.
///
/// Frames before the first keyframe are left out. So are the leading frames of that keyframe, which depend on the GOP
/// before it (ITU-T H.265, RASL pictures).
struct DecodableFrames {
    private let codecName: String
    /// The timestamp of the keyframe that decoding began with; nil until that keyframe was read.
    private var keyTime: MediaTime?
    /// True if leading frames were skipped because they depend on frames before the keyframe.
    private var hasSkippedLeadingFrames = false
    /// True once decoding began with the keyframe of an open GOP. Frames after it may refer to frames before it.
    private var hasBegunInOpenGOP = false

    init(codecName: String) { self.codecName = codecName }

    /// True once the keyframe with which decoding begins has been read.
    var hasBegun: Bool { keyTime != nil }

    /// True if the decoder may have received frames that depend on frames that it never received.
    var mayLackReferences: Bool { hasSkippedLeadingFrames || hasBegunInOpenGOP }

    /// Records that decoding begins again, with the next keyframe.
    mutating func restart() { keyTime = nil }

    /// Returns true if the decoder can decode a packet. Updates the state for the packets that follow.
    mutating func admits(_ packet: MovieDemuxer.Packet) -> Bool {
        guard let keyTime else {
            if packet.sample.isKeyframe {
                self.keyTime = packet.start
                hasBegunInOpenGOP = hasBegunInOpenGOP || !isRefresh(packet)
            }
            return packet.sample.isKeyframe
        }
        if packet.sample.isKeyframe || !packet.hasPresentationTime || packet.start >= keyTime { return true }
        hasSkippedLeadingFrames = true
        return false
    }

    private func isRefresh(_ packet: MovieDemuxer.Packet) -> Bool {
        guard codecName == "h264", case .data(let data) = packet.sample.content else { return true }
        let configuration = packet.sample.format.video?.decoderConfiguration ?? []
        return RefreshFrame.starts(data.bytes, configuration: configuration)
    }
}

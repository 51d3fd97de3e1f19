/// Counts the frames whose packets a live encoder has not returned yet, and decides when to reopen the encoder. Only
/// for encoders with one packet per frame.
///
/// libavcodec 5.1 fetches at most one packet for each frame that it passes to SVT-AV1 or x265. If such an encoder has
/// fallen behind once, because the machine was busy, it therefore never catches up, and always holds back that number
/// of frames. It returns all its packets only when it is drained. So it is drained, and another encoder continues with
/// a keyframe.
struct LiveBacklog {
    /// The maximum number of frames that may be held back.
    private let most: Int
    /// The number of frames from one keyframe to the next. An encoder that cannot keep up is reopened again only after
    /// this number of frames.
    private let interval: Int
    private var sent = 0
    private(set) var held = 0

    /// - Parameter rate: frames per second.
    init(rate: Double, interval: Int) {
        // With the minimum look-ahead, x265 holds back four frames.
        most = max(4, Int(clamping: (H264Encoder.liveDelay * rate).rounded(.down)))
        self.interval = interval
    }

    /// True if the encoder must be reopened: it holds back more frames than permitted, and at least `interval` frames
    /// were sent since it was opened. Checked before each frame.
    var isTooLong: Bool { held > most && sent >= interval }

    mutating func frameWasSent() {
        sent += 1
        held += 1
    }

    mutating func packetCame() { held -= 1 }

    mutating func restarted() { (sent, held) = (0, 0) }
}

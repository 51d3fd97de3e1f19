/// What a live encoder that gives one packet for each picture still owes, and when it must begin anew to be rid of it.
///
/// libavcodec 5.1 asks SVT-AV1 and x265 for a packet only when it hands a picture over, and for one alone. What they fell
/// behind by once, because the machine was busy, is therefore held back for ever: nothing fetches two. Only at its end does an
/// encoder give everything; another one then goes on with a key frame.
struct LiveBacklog {
    /// The most that may be held back.
    private let most: Int
    /// Pictures from one key frame to the next: an encoder that cannot keep up at all is not begun anew for each picture.
    private let interval: Int
    private var sent = 0
    private(set) var held = 0

    /// - Parameter rate: pictures a second.
    init(rate: Double, interval: Int) {
        // With the least look-ahead there is x265 holds four.
        most = max(4, Int(clamping: (H264Encoder.liveDelay * rate).rounded(.down)))
        self.interval = interval
    }

    /// Before a picture is sent: the last one left more behind than may be held.
    var isTooLong: Bool { held > most && sent >= interval }

    mutating func pictureWasSent() {
        sent += 1
        held += 1
    }

    mutating func packetCame() { held -= 1 }

    mutating func beganAnew() { (sent, held) = (0, 0) }
}

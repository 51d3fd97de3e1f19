/// The settings of a session with a camera. Times are nanoseconds.
package struct SessionOptions: Sendable {
    package enum Transport: Sendable, Hashable {
        /// Packets within the RTSP connection.
        case tcp
        case datagrams
        /// Datagrams, or TCP if the camera refuses them, none arrives or the URL requires TLS.
        case automatic
    }

    package var transport = Transport.tcp
    package var wantsVideo = true
    package var wantsAudio = true
    /// Our ports for RTP in datagrams, one for each stream; the next port is for RTCP.
    package var clientPorts: [UInt16] = []
    package var userAgent = "recorder"
    package var responseTimeout: Int64 = 10_000_000_000
    /// The time after which TCP is used instead, if no datagram arrived.
    package var firstPacketTimeout: Int64 = 4_000_000_000
    /// The time without a video packet after which the camera counts as lost. Audio packets count if only audio is
    /// received.
    package var silenceTimeout: Int64 = 10_000_000_000
    package var teardownTimeout: Int64 = 1_000_000_000
    package var mostRedirects = 3

    package init() {}
}

import Glibc
import RTSP

/// The sockets for the datagrams of a camera's streams, and the addresses that the camera sends from. For one thread.
struct CameraDatagrams {
    /// One pair for each stream; none with TCP.
    let pairs: [DatagramPair]
    /// True if the camera sends datagrams.
    private(set) var isUsed = false

    private var streams: [SessionStream] = []
    /// The address that the camera named as the sender of each stream; nil if it named none.
    private var sources: [InternetAddress?] = []
    private var senderBytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)

    init(_ setup: NetworkCameraSetup) {
        var pairs: [DatagramPair] = []
        if setup.transport != .tcp, !setup.url.isSecure {
            for _ in 0..<(setup.wantsAudio ? 2 : 1) {
                if let pair = try? DatagramPair() { pairs.append(pair) }
            }
        }
        self.pairs = pairs
    }

    /// Accepts the streams that were set up.
    mutating func begin(_ streams: [SessionStream], _ resolver: NameResolver) {
        self.streams = streams
        isUsed = streams.contains { if case .datagrams = $0.transport { true } else { false } }
        sources = streams.map { stream -> InternetAddress? in
            guard case .datagrams(_, _, let source?) = stream.transport else { return nil }
            // Accept only a numeric address, because a name would have to be looked up.
            return resolver.numeric(source)?.first
        }
    }

    /// Reads one datagram.
    ///
    /// - Parameter camera: The address of the camera's connection.
    /// - Returns: The datagram's size, or 0 if it is not from the camera; nil if no datagram has arrived.
    mutating func receive(
        stream: Int, isControl: Bool, from camera: InternetAddress?, into buffer: inout [UInt8]
    ) -> Int? {
        guard
            let (count, source) = pairs[stream].receive(isControl: isControl, into: &buffer, source: &senderBytes)
        else { return nil }
        // Other machines may send to this port too.
        guard let sender = source, streams.indices.contains(stream) else { return 0 }
        return sender.host == camera?.host || sender.host == sources[stream]?.host ? count : 0
    }

    /// Sends a packet to each of the camera's ports, so that routers let the camera's packets through.
    func openPaths(to camera: InternetAddress?) {
        for index in streams.indices {
            send([0x80] + [UInt8](repeating: 0, count: 11), stream: index, isControl: false, to: camera)
        }
    }

    /// Sends a datagram to the port that the camera named for a stream, if it named one.
    func send(_ bytes: [UInt8], stream: Int, isControl: Bool, to camera: InternetAddress?) {
        guard pairs.indices.contains(stream), case .datagrams(_, let server?, _) = streams[stream].transport,
            server < .max,
            let address = (sources[stream] ?? camera)?.with(port: isControl ? server + 1 : server)
        else { return }
        pairs[stream].send(bytes, isControl: isControl, to: address)
    }
}

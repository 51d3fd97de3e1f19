import MediaTypes

/// JPEG (RFC 2435): restores the header that packets leave out, and joins the fragments of each frame.
///
/// If a packet is missing, the frame is dropped, because decoders would show the rest of the image shifted.
struct JPEGDepacketizer: Depacketizer {
    private struct Frame: Sendable {
        var time: Int64
        var arrival: Int64
        var header: JPEGPayloadHeader
        var tables: [[UInt8]]
        /// The data of the scan so far.
        var bytes: [UInt8]
    }

    private var frame: Frame?
    /// The time of a frame that is already counted as dropped.
    private var droppedTime: Int64?
    /// The quantization tables of the qualities from 128 to 254, which need not be repeated.
    private var known: [UInt8: [[UInt8]]] = [:]
    private var size = FrameSize(0, 0)
    private var pendingLost: Int64 = 0
    private var complaints: Set<String> = []
    private let packets = MediaDataPool(byteCount: 128 << 10, capacity: 32)

    mutating func add(_ packet: ReceivedPacket, to output: inout [DepacketizedItem]) {
        if let frame, packet.lostBefore > 0 || packet.time != frame.time { drop(frame.time, .damaged, &output) }
        pendingLost += packet.lostBefore
        guard let header = JPEGPayloadHeader(packet.packet.payload) else {
            return drop(packet.time, .damaged, &output)
        }
        guard header.type <= 1 else {
            return refuse("JPEG of type \(header.type), neither 4:2:2 nor 4:2:0", packet, &output)
        }
        if header.offset == 0 {
            if frame != nil { drop(packet.time, .damaged, &output) }
            begin(header, packet, &output)
        } else {
            guard header.offset == frame?.bytes.count else { return drop(packet.time, .damaged, &output) }
            guard header.offset + header.data.count <= SampleLimits.mostBytes else {
                return drop(packet.time, .tooLarge, &output)
            }
            frame?.bytes.append(contentsOf: header.data)
        }
        if packet.packet.marker { end(&output) }
    }

    mutating func flush(to output: inout [DepacketizedItem]) {
        if let frame { drop(frame.time, .damaged, &output) }
        droppedTime = nil
    }

    private mutating func begin(
        _ header: JPEGPayloadHeader, _ packet: ReceivedPacket, _ output: inout [DepacketizedItem]
    ) {
        guard header.width > 0, header.height > 0 else {
            return refuse("JPEG frames over 2040 pixels, whose size RTP cannot express", packet, &output)
        }
        guard let tables = tables(of: header) else { return drop(packet.time, .damaged, &output) }
        frame = Frame(
            time: packet.time, arrival: packet.arrival, header: header, tables: tables, bytes: Array(header.data))
    }

    private mutating func tables(of header: JPEGPayloadHeader) -> [[UInt8]]? {
        guard header.quality >= 128 else { return JPEGImageHeader.tables(quality: header.quality) }
        guard let sent = header.tables, !sent.isEmpty else { return known[header.quality] }
        // Quality 255 means that the tables may differ in each frame.
        if header.quality < 255 { known[header.quality] = sent }
        return sent
    }

    private mutating func end(_ output: inout [DepacketizedItem]) {
        guard let frame else { return }
        self.frame = nil
        let header = frame.header
        if size != FrameSize(header.width, header.height) {
            size = FrameSize(header.width, header.height)
            // JFIF 1.02: full range with the BT.601 matrix.
            let color = ColorDescription(matrix: 6, isFullRange: true)
            output.append(
                .format(.video(VideoFormat(codec: .mjpeg, width: header.width, height: header.height, color: color))))
        }
        var image = JPEGImageHeader.bytes(header, tables: frame.tables) + frame.bytes
        if !image.suffix(2).elementsEqual([0xFF, 0xD9]) { image += [0xFF, 0xD9] }
        output.append(
            .sample(
                NetworkSample(
                    image.withUnsafeBytes { packets.copy($0) }, time: frame.time, arrival: frame.arrival,
                    lostPackets: pendingLost)))
        pendingLost = 0
    }

    /// Drops the frame at a time. Its other packets do not count as further drops.
    private mutating func drop(_ time: Int64, _ reason: DropReason, _ output: inout [DepacketizedItem]) {
        frame = nil
        guard droppedTime != time else { return }
        droppedTime = time
        output.append(.dropped(count: 1, reason, time: time))
    }

    private mutating func refuse(_ cause: String, _ packet: ReceivedPacket, _ output: inout [DepacketizedItem]) {
        if complaints.insert(cause).inserted { output.append(.unsupported(cause)) }
        drop(packet.time, .withoutFormat, &output)
    }
}

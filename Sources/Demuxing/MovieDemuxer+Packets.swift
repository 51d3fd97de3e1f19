import CFFmpeg
import MediaTypes

extension MovieDemuxer {
    /// The packet's bytes go on as they are, in libavformat's own memory, or unread in the file.
    func demuxed(
        _ packet: UnsafeMutablePointer<AVPacket>, format: FormatDescription, track: Track
    ) throws(MediaError) -> Packet {
        let stored: MediaData?
        do throws(MediaError) {
            stored = try unread?.data(of: packet.pointee)
        } catch {
            Self.free(packet)
            throw error
        }
        defer { if stored != nil { Self.free(packet) } }
        let fields = packet.pointee
        let base = context.pointee.streams[track.index]?.pointee.time_base ?? AVRational(num: 1, den: 1000)
        func time(_ ticks: Int64) -> MediaTime? {
            Self.time(ticks, base).map { origin == .zero ? $0 : $0 - origin }
        }
        let decode = time(fields.dts)
        let shown = time(fields.pts)
        let presentation = shown ?? decode ?? .invalid
        let data = stored ?? Self.owning(packet)
        var count = 1
        if let audio = format.audio {
            count = audio.bytesPerFrame.map { data.count / max(1, $0) } ?? max(1, audio.framesPerPacket)
        }
        let sample = SampleBuffer(
            format: format, content: .data(data), presentationTime: presentation,
            decodeTime: decode == presentation ? nil : decode,
            duration: fields.duration > 0 ? Self.time(fields.duration, base) : nil, sampleCount: count,
            isKeyFrame: fields.flags & AV_PKT_FLAG_KEY != 0)
        let (skipped, dropped) = Self.trimming(packet)
        return Packet(
            track: track.index, sample: sample, isDiscarded: fields.flags & AV_PKT_FLAG_DISCARD != 0,
            hasPresentationTime: shown != nil, hasDecodeTime: decode != nil, skippedFrames: skipped,
            droppedFrames: dropped,
            isEncrypted: av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil, position: fields.pos)
    }

    private static func owning(_ packet: UnsafeMutablePointer<AVPacket>) -> MediaData {
        let fields = packet.pointee
        let address = UInt(bitPattern: packet)
        let bytes = UnsafeRawBufferPointer(start: fields.data, count: fields.data == nil ? 0 : Int(max(0, fields.size)))
        return MediaData(borrowing: bytes) {
            if let packet = UnsafeMutablePointer<AVPacket>(bitPattern: address) { free(packet) }
        }
    }

    /// Two little-endian counts: frames to leave out at the start and at the end (AV_PKT_DATA_SKIP_SAMPLES).
    private static func trimming(_ packet: UnsafeMutablePointer<AVPacket>) -> (Int, Int) {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 8 else {
            return (0, 0)
        }
        let raw = UnsafeRawPointer(data)
        return (
            Int(UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self))),
            Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        )
    }

    static func free(_ packet: UnsafeMutablePointer<AVPacket>) {
        var freed: UnsafeMutablePointer<AVPacket>? = packet
        av_packet_free(&freed)
    }
}

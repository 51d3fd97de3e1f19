import CFFmpeg
import MediaTypes

extension MovieDemuxer {
    /// Returns a packet with unchanged bytes. The bytes are in libavformat's memory, or still unread in the file.
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
        let data = stored ?? Self.captions(packet, format) ?? Self.owning(packet)
        var count = 1
        if let audio = format.audio {
            count = audio.bytesPerFrame.map { data.count / max(1, $0) } ?? max(1, audio.framesPerPacket)
        }
        let sample = SampleBuffer(
            format: format, content: .data(data), presentationTime: presentation,
            decodeTime: decode == presentation ? nil : decode,
            duration: duration(fields, of: track, format).flatMap { Self.time($0, base) }, sampleCount: count,
            isKeyframe: fields.flags & AV_PKT_FLAG_KEY != 0)
        let (skipped, dropped) = Self.trimming(packet)
        return Packet(
            track: track.index, sample: sample, isDiscarded: fields.flags & AV_PKT_FLAG_DISCARD != 0,
            hasPresentationTime: shown != nil && !track.lacksPresentationTimes, hasDecodeTime: decode != nil,
            skippedFrames: skipped,
            droppedFrames: dropped,
            isEncrypted: av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil, position: fields.pos)
    }

    /// Returns the duration in ticks; nil if unknown. If a track begins later than 0, libavformat calculates the
    /// duration of the last sample as if the track began at 0. Subtitles and timed metadata would then have a wrong
    /// end, so their duration is calculated here.
    private func duration(_ packet: AVPacket, of track: Track, _ format: FormatDescription) -> Int64? {
        let isSparse = format.mediaType == .text || format.mediaType == .metadata
        if isSparse, let stream = context.pointee.streams[track.index] {
            let (start, length) = (stream.pointee.start_time, stream.pointee.duration)
            let last = avformat_index_get_entry(stream, avformat_index_get_entries_count(stream) - 1)
            if start > 0, length > 0, let last, last.pointee.timestamp == packet.dts {
                let (end, overflow) = start.addingReportingOverflow(length)
                if !overflow, end > packet.dts { return end &- packet.dts }
            }
        }
        return packet.duration > 0 ? packet.duration : nil
    }

    /// Restores captions to the form that they have in the file. libavformat extracts captions from their atoms, and
    /// puts 0xFC before each pair of bytes. In the file, the atom of the second field follows the atom of the first
    /// field.
    private static func captions(_ packet: UnsafeMutablePointer<AVPacket>, _ format: FormatDescription) -> MediaData? {
        guard case .text(let text) = format, text.stored?.code == "c608", let data = packet.pointee.data,
            packet.pointee.size >= 3
        else { return nil }
        defer { free(packet) }
        let triples = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size) / 3 * 3)
        let pairs = triples.enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
        let second = Array("cdt2".utf8)
        let place = pairs.indices.first { pairs[$0...].starts(with: second) }
        let size = UInt32(place.map { max(0, $0 - 4) } ?? pairs.count) + 8
        return MediaData(withUnsafeBytes(of: size.bigEndian) { Array($0) } + Array("cdat".utf8) + pairs)
    }

    private static func owning(_ packet: UnsafeMutablePointer<AVPacket>) -> MediaData {
        let fields = packet.pointee
        let address = UInt(bitPattern: packet)
        let bytes = UnsafeRawBufferPointer(start: fields.data, count: fields.data == nil ? 0 : Int(max(0, fields.size)))
        return MediaData(borrowing: bytes) {
            if let packet = UnsafeMutablePointer<AVPacket>(bitPattern: address) { free(packet) }
        }
    }

    /// Reads two little-endian counts: frames to discard at the start and at the end (AV_PKT_DATA_SKIP_SAMPLES).
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

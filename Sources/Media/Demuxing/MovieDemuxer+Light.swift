import CFFmpeg
import FileSystem
import MediaTypes
import MovieFile

extension MovieDemuxer {
    /// Adds the mastering display and the light levels from the stream to HDR tracks, if the container has neither.
    ///
    /// Reads only the first packet of each such track.
    static func addLight(
        to tracks: inout [Track], of context: UnsafeMutablePointer<AVFormatContext>, path: String
    ) {
        var messages: [Int: HDRMetadata] = [:]
        for track in tracks {
            guard let video = track.format?.video, video.color.isHighDynamicRange, video.masteringDisplay == nil,
                video.contentLight == nil
            else { continue }
            messages[track.index] = HDRMetadata(video.codec, configuration: video.decoderConfiguration)
        }
        guard !messages.isEmpty else { return }
        forFirstPackets(of: Set(messages.keys), context, path: path, most: mostBytes) { messages[$0]?.read($1) }
        for (index, found) in messages {
            guard case .video(var video) = tracks[index].format else { continue }
            (video.masteringDisplay, video.contentLight) = (found.display, found.light)
            tracks[index].format = .video(video)
        }
    }

    /// The maximum number of bytes to read of a packet. The messages are at its start, before the frame. The frame may
    /// be large.
    private static let mostBytes = 1 << 16

    /// Calls `body` with the first packet of each track, in any order.
    ///
    /// - Parameter most: the maximum number of bytes to read of a packet.
    static func forFirstPackets(
        of indices: Set<Int>, _ context: UnsafeMutablePointer<AVFormatContext>, path: String, most: Int,
        _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) {
        let unread = indices.filter { index in
            guard let found = firstSample(of: index, context, path: path, most: most) else { return true }
            found.withUnsafeBytes { body(index, $0) }
            return false
        }
        if !unread.isEmpty { readFirstPackets(of: unread, path: path, most: most, body) }
    }

    /// Returns the beginning of a track's first sample; nil if the file has no index.
    private static func firstSample(
        of index: Int, _ context: UnsafeMutablePointer<AVFormatContext>, path: String, most: Int
    ) -> [UInt8]? {
        guard let name = context.pointee.iformat?.pointee.name, String(cString: name).hasPrefix("mov"),
            let entry = avformat_index_get_entry(context.pointee.streams[index], 0), entry.pointee.pos >= 0,
            entry.pointee.size > 0, let file = try? DiskFile(path: path, mode: .read)
        else { return nil }
        defer { file.close() }
        return file.bytes(at: UInt64(entry.pointee.pos), count: min(most, Int(entry.pointee.size)))
    }

    /// Calls `body` with the first packet of each track. Opens the file again for that, because the packets that
    /// libavformat read to identify the tracks cannot be read again in every container.
    private static func readFirstPackets(
        of indices: Set<Int>, path: String, most: Int, _ body: (Int, UnsafeRawBufferPointer) -> Void
    ) {
        guard let context = try? openContext(path) else { return }
        defer { closeContext(context) }
        guard let packet = av_packet_alloc() else { return }
        defer { free(packet) }
        var missing = indices
        // There is a limit because one stream may have no packets, and those of the others may fill most of the file.
        for _ in 0..<1000 where !missing.isEmpty {
            guard av_read_frame(context, packet) >= 0 else { return }
            defer { av_packet_unref(packet) }
            let index = Int(packet.pointee.stream_index)
            guard missing.remove(index) != nil, let data = packet.pointee.data else { continue }
            body(index, UnsafeRawBufferPointer(start: data, count: min(most, Int(max(0, packet.pointee.size)))))
        }
    }
}

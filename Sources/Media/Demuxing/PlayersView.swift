import CFFmpeg
package import MediaTypes
import MovieFile

/// A movie file as libavformat, the parser of most players, sees it: its tracks, and the position and time of each
/// shown packet.
package enum PlayersView {
    /// Opens the file as players do, without options that make the parser stricter, and returns the position of every
    /// packet. Reads no media data.
    ///
    /// Cover images count as tracks. The header must have sample tables: fragments are not read.
    ///
    /// - Throws: the errors of opening; `corruptData` if it is not a movie of QuickTime's family.
    package static func tracks(_ path: String) throws(MediaError) -> [PlayedTrack] {
        try MovieDemuxer.requireFile(path)
        // Throws for a file that libavformat must not open.
        _ = try StoredHeader(path: path)
        av_log_set_level(AV_LOG_QUIET)
        let unread = try UnreadPackets(path: path)
        var opened = avformat_alloc_context()
        opened?.pointee.pb = unread.io
        var options: OpaquePointer?
        av_dict_set(&options, "format_whitelist", "mov", 0)
        av_dict_set(&options, "protocol_whitelist", "file", 0)
        defer { av_dict_free(&options) }
        let result = avformat_open_input(&opened, "file:" + path, nil, &options)
        guard result >= 0, let context = opened else {
            throw MediaError(averror: result, .corruptData, "cannot read \(path)", wayOut: "the movie is damaged")
        }
        // The context is closed before `unread` is released.
        defer { avformat_close_input(&opened) }
        context.pointee.flags |= AVFMT_FLAG_NOPARSE
        unread.leaveUnread()
        var tracks = (0..<Int(context.pointee.nb_streams)).map { track(context.pointee.streams[$0]) }
        try read(context, unread, into: &tracks)
        return tracks
    }

    private static func track(_ stream: UnsafeMutablePointer<AVStream>?) -> PlayedTrack {
        guard let stream = stream?.pointee else { return PlayedTrack(id: 0, kind: .other, isLeftOut: true) }
        let isCover = stream.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        let kind: PlayedTrack.Kind =
            switch stream.codecpar.pointee.codec_type {
            case AVMEDIA_TYPE_VIDEO: .video
            case AVMEDIA_TYPE_AUDIO: .audio
            default: .other
            }
        // A cover has no track of its own; libavformat's ID for it belongs to no track.
        return PlayedTrack(
            id: isCover ? -1 : Int(stream.id), kind: kind, isLeftOut: stream.discard.rawValue >= AVDISCARD_ALL.rawValue)
    }

    private static func read(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ unread: UnreadPackets, into tracks: inout [PlayedTrack]
    ) throws(MediaError) {
        guard let packet = av_packet_alloc() else {
            throw MediaError(.ioFailure, "cannot read a movie's packets", reason: "out of memory")
        }
        defer { MovieDemuxer.free(packet) }
        while true {
            unread.begin()
            guard av_read_frame(context, packet) >= 0 else { return }
            defer { av_packet_unref(packet) }
            let index = Int(packet.pointee.stream_index)
            guard tracks.indices.contains(index), packet.pointee.flags & AV_PKT_FLAG_DISCARD == 0,
                let base = context.pointee.streams[index]?.pointee.time_base, base.den > 0
            else { continue }
            let ticks = packet.pointee.pts
            let time = ticks == CFFMPEG_NOPTS_VALUE ? nil : Double(ticks) * Double(base.num) / Double(base.den)
            // A packet without a position matches no sample.
            let place = packet.pointee.pos < 0 ? UInt64.max : UInt64(packet.pointee.pos)
            tracks[index].packets.append(
                .init(offset: place, byteCount: UInt64(max(0, packet.pointee.size)), time: time))
        }
    }
}

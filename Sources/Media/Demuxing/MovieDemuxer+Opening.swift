import CFFmpeg
import FileSystem
import Glibc
import MediaTypes
import MovieFile

extension MovieDemuxer {
    /// Containers of movies and audio. Playlists, text and images are not accepted.
    private static let containers =
        "mov,matroska,webm,avi,mpegts,mpeg,wav,w64,mp3,flac,ogg,aac,aiff,au,caf,flv,asf,mxf,h264,hevc,ac3,eac3,amr,ivf,"
        + "dv,m4v,mpegvideo,mjpeg"

    /// Returns the error for a file that libavformat cannot open.
    private static func unreadable(_ path: String, _ result: Int32) -> MediaError {
        let action = "cannot read \(path)"
        guard result == CFFMPEG_ERROR_INVALIDDATA, let file = try? DiskFile(path: path, mode: .read),
            let shape = try? FileShape(file), shape.form == .headless
        else {
            // libavformat returns EINVAL for a container that is not in the list.
            guard result != -EINVAL else {
                return MediaError(
                    averror: result, .corruptData, action,
                    wayOut: "it is not a movie, or its container is not supported; `ffmpeg` may convert it")
            }
            return MediaError(averror: result, .corruptData, action, wayOut: "it is not a movie, or it is damaged")
        }
        return MediaError(
            .corruptData, action,
            reason: shape.cutOff == nil
                ? "it has no header: it was never finalized, or its end is missing"
                : "its end is missing, including the header",
            wayOut: "copy it again from an intact source; for a recording, use `recorder repair`")
    }

    /// Opens a file. The caller closes the context.
    ///
    /// - Parameters:
    ///   - io: the bytes of the file; nil to let libavformat open it.
    ///   - findsLateAudio: true to search for the first packets of all tracks beyond libavformat's usual limits.
    static func openContext(
        _ path: String, _ io: UnsafeMutablePointer<AVIOContext>? = nil, ignoresEdits: Bool = false,
        findsLateAudio: Bool = false
    ) throws(MediaError) -> UnsafeMutablePointer<AVFormatContext> {
        var opened: UnsafeMutablePointer<AVFormatContext>?
        if let io {
            avio_seek(io, 0, SEEK_SET)
            opened = avformat_alloc_context()
            opened?.pointee.pb = io
        }
        var options: OpaquePointer?
        av_dict_set(&options, "format_whitelist", containers, 0)
        // A movie must never make libavformat open anything else.
        av_dict_set(&options, "protocol_whitelist", "file", 0)
        if ignoresEdits { av_dict_set(&options, "ignore_editlist", "1", 0) }
        if findsLateAudio {
            // Bytes, which are kept in memory until they are read as packets, and microseconds.
            av_dict_set(&options, "probesize", "33554432", 0)
            av_dict_set(&options, "analyzeduration", "300000000", 0)
        }
        defer { av_dict_free(&options) }
        let result = PathText.withBytes("file:" + path) { avformat_open_input(&opened, $0, nil, &options) }
        guard result >= 0, let opened else { throw unreadable(path, result) }
        return opened
    }

    static func closeContext(_ context: UnsafeMutablePointer<AVFormatContext>) {
        var closed: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&closed)
    }

    /// Returns true for a transport or program stream with audio whose codec is known, but of which libavformat found no
    /// packet: it searches only the first 5 MB or 7 s.
    static func hasLateAudio(_ context: UnsafeMutablePointer<AVFormatContext>, _ container: String) -> Bool {
        guard container == "mpegts" || container == "mpeg" else { return false }
        return (0..<Int(context.pointee.nb_streams)).contains { index in
            guard let parameters = context.pointee.streams[index]?.pointee.codecpar.pointee else { return false }
            return parameters.codec_type == AVMEDIA_TYPE_AUDIO && parameters.codec_id != AV_CODEC_ID_NONE
                && parameters.sample_rate == 0
        }
    }
}

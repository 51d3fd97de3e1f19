import CFFmpeg
import MediaTypes

/// One filter of libavfilter between a source and a sink. One thread at a time calls it.
final class FilterGraph {
    private let library: FilterLibrary
    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?

    /// - Parameters:
    ///   - filter: its name and its options, as ffmpeg's `-vf` has them.
    ///   - format: libavutil's, of the frames to come.
    /// - Throws: `unsupported` for a filter that the library lacks and for pictures that it does not take.
    init(
        _ library: FilterLibrary, filter: String, options: String, format: AVPixelFormat, width: Int, height: Int
    ) throws(MediaError) {
        self.library = library
        graph = library.functions.graph_alloc()
        guard graph != nil else { throw MediaError(.ioFailure, "cannot make a filter", reason: "no memory") }
        let shape = "video_size=\(width)x\(height):pix_fmt=\(format.rawValue):time_base=1/1000:pixel_aspect=1/1"
        source = try make("buffer", shape)
        let middle = try make(filter, options)
        sink = try make("buffersink", "")
        var code = library.functions.link(source, 0, middle, 0)
        if code >= 0 { code = library.functions.link(middle, 0, sink, 0) }
        if code >= 0 { code = library.functions.config(graph, nil) }
        guard code >= 0 else {
            throw MediaError(averror: code, .unsupported, "cannot filter pictures of \(width)×\(height) with \(filter)")
        }
    }

    deinit { library.functions.graph_free(&graph) }

    private func make(_ name: String, _ options: String) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext>? {
        guard let filter = library.functions.get_by_name(name) else {
            throw MediaError(.unsupported, "cannot filter pictures", reason: "this libavfilter has no “\(name)”")
        }
        var made: UnsafeMutablePointer<AVFilterContext>?
        let code = library.functions.create_filter(&made, filter, name, options, nil, graph)
        guard code >= 0 else { throw MediaError(averror: code, .unsupported, "cannot make the filter “\(name)”") }
        return made
    }

    /// Takes the frame's reference; nil: the end.
    func push(_ frame: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        let code = library.functions.add_frame(source, frame, 0)
        guard code >= 0 else { throw MediaError(averror: code, .codecFailure, "cannot filter a picture") }
    }

    /// The next frame into an empty one; false when there is none yet, or none any more.
    func pull(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> Bool {
        let code = library.functions.get_frame(sink, frame)
        if code == CFFMPEG_ERROR_EAGAIN || code == CFFMPEG_ERROR_EOF { return false }
        guard code >= 0 else { throw MediaError(averror: code, .codecFailure, "cannot filter a picture") }
        return true
    }
}

import CFFmpeg
import MediaTypes

/// A chain of libavfilter filters between a source and a sink. Called by one thread at a time.
final class FilterGraph {
    struct Filter {
        /// The name in ffmpeg's `-vf` syntax.
        let name: String
        let options: String

        init(_ name: String, _ options: String) { (self.name, self.options) = (name, options) }
    }

    private let library: FilterLibrary
    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?

    /// - Parameters:
    ///   - filters: the filters in order.
    ///   - format: libavutil's format of the input frames.
    /// - Throws: `unsupported` for a filter that the library lacks, and for frames that a filter does not accept.
    init(
        _ library: FilterLibrary, filters: [Filter], format: AVPixelFormat, width: Int, height: Int
    ) throws(MediaError) {
        self.library = library
        graph = library.functions.graph_alloc()
        guard graph != nil else { throw MediaError(.ioFailure, "cannot create a filter", reason: "out of memory") }
        let shape = "video_size=\(width)x\(height):pix_fmt=\(format.rawValue):time_base=1/1000:pixel_aspect=1/1"
        source = try make("buffer", shape)
        var code: Int32 = 0
        var last = source
        for filter in filters {
            let next = try make(filter.name, filter.options)
            if code >= 0 { code = library.functions.link(last, 0, next, 0) }
            last = next
        }
        sink = try make("buffersink", "")
        if code >= 0 { code = library.functions.link(last, 0, sink, 0) }
        if code >= 0 { code = library.functions.config(graph, nil) }
        guard code >= 0 else {
            let names = filters.map(\.name).joined(separator: ", ")
            throw MediaError(averror: code, .unsupported, "cannot filter frames of \(width)×\(height) with \(names)")
        }
    }

    /// Creates a graph with one filter.
    convenience init(
        _ library: FilterLibrary, filter: String, options: String, format: AVPixelFormat, width: Int, height: Int
    ) throws(MediaError) {
        try self.init(library, filters: [Filter(filter, options)], format: format, width: width, height: height)
    }

    deinit { library.functions.graph_free(&graph) }

    private func make(_ name: String, _ options: String) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext>? {
        guard let filter = library.functions.get_by_name(name) else {
            throw MediaError(.unsupported, "cannot filter frames", reason: "this libavfilter has no “\(name)”")
        }
        var made: UnsafeMutablePointer<AVFilterContext>?
        let code = library.functions.create_filter(&made, filter, nil, options, nil, graph)
        guard code >= 0 else { throw MediaError(averror: code, .unsupported, "cannot create the filter “\(name)”") }
        return made
    }

    /// Passes a frame to the source and takes over its reference; nil ends the stream.
    func push(_ frame: UnsafeMutablePointer<AVFrame>?) throws(MediaError) {
        let code = library.functions.add_frame(source, frame, 0)
        guard code >= 0 else { throw MediaError(averror: code, .codecFailure, "cannot filter a frame") }
    }

    /// Receives the next frame into an empty frame. Returns false if no frame is ready, or at the end.
    func pull(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> Bool {
        let code = library.functions.get_frame(sink, frame)
        if code == CFFMPEG_ERROR_EAGAIN || code == CFFMPEG_ERROR_EOF { return false }
        guard code >= 0 else { throw MediaError(averror: code, .codecFailure, "cannot filter a frame") }
        return true
    }
}

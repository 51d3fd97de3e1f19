package import MediaTypes

/// Converts each interlaced frame to one progressive frame with the same timestamp. The lines of the first field stay
/// unchanged. libavfilter's bwdif interpolates the lines between them, from these lines and from the neighboring
/// frames.
///
/// Each frame is output when the next frame is passed in. Called by one thread at a time; libavfilter uses its own
/// threads.
package final class Deinterlacer {
    private let library: FilterLibrary
    private let isUpperFirst: Bool
    private let isProgressive: Bool
    private let formats = PixelConverter()
    private let frame: FilterFrame
    private var graph: FilterGraph?
    /// The layout that the graph was created for.
    private var layout: PixelLayout?
    /// The samples whose results have not been returned yet. A result gets the time and format of its sample.
    private var waiting: [SampleBuffer] = []
    private var number: Int64 = 0

    /// - Parameter fieldOrder: the order of the fields; nil means that the upper field is shown first, as in most
    ///   material. Progressive frames pass through unchanged.
    /// - Throws: `unsupported` if libavfilter is not installed.
    package init(fieldOrder: FieldOrder?) throws(MediaError) {
        switch fieldOrder {
        case nil, .upperFirst, .upperFirstInterleaved: isUpperFirst = true
        case .lowerFirst, .lowerFirstInterleaved, .progressive: isUpperFirst = false
        }
        isProgressive = fieldOrder == .progressive
        library = try FilterLibrary.loaded()
        frame = try FilterFrame()
    }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount }

    /// Accepts the next frame, or nil for the end of a sequence. After the end, a new sequence of frames may begin.
    ///
    /// - Parameter output: receives each finished frame, before this function returns, in the order of the samples.
    /// - Throws: `invalidSample` for a sample that is not a frame; `unsupported` for RGB; `codecFailure` if the filter
    ///   fails.
    package func process(_ sample: SampleBuffer?, output: (SampleBuffer) -> Void) throws(MediaError) {
        guard let sample else { return try finish(output) }
        guard case .pixels(let image) = sample.content, image.layout.holdsWholeFrame else {
            throw MediaError(.invalidSample, "cannot deinterlace a sample", reason: "it is not a raw frame")
        }
        guard !isProgressive, Self.hasFields(image) else {
            try finish(output)
            return output(sample)
        }
        let planar = try planar(image)
        if let layout, layout.format != planar.format || layout.width != planar.width || layout.height != planar.height
        {
            try finish(output)
        }
        if graph == nil { try begin(planar) }
        try frame.borrow(planar, number: number)
        number += 1
        defer { frame.clear() }
        try graph?.push(frame.pointer)
        waiting.append(sample)
        try drain(output)
    }

    /// Returns true if the frame is large enough for bwdif, which needs three columns and four rows in every plane.
    /// Smaller frames have no visible fields.
    private static func hasFields(_ image: PixelBuffer) -> Bool { image.width >= 6 && image.height >= 8 }

    /// Converts the frame to a format and row length that the filter accepts. The filter's vector code reads rows up to
    /// the next multiple of 64 bytes.
    private func planar(_ image: PixelBuffer) throws(MediaError) -> PixelBuffer {
        let format: PixelFormat
        switch image.format {
        case .nv12, .gray8: format = .i420
        case .bgra, .argb, .rgba, .rgb24:
            throw MediaError(
                .unsupported, "cannot deinterlace a frame", reason: "it is RGB",
                wayOut: "read the track in a YUV format")
        default: format = image.format.planar
        }
        let planar = try formats.convert(image, to: format)
        return planar.layout.planes.allSatisfy { $0.bytesPerRow % 64 == 0 } ? planar : formats.copy(planar)
    }

    private func begin(_ image: PixelBuffer) throws(MediaError) {
        guard let format = FilterFrame.format(image.format) else {
            throw MediaError(
                .unsupported, "cannot deinterlace a \(image.format.rawValue) frame", reason: "no filter for it")
        }
        graph = try FilterGraph(
            library, filter: "bwdif", options: "mode=send_frame:deint=all:parity=\(isUpperFirst ? "tff" : "bff")",
            format: format, width: image.width, height: image.height)
        layout = image.layout
    }

    private func finish(_ output: (SampleBuffer) -> Void) throws(MediaError) {
        defer { (graph, layout, waiting) = (nil, nil, []) }
        guard let graph else { return }
        try graph.push(nil)
        try drain(output)
        // Frames that the filter did not return are output unchanged.
        waiting.forEach(output)
    }

    private func drain(_ output: (SampleBuffer) -> Void) throws(MediaError) {
        while let graph, let layout, !waiting.isEmpty {
            frame.clear()
            guard try graph.pull(frame.pointer) else { return }
            let sample = waiting.removeFirst()
            guard case .pixels(let original) = sample.content else { continue }
            let target = formats.target(
                layout.format, width: layout.width, height: layout.height, color: original.color)
            try frame.copy(into: target)
            let image = try formats.convert(target.finish(), to: original.format)
            output(
                SampleBuffer(
                    format: progressive(sample.format), content: .pixels(image),
                    presentationTime: sample.presentationTime,
                    decodeTime: sample.decodeTime, duration: sample.duration, sampleCount: sample.sampleCount,
                    isKeyframe: sample.isKeyframe))
        }
    }

    private func progressive(_ format: FormatDescription) -> FormatDescription {
        guard case .video(var video) = format, video.fieldOrder != nil else { return format }
        video.fieldOrder = .progressive
        return .video(video)
    }
}

import CFFmpeg
package import MediaTypes

/// Converts high dynamic range frames (PQ or HLG) to BT.709 with libavfilter's `zscale` and `tonemap`.
///
/// A brightness of 100 cd/m² becomes white. Brightness up to a third of that is unchanged. Brighter values are
/// compressed (Möbius), so that nothing below the peak is clipped (docs/design/decisions/frames.md). Called by one
/// thread at a time; libavfilter uses its own threads.
package final class ToneMapper {
    /// The source and target of a conversion.
    package struct Conversion: Sendable, Hashable {
        /// The color tags of the source; the transfer function is PQ or HLG.
        package var source: ColorDescription
        package var chromaPosition: ChromaPosition?
        /// The peak brightness in cd/m².
        package var peak: Double
        /// A planar luma and chroma format.
        package var format: PixelFormat

        /// - Parameters:
        ///   - video: the format of the frames. Its content light level and mastering display determine the peak
        ///     brightness.
        ///   - format: the format of the result.
        package init(_ video: VideoFormat, to format: PixelFormat) {
            source = video.color
            chromaPosition = video.chromaPosition
            self.format = format
            let light = Double(video.contentLight?.maximum ?? 0)
            let screen = Double(video.masteringDisplay?.maximumLuminance ?? 0) / 10_000
            // HLG is defined for a display of 1000 cd/m² (ITU-R BT.2100), and most movies in PQ are mastered on such a
            // display.
            let known = [light, screen].filter { $0 > 0 }.min() ?? 1000
            peak = video.color.transfer == 18 ? 1000 : min(10_000, max(100, known))
        }
    }

    /// The color tags of the result. Chroma is at the decoders' default position.
    package static let color = ColorDescription.bt709

    private let library: FilterLibrary
    private let conversion: Conversion
    private let formats = PixelConverter()
    private let frame: FilterFrame
    private var graph: FilterGraph?
    /// The layout that the graph was created for.
    private var layout: PixelLayout?
    private var number: Int64 = 0

    /// - Throws: `unsupported` if libavfilter is not installed.
    package init(_ conversion: Conversion) throws(MediaError) {
        self.conversion = conversion
        library = try FilterLibrary.loaded()
        frame = try FilterFrame()
    }

    /// The number of allocations from the system. It stays constant once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount }

    /// Converts a frame.
    ///
    /// - Throws: `unsupported` if libavfilter lacks these filters; `invalidSample` for rows too short for the frame;
    ///   `codecFailure` if a filter fails.
    package func map(_ image: PixelBuffer) throws(MediaError) -> PixelBuffer {
        let planar = try planar(image)
        if graph == nil || layout != planar.layout {
            graph = try makeGraph(planar)
            layout = planar.layout
        }
        guard let graph else { return image }
        try frame.borrow(planar, number: number)
        describe()
        number += 1
        defer { frame.clear() }
        try graph.push(frame.pointer)
        frame.clear()
        guard try graph.pull(frame.pointer) else {
            throw MediaError(.codecFailure, "cannot tone-map a frame", reason: "the filter returned no frame")
        }
        let target = formats.target(
            conversion.format, width: planar.width, height: planar.height, color: Self.color)
        try frame.copy(into: target)
        return target.finish()
    }

    /// Converts the frame to a format and row length that the filters accept.
    private func planar(_ image: PixelBuffer) throws(MediaError) -> PixelBuffer {
        let planar = try formats.convert(image, to: FilterFrame.planar(image.format))
        return planar.layout.planes.allSatisfy { $0.bytesPerRow % 64 == 0 } ? planar : formats.copy(planar)
    }

    private func makeGraph(_ image: PixelBuffer) throws(MediaError) -> FilterGraph {
        guard let format = FilterFrame.format(image.format), let made = FilterFrame.name(conversion.format) else {
            throw MediaError(
                .unsupported, "cannot tone-map a \(image.format.rawValue) frame", reason: "no filter for it")
        }
        return try FilterGraph(
            library, filters: filters(to: made), format: format, width: image.width, height: image.height)
    }

    /// Returns the filters in order. They convert to linear light in units of 100 cd/m², then to BT.709's primaries,
    /// map the tones, and convert back to coded values. The source's color tags are set in the frame itself.
    private func filters(to format: String) -> [FilterGraph.Filter] {
        [
            .init("zscale", "transfer=linear:npl=100"), .init("format", "pix_fmts=gbrpf32le"),
            .init("zscale", "primaries=709"),
            .init("tonemap", "tonemap=mobius:desat=0:peak=\(conversion.peak / 100)"),
            .init("zscale", "transfer=709:matrix=709:primaries=709:range=limited:chromal=left:dither=ordered"),
            .init("format", "pix_fmts=\(format)"),
        ]
    }

    private func describe() {
        let source = conversion.source
        let frame = frame.pointer
        frame.pointee.color_trc = AVColorTransferCharacteristic(UInt32(source.transfer))
        // Unspecified primaries and an unspecified matrix are assumed to be those of BT.2020.
        let (primaries, matrix) = (source.primaries == 2 ? 9 : source.primaries, source.matrix)
        frame.pointee.color_primaries = AVColorPrimaries(UInt32(primaries))
        frame.pointee.colorspace = AVColorSpace(UInt32(matrix == 2 || matrix == 0 ? 9 : matrix))
        frame.pointee.color_range = source.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        // libavutil's numbers are larger by one, with 0 for "unspecified".
        frame.pointee.chroma_location = AVChromaLocation(UInt32(conversion.chromaPosition?.rawValue ?? 0) + 1)
    }
}

import CFFmpeg
package import MediaTypes

/// Brings pictures of high dynamic range (PQ or HLG) to those of BT.709 with libavfilter's `zscale` and `tonemap`.
///
/// 100 cd/m² become white of the same brightness up to a third of it; what is brighter is pressed together (Möbius), so that nothing
/// below the peak is cut off (docs/decisions/pictures.md). One thread at a time calls it; libavfilter uses threads of its own.
package final class ToneMapper {
    /// What the pictures are and what they become.
    package struct Conversion: Sendable, Hashable {
        /// What their numbers mean; the transfer function is PQ or HLG.
        package var source: ColorDescription
        package var chromaPosition: ChromaPosition?
        /// The brightest there is, in cd/m².
        package var peak: Double
        /// A planar format of luma and chroma.
        package var format: PixelFormat

        /// - Parameters:
        ///   - video: whose pictures they are: what it says of its light and of its screen says how bright they become.
        ///   - format: of the result.
        package init(_ video: VideoFormat, to format: PixelFormat) {
            source = video.color
            chromaPosition = video.chromaPosition
            self.format = format
            let light = Double(video.contentLight?.maximum ?? 0)
            let screen = Double(video.masteringDisplay?.maximumLuminance ?? 0) / 10_000
            // HLG's screen has 1000 cd/m² (ITU-R BT.2100), and most films in PQ are made on such a one.
            let known = [light, screen].filter { $0 > 0 }.min() ?? 1000
            peak = video.color.transfer == 18 ? 1000 : min(10_000, max(100, known))
        }
    }

    /// What pictures are behind it. Chroma lies where decoders take it to be if nobody says.
    package static let color = ColorDescription.bt709

    private let library: FilterLibrary
    private let conversion: Conversion
    private let formats = PixelConverter()
    private let frame: FilterFrame
    private var graph: FilterGraph?
    /// What the graph was made for.
    private var layout: PixelLayout?
    private var number: Int64 = 0

    /// - Throws: `unsupported` when libavfilter is not installed.
    package init(_ conversion: Conversion) throws(MediaError) {
        self.conversion = conversion
        library = try FilterLibrary.loaded()
        frame = try FilterFrame()
    }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int { formats.allocationCount }

    /// - Throws: `unsupported` where libavfilter has not these filters; `invalidSample` for rows too short for the picture;
    ///   `codecFailure` when a filter fails.
    package func map(_ picture: PixelBuffer) throws(MediaError) -> PixelBuffer {
        let planar = try planar(picture)
        if graph == nil || layout != planar.layout {
            graph = try makeGraph(planar)
            layout = planar.layout
        }
        guard let graph else { return picture }
        try frame.borrow(planar, number: number)
        describe()
        number += 1
        defer { frame.clear() }
        try graph.push(frame.pointer)
        frame.clear()
        guard try graph.pull(frame.pointer) else {
            throw MediaError(.codecFailure, "cannot map a picture's tones", reason: "the filter kept it")
        }
        let target = formats.target(
            conversion.format, width: planar.width, height: planar.height, color: Self.color)
        try frame.copy(into: target)
        return target.finish()
    }

    /// In a format and with rows that the filters take.
    private func planar(_ picture: PixelBuffer) throws(MediaError) -> PixelBuffer {
        let planar = try formats.convert(picture, to: FilterFrame.planar(picture.format))
        return planar.layout.planes.allSatisfy { $0.bytesPerRow % 64 == 0 } ? planar : formats.copy(planar)
    }

    private func makeGraph(_ picture: PixelBuffer) throws(MediaError) -> FilterGraph {
        guard let format = FilterFrame.format(picture.format), let made = FilterFrame.name(conversion.format) else {
            throw MediaError(
                .unsupported, "cannot map the tones of a \(picture.format.rawValue) picture", reason: "no filter")
        }
        return try FilterGraph(
            library, filters: filters(to: made), format: format, width: picture.width, height: picture.height)
    }

    /// Light in proportion, in units of 100 cd/m²; BT.709's primaries; less of it; and back to numbers. The frame says what its numbers
    /// mean.
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
        // Who names none means BT.2020's.
        let (primaries, matrix) = (source.primaries == 2 ? 9 : source.primaries, source.matrix)
        frame.pointee.color_primaries = AVColorPrimaries(UInt32(primaries))
        frame.pointee.colorspace = AVColorSpace(UInt32(matrix == 2 || matrix == 0 ? 9 : matrix))
        frame.pointee.color_range = source.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        // libavutil's numbers are one more, 0 being "unspecified".
        frame.pointee.chroma_location = AVChromaLocation(UInt32(conversion.chromaPosition?.rawValue ?? 0) + 1)
    }
}

package import MediaTypes

/// Hides the masked parts of frames, in any pixel format.
///
/// A chroma sample that shares a pixel with a mask is hidden completely. The masks are rasterized once for all frames
/// of the same size, format and color. Called by one thread at a time.
package final class MaskPainter {
    private struct Kind: Equatable {
        var format: PixelFormat
        var size: FrameSize
        var color: ColorDescription
        /// 2 for interlaced frames, else 1.
        var fields: Int
    }

    private let masks: [FrameMask]
    private let style: FrameMaskStyle
    /// The latest kind of frame, and its planes.
    private var latest: (kind: Kind, planes: [MaskedPlane])?

    package init(_ masks: [FrameMask], style: FrameMaskStyle) {
        self.masks = masks
        self.style = style
    }

    /// Overwrites the masked samples of a frame.
    ///
    /// - Parameter isInterlaced: true if the frame consists of two fields. Each field is then masked like a frame of
    ///   half the height, because in 4:2:0 a row of chroma belongs to two rows of the same field. Ignored if the height
    ///   is not a multiple of 4.
    /// - Precondition: the frame's layout holds the whole frame.
    package func paint(_ frame: borrowing MutablePixelBuffer, isInterlaced: Bool = false) {
        let layout = frame.layout
        let fields = isInterlaced && layout.height.isMultiple(of: 4) ? 2 : 1
        for (index, plane) in planes(layout, frame.color, fields).enumerated() {
            guard let start = frame.plane(index).baseAddress else { continue }
            let bytesPerRow = layout.planes[index].bytesPerRow
            for field in 0..<fields {
                plane.paint(start + field * bytesPerRow, bytesPerRow: fields * bytesPerRow)
            }
        }
    }

    private func planes(_ layout: PixelLayout, _ color: ColorDescription, _ fields: Int) -> [MaskedPlane] {
        let size = FrameSize(layout.width, layout.height)
        let kind = Kind(format: layout.format, size: size, color: color, fields: fields)
        if let latest, latest.kind == kind { return latest.planes }
        let raster = MaskRaster(masks, width: layout.width, height: layout.height / fields)
        let planes: [MaskedPlane]
        switch style {
        case .color(let red, let green, let blue):
            let values = layout.format.samples(red: red, green: green, blue: blue, color, height: layout.height)
            planes = layout.format.planeShapes.enumerated().map { index, shape in
                MaskedPlane(
                    fill: raster.covering(shape), values[index], columns: shape.columns(ofWidth: layout.width))
            }
        case .pixelate(let side):
            let blocks = MaskBlocks(raster, side: side)
            planes = layout.format.planeShapes.map { shape in
                MaskedPlane(
                    blocks: blocks.parts(shape), averaging: layout.format.averages(ofChannels: shape.channels),
                    layout.format.sample)
            }
        }
        latest = (kind, planes)
        return planes
    }
}

extension PlaneShape {
    /// The number of positions in a row of the plane.
    fileprivate func columns(ofWidth width: Int) -> Int { (width + columnStep - 1) / columnStep }
}

extension PixelFormat {
    /// The bytes of a color at one position of each plane.
    fileprivate func samples(
        red: UInt8, green: UInt8, blue: UInt8, _ color: ColorDescription, height: Int
    ) -> [[UInt8]] {
        switch self {
        case .bgra: return [[blue, green, red, 255]]
        case .argb: return [[255, red, green, blue]]
        case .rgba: return [[red, green, blue, 255]]
        case .rgb24: return [[red, green, blue]]
        case .nv12, .i420, .i422, .yuyv, .uyvy, .gray8, .p010, .i010, .i210: break
        }
        let values = FrameColorMatcher.samples(
            Double(red) / 255, Double(green) / 255, Double(blue) / 255, in: color, height: height)
        let (luma, cb, cr) = (values[0], values[1], values[2])
        // Little-endian words of ten bits.
        func words(_ samples: UInt8...) -> [UInt8] {
            samples.flatMap { sample in
                let word = UInt16(sample) << (self == .p010 ? 8 : 2)
                return [UInt8(word & 0xFF), UInt8(word >> 8)]
            }
        }
        switch self {
        case .nv12: return [[luma], [cb, cr]]
        case .yuyv: return [[luma, cb, luma, cr]]
        case .uyvy: return [[cb, luma, cr, luma]]
        case .p010: return [words(luma), words(cb, cr)]
        case .i010, .i210: return [words(luma), words(cb), words(cr)]
        case .gray8: return [[luma]]
        case .i420, .i422, .bgra, .argb, .rgba, .rgb24: return [[luma], [cb], [cr]]
        }
    }

    /// Returns, for each channel of a position, the index of the mean that its samples contribute to. The two luma
    /// samples of a position share a mean, because even and odd columns would otherwise differ inside a block.
    fileprivate func averages(ofChannels count: Int) -> [Int] {
        switch self {
        case .yuyv: [0, 1, 0, 3]
        case .uyvy: [0, 1, 2, 1]
        default: Array(0..<count)
        }
    }

    fileprivate var sample: MaskedPlane.Sample {
        switch self {
        case .p010: .word(valid: 0xFFC0)
        case .i010, .i210: .word(valid: 0x3FF)
        default: .byte
        }
    }
}

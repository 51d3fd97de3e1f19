import CFFmpeg
import CYUV

/// A decoded frame in any layout that libavutil can describe. Examples are 4:1:1, 4:4:0, 4:1:0, gray of ten to sixteen
/// bits, palettes, RGB in planes, and big-endian samples.
struct SampledFrame {
    let width: Int32
    let height: Int32
    let isRGB: Bool
    let isGray: Bool
    let isDeep: Bool
    fileprivate let descriptor: UnsafePointer<AVPixFmtDescriptor>
    fileprivate let isPalette: Bool
    /// True if the value 1 is black.
    fileprivate let isInverted: Bool
    fileprivate let data: [UnsafePointer<UInt8>?]
    fileprivate let lines: [Int32]

    /// Creates a frame. Returns nil for floating-point samples, Bayer patterns, XYZ colors, more than 16 bits for each
    /// sample, and frames in the memory of a graphics processor.
    init?(_ frame: AVFrame, _ format: AVPixelFormat) {
        guard let descriptor = av_pix_fmt_desc_get(format) else { return nil }
        let fields = descriptor.pointee
        let strange = UInt64(AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER)
        let depths = [fields.comp.0, fields.comp.1, fields.comp.2].prefix(Int(fields.nb_components)).map(\.depth)
        guard fields.flags & strange == 0, let name = fields.name, !String(cString: name).hasPrefix("xyz"),
            !depths.isEmpty, depths.allSatisfy({ (1...16).contains($0) })
        else { return nil }
        self.descriptor = descriptor
        (width, height) = (frame.width, frame.height)
        isPalette = fields.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
        isRGB = isPalette || fields.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        isGray = !isRGB && fields.nb_components < 3
        isDeep = fields.comp.0.depth > 8
        isInverted = format == AV_PIX_FMT_MONOWHITE
        data = [frame.data.0, frame.data.1, frame.data.2, frame.data.3].map { $0.map { UnsafePointer($0) } }
        lines = [frame.linesize.0, frame.linesize.1, frame.linesize.2, frame.linesize.3]
        guard data[0] != nil, !isPalette || data[1] != nil else { return nil }
    }

    fileprivate var hasAlpha: Bool {
        descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 && descriptor.pointee.nb_components == 4
    }
    fileprivate var columnShift: Int32 { Int32(descriptor.pointee.log2_chroma_w) }
    fileprivate var rowShift: Int32 { Int32(descriptor.pointee.log2_chroma_h) }

    fileprivate func depth(_ component: Int) -> Int32 {
        let list = [
            descriptor.pointee.comp.0, descriptor.pointee.comp.1, descriptor.pointee.comp.2, descriptor.pointee.comp.3,
        ]
        return isPalette ? 8 : list[component].depth
    }

    /// Reads the samples of one component in one of its rows.
    fileprivate func read(_ component: Int, row: Int32, count: Int32, into line: UnsafeMutablePointer<UInt16>) {
        var data = data
        data.withUnsafeMutableBufferPointer { data in
            lines.withUnsafeBufferPointer { lines in
                av_read_image_line2(
                    line, data.baseAddress, lines.baseAddress, descriptor, 0, row, isPalette ? 0 : Int32(component),
                    count, 0, 2)
            }
        }
        if isPalette, let palette = data[1] {
            // 256 entries of four bytes.
            for at in 0..<Int(count) { line[at] = UInt16(palette[Int(line[at] & 0xFF) * 4 + component]) }
        }
        if isInverted { for at in 0..<Int(count) { line[at] = 1 - min(1, line[at]) } }
    }
}

/// Copies frames sample by sample, for formats that libyuv cannot convert. This is slower than libyuv. For one thread
/// at a time.
final class FrameSampleCopier {
    private let scratch = ScratchMemory()

    /// Copies to blue, green, red, alpha.
    func copyRGB(_ image: SampledFrame, _ to: WritablePlanes<UInt8>) {
        guard let target = to[0] else { return }
        let line = lines(image).0
        // The entries of a palette are already in this order. In other formats red is first.
        let places = image.isPalette ? [0, 1, 2, 3] : [2, 1, 0, 3]
        for row in 0..<image.height {
            let start = target + Int(row) * Int(to.row(0))
            for component in 0..<4 {
                if component == 3, !image.isPalette, !image.hasAlpha {
                    for column in 0..<Int(image.width) { start[column * 4 + 3] = 255 }
                    continue
                }
                image.read(component, row: row, count: image.width, into: line)
                cyuv_store_eight_bits(line, image.depth(component), start + places[component], 4, image.width)
            }
        }
    }

    /// Copies to 4:2:0, or luma only.
    func copyEightBits(_ image: SampledFrame, _ to: WritablePlanes<UInt8>) {
        copy(image) { plane, row, samples, depth, count in
            guard let target = to[plane] else { return }
            cyuv_store_eight_bits(samples, depth, target + Int(row) * Int(to.row(plane)), 1, count)
        }
    }

    /// Copies to 4:2:0. A gray image gets neutral chroma.
    func copyTenBits(_ image: SampledFrame, _ to: WritablePlanes<UInt16>) {
        copy(image) { plane, row, samples, depth, count in
            guard let target = to[plane] else { return }
            cyuv_store_ten_bits(samples, depth, target + Int(row) * Int(to.row(plane)), count)
        }
        guard image.isGray else { return }
        for plane in 1...2 {
            guard let target = to[plane] else { return }
            for row in 0..<Int(image.height + 1) / 2 {
                for column in 0..<Int(image.width + 1) / 2 { target[row * Int(to.row(plane)) + column] = 512 }
            }
        }
    }

    private func copy(
        _ image: SampledFrame,
        _ store: (_ plane: Int, _ row: Int32, UnsafePointer<UInt16>, _ depth: Int32, _ count: Int32) -> Void
    ) {
        let (one, other, result) = lines(image)
        for row in 0..<image.height {
            image.read(0, row: row, count: image.width, into: one)
            store(0, row, one, image.depth(0), image.width)
        }
        if image.isGray { return }
        let (columns, rows) = ((image.width + 1) / 2, (image.height + 1) / 2)
        let fromColumns = -(-image.width >> image.columnShift)
        let fromRows = -(-image.height >> image.rowShift)
        for component in 1...2 {
            for row in 0..<rows {
                // Without vertical subsampling, the mean of two chroma rows becomes one row. With subsampling, one
                // chroma row becomes one or several rows.
                let first = image.rowShift == 0 ? row * 2 : row >> (image.rowShift - 1)
                let second = image.rowShift == 0 ? first + 1 : first
                image.read(component, row: min(first, fromRows - 1), count: fromColumns, into: one)
                image.read(component, row: min(second, fromRows - 1), count: fromColumns, into: other)
                if image.columnShift <= 1 {
                    cyuv_mean(one, other, fromColumns, result, columns, image.columnShift == 0 ? 1 : 0)
                } else {
                    cyuv_mean(one, other, fromColumns, other, fromColumns, 0)
                    cyuv_repeat(other, fromColumns, result, columns, image.columnShift - 1)
                }
                store(component, row, result, image.depth(component), columns)
            }
        }
    }

    private typealias Line = UnsafeMutablePointer<UInt16>

    private func lines(_ image: SampledFrame) -> (Line, Line, Line) {
        let count = Int(image.width) + 16
        let memory = scratch.bytes(count * 3 * MemoryLayout<UInt16>.stride).bindMemory(to: UInt16.self)
        guard let start = memory.baseAddress else { preconditionFailure("the buffer has no memory") }
        return (start, start + count, start + 2 * count)
    }
}

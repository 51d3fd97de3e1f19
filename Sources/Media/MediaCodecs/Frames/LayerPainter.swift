import CYUV
import MediaTypes

/// Draws layers one after the other on I420 canvases, in the matrix and range of the canvas.
///
/// RGB layers may have straight (not premultiplied) alpha. Edges are rounded to whole pixels. Where an edge is inside a
/// chroma sample, the chroma is blended. Called by one thread at a time. Memory comes from pools.
final class LayerPainter {
    private let formats = PixelConverter()
    private let scratch = PixelConverter()
    private let rotator = FrameRotator()
    private let scaler = FrameScaler()
    private let matcher: FrameColorMatcher
    /// The table that applies a layer's opacity to its alpha.
    private var opacities: (opacity: UInt8, table: [UInt8]) = (255, [])

    init() { matcher = FrameColorMatcher(formats) }

    var allocationCount: Int {
        formats.allocationCount + scratch.allocationCount + rotator.allocationCount + scaler.allocationCount
    }

    /// A layer in a form that can be drawn, and its position.
    private struct Drawing {
        /// The layer in I420 with the canvas' color tags, or BGRA.
        var frame: PixelBuffer
        var source: PixelRectangle
        /// The area of the canvas that `source` covers, and the visible part of this area.
        var columns: LayerSpan
        var rows: LayerSpan
        var opacity: UInt8
        /// The number of rows of the layer's frame before scaling.
        var sourceHeight: Int
    }

    /// - Throws: `invalidSample` for rows too short for the frame; `invalidSettings` for a layer that is enlarged more
    ///   than libyuv can draw.
    func draw(_ layer: FrameLayer, on canvas: borrowing MutablePixelBuffer) throws(MediaError) {
        guard let drawing = try prepare(layer, canvas.layout, canvas.color) else { return }
        let place = PixelRectangle(drawing.columns.seen, drawing.rows.seen)
        let isWhole =
            drawing.columns.seen == drawing.columns.drawn && drawing.rows.seen == drawing.rows.drawn
            && Self.isOnChroma(drawing.columns.seen, canvas.layout.width)
            && Self.isOnChroma(drawing.rows.seen, canvas.layout.height)
        if drawing.opacity == 255, drawing.frame.format == .i420, isWhole {
            scaler.draw(drawing.frame, drawing.source, into: canvas, place)
        } else {
            try blend(drawing, on: canvas)
        }
    }

    private static func isOnChroma(_ range: Range<Int>, _ length: Int) -> Bool {
        range.lowerBound % 2 == 0 && (range.upperBound % 2 == 0 || range.upperBound == length)
    }

    private func prepare(
        _ layer: FrameLayer, _ canvas: PixelLayout, _ color: ColorDescription
    ) throws(MediaError) -> Drawing? {
        var frame = layer.frame
        let opacity = UInt8(clamping: (min(1, max(0, layer.opacity.isFinite ? layer.opacity : 0)) * 255).rounded())
        guard frame.layout.holdsWholeFrame else {
            throw MediaError(
                .invalidSample, "cannot draw a \(frame.format.rawValue) frame",
                reason: "its planes are too small for \(frame.width)×\(frame.height)")
        }
        let whole = PixelRectangle(frame)
        let crop = layer.crop ?? whole
        guard opacity > 0, crop.isInside(width: whole.width, height: whole.height) else { return nil }
        let source = crop.turned(layer.orientation, in: whole)
        guard
            var columns = LayerSpan(
                length: source.width, start: layer.place.x, size: layer.place.width, canvas: canvas.width),
            var rows = LayerSpan(
                length: source.height, start: layer.place.y, size: layer.place.height, canvas: canvas.height)
        else { return nil }
        if frame.format.isRGB {
            frame = try formats.convert(frame, to: .bgra)
        } else {
            frame = matcher.match(
                try formats.convert(frame, to: .i420), height: whole.height, to: color, height: canvas.height)
        }
        frame = try rotator.turn(frame, layer.orientation)
        columns.move(source: source.x)
        rows.move(source: source.y)
        return Drawing(
            frame: frame, source: PixelRectangle(columns.source, rows.source), columns: columns, rows: rows,
            opacity: opacity, sourceHeight: whole.height)
    }

    /// Draws the layer into a temporary frame first, and then blends that frame with the canvas. The temporary frame
    /// begins at an even pixel of the canvas.
    private func blend(_ drawing: Drawing, on canvas: borrowing MutablePixelBuffer) throws(MediaError) {
        let (columns, rows) = (drawing.columns, drawing.rows)
        let (left, upper) = (columns.drawn.lowerBound & ~1, rows.drawn.lowerBound & ~1)
        // The size is rounded up, so that a size that changes from frame to frame needs no new memory.
        func rounded(_ length: Int) -> Int { (length + 127) / 128 * 128 }
        let (width, height) = (rounded(columns.drawn.upperBound - left), rounded(rows.drawn.upperBound - upper))
        guard width <= FrameScaler.greatestLength, height <= FrameScaler.greatestLength else {
            throw MediaError(
                .invalidSettings, "cannot draw a layer", reason: "its frame is enlarged too much",
                wayOut: "scale it less, or crop it")
        }
        let isClear = drawing.frame.format == .bgra
        let isScaled =
            columns.source.count != columns.drawn.count || rows.source.count != rows.drawn.count
        // Transparent pixels must not contribute their color to visible pixels. So colors are weighted with alpha while
        // pixels are mixed.
        let source = isClear && isScaled ? weighed(drawing.frame, ARGBAttenuate) : drawing.frame
        let target = scratch.target(source.format, width: width, height: height, color: source.color)
        let drawn = PixelRectangle(columns.drawn, rows.drawn).moved(by: -left, -upper)
        scaler.draw(source, drawing.source, into: target, drawn)
        if isClear { Self.repeatEdges(of: drawn, on: target) }
        let mixed = target.finish()
        guard isClear else {
            let mask = mask(drawing, nil, left, upper)
            return put(mixed, mask, drawing, left, upper, on: canvas)
        }
        let clear = isScaled ? weighed(mixed, ARGBUnattenuate) : mixed
        let mask = mask(drawing, clear, left, upper)
        let frame = matcher.match(
            try scratch.convert(clear, to: .i420), height: drawing.sourceHeight, to: canvas.color,
            height: canvas.layout.height)
        put(frame, mask, drawing, left, upper, on: canvas)
    }

    /// Extends odd edges. A pixel next to an odd edge shares a chroma sample with that edge. It must get the edge's
    /// color, because it would otherwise contain old data.
    private static func repeatEdges(of drawn: PixelRectangle, on target: borrowing MutablePixelBuffer) {
        let planes = WritablePlanes<UInt32>(target)
        guard let base = planes[0] else { return }
        let stride = Int(planes.row(0))
        let (right, below) = (drawn.x + drawn.width, drawn.y + drawn.height)
        for row in drawn.y..<below {
            let line = base + row * stride
            if drawn.x % 2 == 1 { line[drawn.x - 1] = line[drawn.x] }
            if right % 2 == 1 { line[right] = line[right - 1] }
        }
        // The copied rows include the corners. If the drawn area ends at an odd pixel, the temporary frame has one
        // pixel more.
        let (first, count) = (drawn.x / 2 * 2, (right + 1) / 2 * 2 - drawn.x / 2 * 2)
        func copy(_ row: Int, to other: Int) {
            (base + other * stride + first).update(from: base + row * stride + first, count: count)
        }
        if drawn.y % 2 == 1 { copy(drawn.y, to: drawn.y - 1) }
        if below % 2 == 1 { copy(below - 1, to: below) }
    }

    private typealias Weighing =
        (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32

    private func weighed(_ frame: PixelBuffer, _ weigh: Weighing) -> PixelBuffer {
        let target = scratch.target(.bgra, frame)
        let (from, to) = (Planes<UInt8>(frame), WritablePlanes<UInt8>(target))
        _ = weigh(from[0], from.row(0), to[0], to.row(0), Int32(frame.width), Int32(frame.height))
        return target.finish()
    }

    /// Returns the opacity of each pixel in the smallest box with even edges around the layer. Pixels outside the layer
    /// have opacity 0.
    private func mask(_ drawing: Drawing, _ clear: PixelBuffer?, _ left: Int, _ upper: Int) -> PixelBuffer {
        let (columns, rows) = (drawing.columns.seen, drawing.rows.seen)
        let (width, height) = (columns.count + 2, rows.count + 2)
        let mask = scratch.target(
            .gray8, width: (width + 127) / 128 * 128, height: (height + 127) / 128 * 128, color: .init())
        let to = WritablePlanes<UInt8>(mask)
        SetPlane(to[0], to.row(0), Int32(width), Int32(height), 0)
        let inner = PixelRectangle(
            x: columns.lowerBound % 2, y: rows.lowerBound % 2, width: columns.count, height: rows.count)
        guard let seen = WritableSampleRows<UInt8>(mask, plane: 0, inner) else { return mask.finish() }
        guard let clear,
            let from = SampleRows<UInt8>(
                clear, plane: 0, PixelRectangle(columns, rows).moved(by: -left, -upper))
        else {
            SetPlane(seen.start, seen.stride, seen.columns, seen.rows, UInt32(drawing.opacity))
            return mask.finish()
        }
        ARGBExtractAlpha(from.start, from.stride, seen.start, seen.stride, seen.columns, seen.rows)
        if drawing.opacity < 255 {
            if opacities.opacity != drawing.opacity || opacities.table.isEmpty {
                let opacity = Int(drawing.opacity)
                opacities = (drawing.opacity, (0..<256).map { UInt8(($0 * opacity + 127) / 255) })
            }
            cyuv_map(
                UnsafePointer(seen.start), seen.stride, seen.start, seen.stride, seen.columns, seen.rows,
                opacities.table)
        }
        return mask.finish()
    }

    private func put(
        _ frame: PixelBuffer, _ mask: PixelBuffer, _ drawing: Drawing, _ left: Int, _ upper: Int,
        on canvas: borrowing MutablePixelBuffer
    ) {
        let (columns, rows) = (drawing.columns.seen, drawing.rows.seen)
        let (x, y) = (columns.lowerBound & ~1, rows.lowerBound & ~1)
        let box = PixelRectangle(
            x: x, y: y, width: min(canvas.layout.width, (columns.upperBound + 1) & ~1) - x,
            height: min(canvas.layout.height, (rows.upperBound + 1) & ~1) - y)
        let from = (0..<3).compactMap { SampleRows<UInt8>(frame, plane: $0, box.moved(by: -left, -upper)) }
        var to: [WritableSampleRows<UInt8>] = []
        for plane in 0..<3 { if let rows = WritableSampleRows<UInt8>(canvas, plane: plane, box) { to.append(rows) } }
        let alpha = Planes<UInt8>(mask)
        guard from.count == 3, to.count == 3 else { return }
        I420Blend(
            from[0].start, from[0].stride, from[1].start, from[1].stride, from[2].start, from[2].stride, to[0].start,
            to[0].stride, to[1].start, to[1].stride, to[2].start, to[2].stride, alpha[0], alpha.row(0), to[0].start,
            to[0].stride, to[1].start, to[1].stride, to[2].start, to[2].stride, Int32(box.width), Int32(box.height))
    }
}

extension LayerSpan {
    /// Shifts the source pixels by an offset.
    fileprivate mutating func move(source offset: Int) {
        source = (source.lowerBound + offset)..<(source.upperBound + offset)
    }
}

extension PixelRectangle {
    fileprivate init(_ columns: Range<Int>, _ rows: Range<Int>) {
        self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    fileprivate func moved(by x: Int, _ y: Int) -> PixelRectangle {
        PixelRectangle(x: self.x + x, y: self.y + y, width: width, height: height)
    }

    /// Returns the rectangle's position after the frame around it is rotated.
    func turned(_ orientation: FrameOrientation, in whole: PixelRectangle) -> PixelRectangle {
        let x = orientation.isMirrored ? whole.width - self.x - width : self.x
        let (right, below) = (whole.width - x - width, whole.height - y - height)
        switch orientation.quarterTurns {
        case 0: return PixelRectangle(x: x, y: y, width: width, height: height)
        case 1: return PixelRectangle(x: below, y: x, width: height, height: width)
        case 2: return PixelRectangle(x: right, y: below, width: width, height: height)
        default: return PixelRectangle(x: y, y: right, width: height, height: width)
        }
    }
}

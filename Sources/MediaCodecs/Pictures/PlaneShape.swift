import MediaTypes

/// How the samples of one plane lie over a picture's pixels.
struct PlaneShape: Equatable {
    /// Pixels that share a sample, across and down.
    var columnStep = 1
    var rowStep = 1
    /// Samples side by side in each place: 2 for interleaved chroma, 4 for RGB with alpha.
    var channels = 1

    /// The part of the plane for a rectangle of pixels: as many samples as a picture of that size has, from the one that
    /// holds the rectangle's corner.
    func part(_ rectangle: PixelRectangle) -> PixelRectangle {
        PixelRectangle(
            x: rectangle.x / columnStep, y: rectangle.y / rowStep,
            width: (rectangle.width + columnStep - 1) / columnStep,
            height: (rectangle.height + rowStep - 1) / rowStep)
    }

    /// Every sample that a rectangle of pixels touches: one more than `part` where it begins between two.
    func cover(_ rectangle: PixelRectangle) -> PixelRectangle {
        let (x, y) = (rectangle.x / columnStep, rectangle.y / rowStep)
        return PixelRectangle(
            x: x, y: y, width: (rectangle.x + rectangle.width + columnStep - 1) / columnStep - x,
            height: (rectangle.y + rectangle.height + rowStep - 1) / rowStep - y)
    }
}

extension PixelFormat {
    var planeShapes: [PlaneShape] {
        switch self {
        case .nv12, .p010: Shapes.interleavedChroma
        case .i420, .i010: Shapes.quarteredChroma
        case .i422, .i210: Shapes.halvedChroma
        case .yuyv, .uyvy: Shapes.packed
        case .bgra, .argb, .rgba: Shapes.fourChannels
        case .rgb24: Shapes.threeChannels
        case .gray8: Shapes.luma
        }
    }

    /// Made once: they are asked for with every picture.
    private enum Shapes {
        static let interleavedChroma = [PlaneShape(), PlaneShape(columnStep: 2, rowStep: 2, channels: 2)]
        static let quarteredChroma = [
            PlaneShape(), PlaneShape(columnStep: 2, rowStep: 2), PlaneShape(columnStep: 2, rowStep: 2),
        ]
        static let halvedChroma = [PlaneShape(), PlaneShape(columnStep: 2), PlaneShape(columnStep: 2)]
        static let packed = [PlaneShape(columnStep: 2, channels: 4)]
        static let fourChannels = [PlaneShape(channels: 4)]
        static let threeChannels = [PlaneShape(channels: 3)]
        static let luma = [PlaneShape()]
    }

    /// The format that pictures of this one are scaled and turned in: the nearest whose samples are in planes.
    var planar: PixelFormat {
        switch self {
        case .yuyv, .uyvy: .i422
        case .p010: .i010
        case .argb, .rgba, .rgb24: .bgra
        default: self
        }
    }
}

/// A rectangle of samples in somebody else's memory, as libyuv's functions take it.
struct SampleRows<Sample> {
    var start: UnsafePointer<Sample>
    /// From one row to the next, in samples.
    var stride: Int32
    /// Places in a row, and rows.
    var columns: Int32
    var rows: Int32

    /// The part of a picture's plane for a rectangle (`PlaneShape.part`); nil when the plane has no memory.
    ///
    /// - Precondition: the rectangle lies inside the picture.
    init?(_ picture: PixelBuffer, plane: Int, _ rectangle: PixelRectangle) {
        let shape = picture.format.planeShapes[plane]
        let part = shape.part(rectangle)
        let planes = Planes<Sample>(picture)
        guard let base = planes[plane] else { return nil }
        stride = planes.row(plane)
        start = base + part.y * Int(stride) + part.x * shape.channels
        (columns, rows) = (Int32(part.width), Int32(part.height))
    }

    init(start: UnsafePointer<Sample>, stride: Int32, columns: Int32, rows: Int32) {
        self.start = start
        self.stride = stride
        self.columns = columns
        self.rows = rows
    }

    init(_ rows: WritableSampleRows<Sample>) {
        self.init(start: UnsafePointer(rows.start), stride: rows.stride, columns: rows.columns, rows: rows.rows)
    }

    /// From the last row to the first.
    var upsideDown: SampleRows {
        var copy = self
        copy.start += Int(rows - 1) * Int(stride)
        copy.stride = -stride
        return copy
    }
}

/// The same to be written, while the picture it lies in is being drawn.
struct WritableSampleRows<Sample> {
    var start: UnsafeMutablePointer<Sample>
    var stride: Int32
    var columns: Int32
    var rows: Int32

    /// What a rectangle touches (`PlaneShape.cover`); nil when the plane has no memory.
    ///
    /// - Precondition: the rectangle lies inside the picture.
    init?(_ picture: borrowing MutablePixelBuffer, plane: Int, _ rectangle: PixelRectangle) {
        let shape = picture.layout.format.planeShapes[plane]
        let part = shape.cover(rectangle)
        let planes = WritablePlanes<Sample>(picture)
        guard let base = planes[plane] else { return nil }
        stride = planes.row(plane)
        start = base + part.y * Int(stride) + part.x * shape.channels
        (columns, rows) = (Int32(part.width), Int32(part.height))
    }

    init(start: UnsafeMutablePointer<Sample>, stride: Int32, columns: Int32, rows: Int32) {
        self.start = start
        self.stride = stride
        self.columns = columns
        self.rows = rows
    }

    /// Sets every sample, channel after channel.
    func fill(_ values: [Sample]) {
        let samples = Int(columns) * values.count
        for index in 0..<samples { start[index] = values[index % values.count] }
        for row in 1..<max(1, Int(rows)) {
            UnsafeMutableRawPointer(start + row * Int(stride)).copyMemory(
                from: start, byteCount: samples * MemoryLayout<Sample>.size)
        }
    }
}

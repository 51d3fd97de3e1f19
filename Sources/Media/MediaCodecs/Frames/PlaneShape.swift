import MediaTypes

/// The relation of one plane's samples to a frame's pixels.
struct PlaneShape: Equatable {
    /// The number of horizontally adjacent pixels that share one sample: 2 for the chroma of 4:2:0. `rowStep` is the
    /// number of vertically adjacent pixels.
    var columnStep = 1
    var rowStep = 1
    /// Samples per position: 2 for interleaved chroma, 4 for RGB with alpha.
    var channels = 1

    /// Returns the part of the plane for a rectangle of pixels. It has as many samples as a frame of the rectangle's
    /// size. It starts with the sample that contains the rectangle's corner.
    func part(_ rectangle: PixelRectangle) -> PixelRectangle {
        PixelRectangle(
            x: rectangle.x / columnStep, y: rectangle.y / rowStep,
            width: (rectangle.width + columnStep - 1) / columnStep,
            height: (rectangle.height + rowStep - 1) / rowStep)
    }

    /// Returns all samples that a rectangle of pixels touches. If the rectangle begins inside a sample, these may be
    /// one column or row more than `part`.
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

    /// The shapes of each format's planes. The shapes are created once, because every frame needs them.
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

    /// The format in which frames of this format are scaled and rotated: the nearest planar format, or `bgra` for RGB.
    var planar: PixelFormat {
        switch self {
        case .yuyv, .uyvy: .i422
        case .p010: .i010
        case .argb, .rgba, .rgb24: .bgra
        default: self
        }
    }
}

/// A rectangle of samples in borrowed memory, in the form that libyuv's functions use.
struct SampleRows<Sample> {
    var start: UnsafePointer<Sample>
    /// The distance from one row to the next, in samples.
    var stride: Int32
    /// The number of positions in a row (`columns`), and the number of rows.
    var columns: Int32
    var rows: Int32

    /// Creates the rows of a frame's plane for a rectangle (`PlaneShape.part`); nil if the plane has no memory.
    ///
    /// - Precondition: the rectangle is inside the frame.
    init?(_ frame: PixelBuffer, plane: Int, _ rectangle: PixelRectangle) {
        let shape = frame.format.planeShapes[plane]
        let part = shape.part(rectangle)
        let planes = Planes<Sample>(frame)
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

    /// The same rows from the last to the first.
    var upsideDown: SampleRows {
        var copy = self
        copy.start += Int(rows - 1) * Int(stride)
        copy.stride = -stride
        return copy
    }
}

/// Writable rows, valid while the frame is being written.
struct WritableSampleRows<Sample> {
    var start: UnsafeMutablePointer<Sample>
    var stride: Int32
    var columns: Int32
    var rows: Int32

    /// Creates the rows that a rectangle touches (`PlaneShape.cover`); nil if the plane has no memory.
    ///
    /// - Precondition: the rectangle is inside the frame.
    init?(_ frame: borrowing MutablePixelBuffer, plane: Int, _ rectangle: PixelRectangle) {
        let shape = frame.layout.format.planeShapes[plane]
        let part = shape.cover(rectangle)
        let planes = WritablePlanes<Sample>(frame)
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

    /// The same rows from the last to the first.
    var upsideDown: WritableSampleRows {
        var copy = self
        copy.start += Int(rows - 1) * Int(stride)
        copy.stride = -stride
        return copy
    }

    /// Sets every sample to its channel's value.
    func fill(_ values: [Sample]) {
        let samples = Int(columns) * values.count
        for index in 0..<samples { start[index] = values[index % values.count] }
        for row in 1..<max(1, Int(rows)) {
            UnsafeMutableRawPointer(start + row * Int(stride)).copyMemory(
                from: start, byteCount: samples * MemoryLayout<Sample>.size)
        }
    }
}

/// The layout of raw frames in memory.
public enum PixelFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// 4:2:0, a plane of Y and a plane of interleaved CbCr.
    case nv12
    /// 4:2:0, three planes.
    case i420
    /// 4:2:2, three planes.
    case i422
    /// 4:2:2, one plane: Y Cb Y Cr.
    case yuyv
    /// 4:2:2, one plane: Cb Y Cr Y.
    case uyvy
    /// Eight bits each of blue, green, red, alpha.
    case bgra
    /// Eight bits each of alpha, red, green, blue.
    case argb
    /// Eight bits each of red, green, blue, alpha.
    case rgba
    /// Eight bits each of red, green, blue.
    case rgb24
    /// Luminance only.
    case gray8
    /// 4:2:0 at ten bits in the planes of `nv12`: 16-bit little-endian samples, the value in the ten high bits.
    case p010
    /// 4:2:0 at ten bits in the planes of `i420`: 16-bit little-endian samples, the value in the ten low bits.
    case i010
    /// 4:2:2 at ten bits in the planes of `i422`: 16-bit little-endian samples, the value in the ten low bits. The
    /// format of decoded ProRes.
    case i210

    /// The number of bits per sample.
    public var bitDepth: Int { self == .p010 || self == .i010 || self == .i210 ? 10 : 8 }

    /// True if each 16-bit sample has a ten-bit value in its low bits. The upper six bits may be set.
    package var hasTenLowBits: Bool { self == .i010 || self == .i210 }

    /// True if the format stores red, green and blue instead of luma and chroma.
    public var isRGB: Bool { self == .bgra || self == .argb || self == .rgba || self == .rgb24 }
}

/// The positions of a frame's planes in its memory.
public struct PixelLayout: Sendable, Hashable {
    public struct Plane: Sendable, Hashable {
        /// Bytes from the start of the memory to the plane's first row.
        public var offset: Int
        public var bytesPerRow: Int
        public var rows: Int
        public init(offset: Int, bytesPerRow: Int, rows: Int) {
            self.offset = offset
            self.bytesPerRow = bytesPerRow
            self.rows = rows
        }
    }

    public let format: PixelFormat
    public let width: Int
    public let height: Int
    public let planes: [Plane]
    /// Bytes from the start of the memory to the end of the last plane.
    public let byteCount: Int

    public init(format: PixelFormat, width: Int, height: Int, planes: [Plane]) {
        self.format = format
        self.width = width
        self.height = height
        self.planes = planes
        byteCount = planes.map { $0.offset + $0.bytesPerRow * $0.rows }.max() ?? 0
    }

    /// Places planes one after the other, like V4L2's single-buffer formats.
    ///
    /// - Parameters:
    ///   - bytesPerRow: the row length of the first plane (V4L2's `bytesperline`); nil for the smallest possible.
    ///   - alignment: the row length of every plane is rounded up to a multiple of this number of bytes.
    public init(format: PixelFormat, width: Int, height: Int, bytesPerRow: Int? = nil, alignment: Int = 1) {
        func aligned(_ bytes: Int) -> Int { (bytes + alignment - 1) / alignment * alignment }
        let chromaWidth = (width + 1) / 2
        let chromaRows = (height + 1) / 2
        let sampleBytes = format.bitDepth > 8 ? 2 : 1
        let stride: Int
        var shapes: [(Int, Int)]
        switch format {
        case .nv12, .p010:
            stride = bytesPerRow ?? aligned(width * sampleBytes)
            shapes = [(stride, height), (bytesPerRow ?? aligned(chromaWidth * 2 * sampleBytes), chromaRows)]
        case .i420, .i422, .i010, .i210:
            stride = bytesPerRow ?? aligned(width * sampleBytes)
            let chroma = bytesPerRow.map { $0 / 2 } ?? aligned(chromaWidth * sampleBytes)
            let rows = format == .i422 || format == .i210 ? height : chromaRows
            shapes = [(stride, height), (chroma, rows), (chroma, rows)]
        case .yuyv, .uyvy: shapes = [(bytesPerRow ?? aligned(chromaWidth * 4), height)]
        case .bgra, .argb, .rgba: shapes = [(bytesPerRow ?? aligned(width * 4), height)]
        case .rgb24: shapes = [(bytesPerRow ?? aligned(width * 3), height)]
        case .gray8: shapes = [(bytesPerRow ?? aligned(width), height)]
        }
        var planes: [Plane] = []
        var offset = 0
        for (bytes, rows) in shapes {
            planes.append(Plane(offset: offset, bytesPerRow: bytes, rows: rows))
            offset += bytes * rows
        }
        self.init(format: format, width: width, height: height, planes: planes)
    }

    /// True if every plane has the rows and the bytes per row that a frame of this size and format needs.
    public var holdsWholeFrame: Bool {
        let lengths = 1..<(1 << 24)
        guard lengths.contains(width), lengths.contains(height) else { return false }
        let least = PixelLayout(format: format, width: width, height: height).planes
        return planes.count == least.count
            && zip(planes, least).allSatisfy {
                $0.offset >= 0 && $0.bytesPerRow >= $1.bytesPerRow && $0.rows >= $1.rows
            }
    }
}

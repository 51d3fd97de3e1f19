import MediaTypes

/// The pixels of a frame that masks cover, row by row. A pure value.
///
/// Every pixel that a polygon touches is covered. Overlapping parts of a polygon are covered too (the nonzero rule).
struct MaskRaster {
    /// The covered pixels of each row, from left to right, without overlaps.
    private(set) var rows: [[Range<Int>]]
    let width: Int

    init(_ masks: [FrameMask], width: Int, height: Int) {
        self.width = width
        let polygons = masks.map { mask in
            // Converts each coordinate with a single division of integers, so that a corner on the edge of a pixel
            // stays exactly on that edge.
            mask.corners.map { corner in
                Point(
                    x: Double(corner.x * width) / Double(FrameMask.edge),
                    y: Double(corner.y * height) / Double(FrameMask.edge))
            }
        }
        rows = (0..<height).map { row in
            Self.merged(polygons.flatMap { Self.covered($0, row: row, width: width) })
        }
    }

    private struct Point {
        var x: Double
        var y: Double
    }

    /// Returns the samples of a plane that share a pixel with a mask, for each row of the plane.
    func covering(_ shape: PlaneShape) -> [[Range<Int>]] {
        guard shape.columnStep > 1 || shape.rowStep > 1 else { return rows }
        return stride(from: 0, to: rows.count, by: shape.rowStep).map { first in
            let pixels = rows[first..<min(first + shape.rowStep, rows.count)]
            return Self.merged(
                pixels.joined().map {
                    ($0.lowerBound / shape.columnStep)..<(($0.upperBound + shape.columnStep - 1) / shape.columnStep)
                })
        }
    }

    /// Returns the pixels of one row that a polygon touches, in any order.
    private static func covered(_ polygon: [Point], row: Int, width: Int) -> [Range<Int>] {
        let (top, bottom, middle) = (Double(row), Double(row + 1), Double(row) + 0.5)
        var touched: [Range<Int>] = []
        var crossings: [(x: Double, step: Int)] = []
        func touch(_ from: Double, _ to: Double) {
            let first = max(0, Int(clamping: from.rounded(.down)))
            let end = min(width, Int(clamping: to.rounded(.up)))
            if first < end { touched.append(first..<end) }
        }
        for (index, a) in polygon.enumerated() {
            let b = polygon[(index + 1) % polygon.count]
            let (low, high) = (min(a.y, b.y), max(a.y, b.y))
            if low == high {
                if top < low, low < bottom { touch(min(a.x, b.x), max(a.x, b.x)) }
                continue
            }
            guard high > top, low < bottom else { continue }
            func x(at y: Double) -> Double { a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y) }
            // Records the pixels that the edge passes through. A slanted edge is widened by its possible rounding
            // error.
            let (one, other) = (x(at: max(low, top)), x(at: min(high, bottom)))
            let slack = a.x == b.x ? 0 : 1e-6
            touch(min(one, other) - slack, max(one, other) + slack)
            if low <= middle, middle < high { crossings.append((x(at: middle), b.y > a.y ? 1 : -1)) }
        }
        // Records the pixels inside the polygon that no edge passes through.
        crossings.sort { $0.x < $1.x }
        var (winding, start) = (0, 0.0)
        for crossing in crossings {
            if winding == 0 { start = crossing.x }
            winding += crossing.step
            if winding == 0 { touch(start, crossing.x) }
        }
        return touched
    }

    /// Returns the ranges in order. Ranges that overlap or meet are joined.
    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}

/// The blocks of a frame that masks touch. A pure value.
///
/// Blocks are aligned to the frame. The last column and row of blocks include the remaining pixels, so that no block is
/// smaller than the others. A block that a mask touches is masked completely. Otherwise the visible pixels of the
/// block, together with its mean, would reveal the hidden pixels.
struct MaskBlocks {
    /// The side of a block in pixels; an even number, so that no chroma sample belongs to two blocks.
    let side: Int
    private let columns: Int
    private let rows: Int
    private let width: Int
    private let height: Int
    /// The columns and rows of the masked blocks.
    private(set) var masked: [(column: Int, row: Int)] = []

    init(_ raster: MaskRaster, side: Int) {
        self.side = side
        (width, height) = (raster.width, raster.rows.count)
        columns = max(1, width / side)
        rows = max(1, height / side)
        for row in 0..<rows {
            let end = row == rows - 1 ? height : (row + 1) * side
            var isMasked = [Bool](repeating: false, count: columns)
            for range in raster.rows[(row * side)..<end].joined() {
                let last = min(columns - 1, (range.upperBound - 1) / side)
                for column in min(columns - 1, range.lowerBound / side)...last { isMasked[column] = true }
            }
            for column in 0..<columns where isMasked[column] { masked.append((column, row)) }
        }
    }

    /// Returns the samples of a plane that each masked block covers.
    func parts(_ shape: PlaneShape) -> [PixelRectangle] {
        masked.map { column, row in
            let right = column == columns - 1 ? width : (column + 1) * side
            let below = row == rows - 1 ? height : (row + 1) * side
            return shape.cover(
                PixelRectangle(
                    x: column * side, y: row * side, width: right - column * side, height: below - row * side))
        }
    }
}

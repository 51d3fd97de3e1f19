import Foundation

/// A rectangle of columns and rows of a bitmap, counted from the upper left corner.
struct PixelRegion: Equatable {
    let columns: Range<Int>
    let rows: Range<Int>

    init(columns: Range<Int>, rows: Range<Int>) {
        self.columns = columns
        self.rows = rows
    }

    /// Creates the region of the pixels that a rectangle touches, plus one pixel on each side for softened edges; nil
    /// if there are none.
    init?(_ rectangle: CGRect, width: Int, height: Int) {
        guard let columns = Self.touched(rectangle.minX, rectangle.maxX, of: width),
            let rows = Self.touched(rectangle.minY, rectangle.maxY, of: height)
        else { return nil }
        self.init(columns: columns, rows: rows)
    }

    private static func touched(_ first: CGFloat, _ last: CGFloat, of count: Int) -> Range<Int>? {
        let (first, last) = (Double(first), Double(last))
        guard !first.isNaN, !last.isNaN else { return nil }
        let low = max(0, first.rounded(.down) - 1)
        let high = min(Double(count), last.rounded(.up) + 1)
        return low < high ? Int(low)..<Int(high) : nil
    }

    func intersection(_ other: PixelRegion) -> PixelRegion? {
        let (left, right) = (
            max(columns.lowerBound, other.columns.lowerBound), min(columns.upperBound, other.columns.upperBound)
        )
        let (top, bottom) = (max(rows.lowerBound, other.rows.lowerBound), min(rows.upperBound, other.rows.upperBound))
        return left < right && top < bottom ? PixelRegion(columns: left..<right, rows: top..<bottom) : nil
    }
}

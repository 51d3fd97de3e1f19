import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct MaskRasterTests {
    /// Creates a mask from corners in percent.
    static func mask(_ corners: [(Double, Double)]) -> FrameMask {
        FrameMask(corners: corners.map { .init(x: Int(($0.0 * 10_000).rounded()), y: Int(($0.1 * 10_000).rounded())) })
    }

    private static func isCovered(_ raster: MaskRaster, _ x: Int, _ y: Int) -> Bool {
        raster.rows[y].contains { $0.contains(x) }
    }

    /// Returns true if a point is inside a polygon, by the nonzero rule.
    private static func isInside(_ polygon: [(x: Double, y: Double)], _ x: Double, _ y: Double) -> Bool {
        var winding = 0
        for (index, a) in polygon.enumerated() {
            let b = polygon[(index + 1) % polygon.count]
            let side = (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
            if a.y <= y, b.y > y, side > 0 { winding += 1 }
            if a.y > y, b.y <= y, side < 0 { winding -= 1 }
        }
        return winding != 0
    }

    @Test func raster_rectangleOnPixelEdges_coversExactlyItsPixels() {
        let raster = MaskRaster([Self.mask([(25, 25), (75, 25), (75, 50), (25, 50)])], width: 64, height: 32)
        #expect(raster.rows.indices.allSatisfy { raster.rows[$0] == ((8..<16).contains($0) ? [16..<48] : []) })
    }

    @Test func raster_wholeFrame_coversEveryPixel() {
        let raster = MaskRaster([Self.mask([(0, 0), (100, 0), (100, 100), (0, 100)])], width: 35, height: 17)
        #expect(raster.rows.allSatisfy { $0 == [0..<35] })
    }

    @Test func raster_partOfAPixel_coversThePixel() {
        // 10.1 % of 32 is 3.232, and 20.2 % is 6.464.
        let raster = MaskRaster(
            [Self.mask([(10.1, 10.1), (20.2, 10.1), (20.2, 10.2), (10.1, 10.2)])], width: 32, height: 32)
        #expect(raster.rows.indices.allSatisfy { raster.rows[$0] == ($0 == 3 ? [3..<7] : []) })
    }

    @Test func raster_overlappingStar_hasNoHole() {
        let star = Self.mask([(50, 0), (80, 100), (0, 38), (100, 38), (20, 100)])
        let raster = MaskRaster([star], width: 60, height: 60)
        #expect(Self.isCovered(raster, 30, 33))
    }

    @Test(arguments: 0..<20) func raster_randomPolygon_coversEveryTouchedPixel(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let (width, height) = (Int.random(in: 1...48, using: &random), Int.random(in: 1...40, using: &random))
        let corners = (0..<Int.random(in: 3...7, using: &random)).map { _ in
            FrameMask.Corner(
                x: Int.random(in: 0...FrameMask.edge, using: &random),
                y: Int.random(in: 0...FrameMask.edge, using: &random))
        }
        let polygon = corners.map {
            (x: Double($0.x) * Double(width) / 1e6, y: Double($0.y) * Double(height) / 1e6)
        }
        let raster = MaskRaster([FrameMask(corners: corners)], width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                let isTouched = (0..<25).contains { number in
                    let (column, row) = (Double(number % 5) + 0.5, Double(number / 5) + 0.5)
                    return Self.isInside(polygon, Double(x) + column / 5, Double(y) + row / 5)
                }
                if isTouched { #expect(Self.isCovered(raster, x, y), "\(x), \(y)") }
            }
        }
        // A pixel is covered only if the box around the polygon touches it.
        let (left, right) = (polygon.map(\.x).min() ?? 0, polygon.map(\.x).max() ?? 0)
        for range in raster.rows.joined() {
            #expect(Double(range.upperBound) > left - 0.001 && Double(range.lowerBound) < right + 0.001)
            #expect(range.lowerBound >= Int(left) && range.upperBound <= Int(right) + 1)
        }
    }

    @Test func covering_chroma_includesEverySampleThatSharesAPixel() {
        let raster = MaskRaster([Self.mask([(10, 10), (50, 10), (50, 30), (10, 30)])], width: 30, height: 30)
        #expect(raster.rows[3] == [3..<15] && raster.rows[8] == [3..<15] && raster.rows[9].isEmpty)
        let chroma = raster.covering(PlaneShape(columnStep: 2, rowStep: 2))
        #expect(chroma.count == 15)
        #expect(chroma.indices.allSatisfy { chroma[$0] == ((1...4).contains($0) ? [1..<8] : []) })
    }

    @Test func blocks_touchedInOnePixel_areMaskedCompletely() {
        let raster = MaskRaster([Self.mask([(26, 26), (27, 26), (27, 27), (26, 27)])], width: 100, height: 100)
        let blocks = MaskBlocks(raster, side: 16)
        #expect(blocks.masked.map(\.column) == [1] && blocks.masked.map(\.row) == [1])
        #expect(blocks.parts(PlaneShape()) == [PixelRectangle(x: 16, y: 16, width: 16, height: 16)])
        #expect(
            blocks.parts(PlaneShape(columnStep: 2, rowStep: 2)) == [PixelRectangle(x: 8, y: 8, width: 8, height: 8)])
    }

    @Test func blocks_atTheEdges_areNeverSmaller() {
        let whole = [Self.mask([(0, 0), (100, 0), (100, 100), (0, 100)])]
        for (width, height) in [(64, 48), (65, 49), (79, 31), (7, 100)] {
            let blocks = MaskBlocks(MaskRaster(whole, width: width, height: height), side: 16)
            let parts = blocks.parts(PlaneShape())
            #expect(parts.allSatisfy { $0.width >= min(16, width) && $0.height >= min(16, height) })
            #expect(parts.reduce(0) { $0 + $1.width * $1.height } == width * height)
        }
    }
}

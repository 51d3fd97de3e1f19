import MediaCodecs
import MediaTypes

/// Structural similarity of the luma of two frames (Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from
/// error visibility to structural similarity", 2004), over squares of 8 × 8 pixels, which begin every four pixels.
struct FrameSSIM {
    private let scaler = FrameScaler()
    private let converter = PixelConverter()
    private static let side = 8
    private static let step = 4
    /// The constants (0.01 · 255)² and (0.03 · 255)², which avoid a division by zero in dark and flat squares.
    private static let c1 = 6.5025
    private static let c2 = 58.5225

    /// Returns 1 for equal frames, about 0 for unrelated ones. The larger frame is scaled to the smaller size first.
    ///
    /// - Throws: `invalidSettings` for an impossible size.
    mutating func measure(_ a: PixelBuffer, _ b: PixelBuffer) throws(MediaError) -> Double {
        let (width, height) = (min(a.width, b.width), min(a.height, b.height))
        let first = try luma(a, width, height)
        let second = try luma(b, width, height)
        let rows = (first.layout.planes[0].bytesPerRow, second.layout.planes[0].bytesPerRow)
        return Self.similarity(first.plane(0), rows.0, second.plane(0), rows.1, width: width, height: height)
    }

    private func luma(_ frame: PixelBuffer, _ width: Int, _ height: Int) throws(MediaError) -> PixelBuffer {
        var frame = frame
        frame = try converter.convert(frame, to: .i420, range: .limited)
        return try scaler.scale(frame, width: width, height: height)
    }

    private static func similarity(
        _ a: UnsafeRawBufferPointer, _ rowA: Int, _ b: UnsafeRawBufferPointer, _ rowB: Int, width: Int, height: Int
    ) -> Double {
        var (sum, count) = (0.0, 0)
        for y in stride(from: 0, through: max(0, height - side), by: step) {
            for x in stride(from: 0, through: max(0, width - side), by: step) {
                sum += square(a, rowA, b, rowB, x, y, min(side, width - x), min(side, height - y))
                count += 1
            }
        }
        return count == 0 ? 1 : sum / Double(count)
    }

    private static func square(
        _ a: UnsafeRawBufferPointer, _ rowA: Int, _ b: UnsafeRawBufferPointer, _ rowB: Int, _ x: Int, _ y: Int,
        _ width: Int, _ height: Int
    ) -> Double {
        var (sumA, sumB, squareA, squareB, product): (Int32, Int32, Int32, Int32, Int32) = (0, 0, 0, 0, 0)
        for row in y..<y + height {
            let (startA, startB) = (row * rowA + x, row * rowB + x)
            for column in 0..<width {
                let (p, q) = (Int32(a[startA + column]), Int32(b[startB + column]))
                sumA += p
                sumB += q
                squareA += p * p
                squareB += q * q
                product += p * q
            }
        }
        let n = Double(width * height)
        let (meanA, meanB) = (Double(sumA) / n, Double(sumB) / n)
        let (varianceA, varianceB) = (Double(squareA) / n - meanA * meanA, Double(squareB) / n - meanB * meanB)
        let covariance = Double(product) / n - meanA * meanB
        return (2 * meanA * meanB + c1) * (2 * covariance + c2)
            / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }
}

import Foundation

/// The matrix of a track whose pictures got another size or are turned further. A pure rule.
enum TrackTurning {
    /// - Parameters:
    ///   - transform: of the source, for pictures of `source` pixels.
    ///   - size: coded size of the result.
    ///   - turns: quarter turns clockwise, after the source's own.
    static func transform(
        _ transform: AffineTransform, from source: CGSize, to size: CGSize, turns: Int
    ) -> AffineTransform {
        var result = transform
        if source.width > 0, source.height > 0 {
            result.tX *= size.width / source.width
            result.tY *= size.height / source.height
            // A quarter turn moves by the other side.
            if transform.m11 == 0, transform.m22 == 0 {
                result.tX = transform.tX * size.height / source.height
                result.tY = transform.tY * size.width / source.width
            }
        }
        for _ in 0..<(((turns % 4) + 4) % 4) { result = turned(result, size) }
        return result
    }

    /// A quarter turn clockwise of what the matrix makes of the picture, back into the corner.
    private static func turned(_ matrix: AffineTransform, _ size: CGSize) -> AffineTransform {
        // (x, y) becomes (−y, x): y points down.
        let turned = AffineTransform(
            m11: -matrix.m12, m12: matrix.m11, m21: -matrix.m22, m22: matrix.m21, tX: -matrix.tY, tY: matrix.tX)
        let corners = [(0, 0), (size.width, 0), (0, size.height), (size.width, size.height)].map {
            turned.transform(CGPoint(x: $0.0, y: $0.1))
        }
        var placed = turned
        placed.tX -= corners.map(\.x).min() ?? 0
        placed.tY -= corners.map(\.y).min() ?? 0
        return placed
    }
}

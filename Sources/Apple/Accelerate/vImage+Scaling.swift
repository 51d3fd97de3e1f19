import Foundation

// Scaling with the Lanczos function of three lobes, or of five with kvImageHighQualityResampling. For a smaller target
// the function is wider, to avoid aliasing. Outside the image, the pixels at its edges are repeated. As on Apple's
// systems, premultiplied colors with different alphas may become larger than their alpha.

/// Scales an image of four components to the size of the target.
@discardableResult
public func vImageScale_ARGB8888(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>,
    _ tempBuffer: UnsafeMutableRawPointer!, _ flags: vImage_Flags
) -> vImage_Error { scale(src, dest, 4, flags) }

/// Scales a plane to the size of the target.
@discardableResult
public func vImageScale_Planar8(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>,
    _ tempBuffer: UnsafeMutableRawPointer!, _ flags: vImage_Flags
) -> vImage_Error { scale(src, dest, 1, flags) }

/// Scales a plane of two components to the size of the target.
@discardableResult
public func vImageScale_CbCr8(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>,
    _ tempBuffer: UnsafeMutableRawPointer!, _ flags: vImage_Flags
) -> vImage_Error { scale(src, dest, 2, flags) }

private func scale(
    _ src: UnsafePointer<vImage_Buffer>, _ dest: UnsafePointer<vImage_Buffer>, _ channels: Int, _ flags: vImage_Flags
) -> vImage_Error {
    vImageCall(flags) {
        let (source, target) = (try PixelRows(src, channels), try PixelRows(dest, channels))
        guard target.width > 0, target.height > 0 else { return }
        guard source.width > 0, source.height > 0 else { throw vImage.Error.invalidParameter }
        try target.requireSeparate(from: source)
        let lobes: Double = flags & vImage_Flags(kvImageHighQualityResampling) == 0 ? 3 : 5
        let rows = LanczosAxis(from: source.height, to: target.height, lobes: lobes)
        let columns = LanczosAxis(from: source.width, to: target.width, lobes: lobes)
        var sums = [Float](repeating: 0, count: source.width * channels)
        sums.withUnsafeMutableBufferPointer { sums in
            for row in 0..<target.height {
                sums.update(repeating: 0)
                rows.eachWeight(of: row) { sourceRow, weight in
                    let from = source.row(sourceRow)
                    for index in 0..<sums.count { sums[index] += weight * Float(from[index]) }
                }
                columns.scale(sums, into: target.row(row), channels: channels)
            }
        }
    }
}

/// The weights of the source's rows (or columns) in each row (or column) of the target.
private struct LanczosAxis {
    /// The rows of the source that each row of the target depends on; the same for columns.
    private var sources: [Range<Int>] = []
    /// The index of the first weight of each row or column of the target.
    private var starts: [Int] = []
    private var weights: [Float] = []

    init(from source: Int, to target: Int, lobes: Double) {
        let ratio = Double(source) / Double(target)
        let widening = max(ratio, 1)
        for index in 0..<target {
            let center = (Double(index) + 0.5) * ratio - 0.5
            let first = Int((center - lobes * widening).rounded(.up))
            let last = Int((center + lobes * widening).rounded(.down))
            let range = max(first, 0)..<min(last, source - 1) + 1
            var sums = [Double](repeating: 0, count: range.count)
            for place in first...last {
                let inside = min(max(place, 0), source - 1)
                sums[inside - range.lowerBound] += lanczos((Double(place) - center) / widening, lobes: lobes)
            }
            let total = sums.reduce(0, +)
            sources.append(range)
            starts.append(weights.count)
            weights += sums.map { Float($0 / total) }
        }
    }

    /// Calls `body` once for each source row (or column) on which a target row (or column) depends. Passes the index
    /// and the weight of the source row (or column).
    func eachWeight(of target: Int, _ body: (Int, Float) -> Void) {
        for (offset, source) in sources[target].enumerated() { body(source, weights[starts[target] + offset]) }
    }

    /// Scales one row.
    func scale(_ from: UnsafeMutableBufferPointer<Float>, into to: UnsafeMutablePointer<UInt8>, channels: Int) {
        weights.withUnsafeBufferPointer { weights in
            for (target, range) in sources.enumerated() {
                for channel in 0..<channels {
                    var sum: Float = 0
                    var weight = starts[target]
                    for source in range {
                        sum += weights[weight] * from[source * channels + channel]
                        weight += 1
                    }
                    to[target * channels + channel] = nearestByte(sum)
                }
            }
        }
    }
}

/// The Lanczos function: sinc(x) · sinc(x / lobes) within its lobes.
private func lanczos(_ x: Double, lobes: Double) -> Double {
    abs(x) < lobes ? sinc(x) * sinc(x / lobes) : 0
}

private func sinc(_ x: Double) -> Double {
    let angle = Double.pi * x
    return angle == 0 ? 1 : sin(angle) / angle
}

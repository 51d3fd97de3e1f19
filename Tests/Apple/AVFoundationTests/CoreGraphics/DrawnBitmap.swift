import CoreGraphics
import Testing

/// A bitmap context of a test, and its pixels.
struct DrawnBitmap {
    /// Values of `bitmapInfo`, named for the bytes in memory; `x` is an unused byte.
    enum Form: CaseIterable {
        case bgra, argb, rgba, abgr, bgrx, xrgb, rgbx, xbgr

        var info: UInt32 {
            let little = CGBitmapInfo.byteOrder32Little.rawValue
            return switch self {
            case .bgra: CGImageAlphaInfo.premultipliedFirst.rawValue | little
            case .argb: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Big.rawValue
            case .rgba: CGImageAlphaInfo.premultipliedLast.rawValue
            case .abgr: CGImageAlphaInfo.premultipliedLast.rawValue | little
            case .bgrx: CGImageAlphaInfo.noneSkipFirst.rawValue | little
            case .xrgb: CGImageAlphaInfo.noneSkipFirst.rawValue
            case .rgbx: CGImageAlphaInfo.noneSkipLast.rawValue
            case .xbgr: CGImageAlphaInfo.noneSkipLast.rawValue | little
            }
        }

        /// The places of red, green, blue and alpha among the bytes.
        var places: [Int] {
            switch self {
            case .bgra: [2, 1, 0, 3]
            case .argb: [1, 2, 3, 0]
            case .rgba: [0, 1, 2, 3]
            case .abgr: [3, 2, 1, 0]
            case .bgrx: [2, 1, 0]
            case .xrgb: [1, 2, 3]
            case .rgbx: [0, 1, 2]
            case .xbgr: [3, 2, 1]
            }
        }

        var hasAlpha: Bool { places.count == 4 }
    }

    let context: CGContext
    private let places: [Int]

    init(_ width: Int, _ height: Int, _ form: Form = .bgra) throws {
        context = try #require(
            CGContext(
                data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: form.info))
        places = form.places
    }

    /// A context with one byte for each pixel: gray, or alpha only.
    init(gray width: Int, _ height: Int, _ alpha: CGImageAlphaInfo = .none) throws {
        context = try #require(
            CGContext(
                data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
                space: CGColorSpaceCreateDeviceGray(), bitmapInfo: alpha.rawValue))
        places = [0]
    }

    /// Red, green, blue and alpha, if there is any; counted from the upper left corner.
    subscript(x: Int, y: Int) -> [UInt8] {
        guard let data = context.data else { return [] }
        let pixel = data + y * context.bytesPerRow + x * context.bitsPerPixel / 8
        return places.map { pixel.load(fromByteOffset: $0, as: UInt8.self) }
    }

    /// All pixels, row by row.
    var pixels: [[UInt8]] {
        (0..<context.height).flatMap { y in (0..<context.width).map { x in self[x, y] } }
    }

    /// The sum of one component over all pixels, in pixels that have its highest value.
    func area(_ component: Int) -> Double { pixels.reduce(0) { $0 + Double($1[component]) } / 255 }

    /// An image of red, green, blue and alpha, whose colors are multiplied by alpha or not.
    static func image(
        _ width: Int, _ height: Int, _ alpha: CGImageAlphaInfo = .premultipliedLast,
        _ pixel: (_ x: Int, _ y: Int) -> [UInt8]
    ) throws -> CGImage {
        let bytes = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
        let count = bytes.count / (width * height)
        let provider = try #require(CGDataProvider(data: Data(bytes) as CFData))
        return try #require(
            CGImage(
                width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 8 * count, bytesPerRow: count * width,
                space: count < 3 ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB(),
                bitmapInfo: CGBitmapInfo(alpha: alpha), provider: provider, decode: nil, shouldInterpolate: true,
                intent: .defaultIntent))
    }

    /// True if all components are within one of the others.
    static func isNear(_ one: [UInt8], _ other: [UInt8], by distance: Int = 1) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= distance }
    }
}

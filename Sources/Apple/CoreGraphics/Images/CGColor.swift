public import Foundation

/// A color: the components in its color space, and its opacity.
public final class CGColor: Sendable, Hashable {
    public let colorSpace: CGColorSpace?
    /// The components of the color in its color space, followed by the opacity, each from 0 to 1.
    private let numbers: [CGFloat]

    private init(space: CGColorSpace, numbers: [CGFloat]) {
        colorSpace = space
        self.numbers = numbers
    }

    /// - Parameter components: the components of the color in the color space, followed by the opacity.
    public convenience init?(colorSpace: CGColorSpace, components: UnsafePointer<CGFloat>) {
        let count = colorSpace.numberOfComponents + 1
        self.init(space: colorSpace, numbers: Array(UnsafeBufferPointer(start: components, count: count)))
    }

    public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(srgbRed: red, green: green, blue: blue, alpha: alpha)
    }

    public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(space: CGColorSpace(name: CGColorSpace.sRGB, model: .rgb), numbers: [red, green, blue, alpha])
    }

    public convenience init(gray: CGFloat, alpha: CGFloat) {
        self.init(genericGrayGamma2_2Gray: gray, alpha: alpha)
    }

    public convenience init(genericGrayGamma2_2Gray gray: CGFloat, alpha: CGFloat) {
        self.init(
            space: CGColorSpace(name: CGColorSpace.genericGrayGamma2_2, model: .monochrome), numbers: [gray, alpha])
    }

    public static let black = CGColor(gray: 0, alpha: 1)
    public static let white = CGColor(gray: 1, alpha: 1)
    public static let clear = CGColor(gray: 0, alpha: 0)

    public var components: [CGFloat]? { numbers }
    /// The number of components, including opacity.
    public var numberOfComponents: Int { numbers.count }
    public var alpha: CGFloat { numbers.last ?? 1 }

    public func copy() -> CGColor? { self }

    public func copy(alpha: CGFloat) -> CGColor? {
        guard let colorSpace else { return nil }
        return CGColor(space: colorSpace, numbers: numbers.dropLast() + [alpha])
    }

    /// Red, green, blue and opacity from 0 to 1. Color spaces are not converted. The value of a gray color is used for
    /// all three components.
    package var rgba: (red: Double, green: Double, blue: Double, alpha: Double) {
        let values = numbers.map { min(max(0, Double($0)), 1) }
        return numbers.count == 2
            ? (values[0], values[0], values[0], values[1]) : (values[0], values[1], values[2], values[3])
    }

    public static func == (a: CGColor, b: CGColor) -> Bool { a.numbers == b.numbers && a.colorSpace == b.colorSpace }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(numbers)
        hasher.combine(colorSpace)
    }
}

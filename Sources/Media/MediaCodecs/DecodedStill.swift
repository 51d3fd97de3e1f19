package import MediaTypes

/// An image that was decoded from a file.
package struct DecodedStill: Sendable {
    /// The image in `rgba`, with straight (not premultiplied) alpha; in `gray8` if the file contains gray without
    /// alpha.
    package let pixels: PixelBuffer
    package let hasAlpha: Bool

    /// The largest image that is decoded, in pixels. There is a limit because a file of a few kilobytes may claim any
    /// size.
    static let largestPixelCount = 1 << 28
    /// sRGB, the color space of images that do not state one.
    static let color = ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
}

import MediaCodecs
import MediaTypes

/// An RGB image for drawing rectangles, text and other images. Anything outside its bounds is clipped.
struct Canvas: ~Copyable {
    /// A color as 0xRRGGBB.
    struct Color: Sendable, Hashable {
        let red: UInt8
        let green: UInt8
        let blue: UInt8
        init(_ code: UInt32) {
            red = UInt8(truncatingIfNeeded: code >> 16)
            green = UInt8(truncatingIfNeeded: code >> 8)
            blue = UInt8(truncatingIfNeeded: code)
        }
        /// The color as a `bgra` pixel in memory order.
        fileprivate var pixel: UInt32 {
            UInt32(littleEndian: 0xFF00_0000 | UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue))
        }
    }

    let width: Int
    let height: Int
    private var buffer: MutablePixelBuffer

    /// Creates an RGB image with BT.709 primaries (ITU-T H.273: matrix 0 is "identity").
    init(width: Int, height: Int, background: Color) {
        self.width = width
        self.height = height
        buffer = MutablePixelBuffer(
            layout: PixelLayout(format: .bgra, width: width, height: height),
            color: ColorDescription(primaries: 1, transfer: 1, matrix: 0, isFullRange: true))
        fill(0, 0, width, height, background)
    }

    consuming func finish() -> PixelBuffer { buffer.finish() }

    func fill(_ x: Int, _ y: Int, _ columns: Int, _ rows: Int, _ color: Color) {
        let (left, right) = (max(0, x), min(width, x + columns))
        guard left < right else { return }
        for row in max(0, y)..<max(0, y, min(height, y + rows)) {
            pixels(row, left, right - left).update(repeating: color.pixel)
        }
    }

    /// Darkens a rectangle by half.
    func shade(_ x: Int, _ y: Int, _ columns: Int, _ rows: Int) {
        let (left, right) = (max(0, x), min(width, x + columns))
        guard left < right else { return }
        for row in max(0, y)..<max(0, y, min(height, y + rows)) {
            let line = pixels(row, left, right - left)
            for index in line.indices {
                line[index] = UInt32(littleEndian: 0xFF00_0000) | line[index] >> 1 & 0x7F7F_7F7F
            }
        }
    }

    /// Draws an image.
    ///
    /// - Parameter image: An image in `bgra`.
    func draw(_ image: PixelBuffer, _ x: Int, _ y: Int) {
        guard image.format == .bgra, image.layout.holdsWholeFrame, x >= 0, y >= 0, x < width else { return }
        let source = image.plane(0)
        let rowBytes = image.layout.planes[0].bytesPerRow
        let columns = min(image.width, width - x)
        for row in 0..<max(0, min(image.height, height - y)) {
            let from = UnsafeRawBufferPointer(rebasing: source[(row * rowBytes)..<(row * rowBytes + columns * 4)])
            UnsafeMutableRawBufferPointer(pixels(y + row, x, columns)).copyMemory(from: from)
        }
    }

    /// Draws a line of text with its upper left corner at a position.
    func write(_ text: TextMask, _ x: Int, _ y: Int, _ color: Color) {
        let (left, right) = (max(0, x), min(width, x + text.width))
        guard left < right else { return }
        for row in max(0, y)..<max(0, y, min(height, y + text.height)) {
            let line = pixels(row, left, right - left)
            for index in line.indices {
                let part = UInt32(text.coverage[(row - y) * text.width + left - x + index])
                if part > 0 { line[index] = Self.mixed(line[index], color, part) }
            }
        }
    }

    /// Blends a color into a pixel.
    ///
    /// - Parameter part: The color's share, of 255.
    private static func mixed(_ pixel: UInt32, _ color: Color, _ part: UInt32) -> UInt32 {
        let below = UInt32(littleEndian: pixel)
        func channel(_ shift: UInt32, _ value: UInt8) -> UInt32 {
            (((below >> shift & 0xFF) * (255 - part) + UInt32(value) * part + 127) / 255) << shift
        }
        return UInt32(
            littleEndian: 0xFF00_0000 | channel(16, color.red) | channel(8, color.green) | channel(0, color.blue))
    }

    private func pixels(_ row: Int, _ x: Int, _ count: Int) -> UnsafeMutableBufferPointer<UInt32> {
        let start = (row * width + x) * 4
        return UnsafeMutableRawBufferPointer(rebasing: buffer.plane(0)[start..<(start + count * 4)])
            .assumingMemoryBound(to: UInt32.self)
    }
}

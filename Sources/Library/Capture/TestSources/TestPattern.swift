import Glibc
import MediaCodecs
import MediaTypes

/// The test image: static color bars and a gray ramp; a moving square; the frame's number and time as text; and the
/// number again as 32 black or white cells along the top edge, for programs to read.
///
/// NV12, BT.709, video range. The static parts are drawn once and copied. Used by one thread.
final class TestPattern {
    let layout: PixelLayout
    private let pool: PixelBufferPool
    private let background: PixelBuffer
    private let white: PixelBuffer
    /// The text in the frame: the number of the frame, and the hours, minutes, seconds and milliseconds since the
    /// machine started.
    private var lines = [Array("00000000".utf8), Array("00:00:00.000".utf8)]

    static let cellCount = 32
    private static let black: UInt8 = 16
    private static let brightest: UInt8 = 235
    private static let neutral: UInt8 = 128

    /// Color bars at 75 %: white, yellow, cyan, green, magenta, red, blue, black; Y, Cb, Cr of BT.709 (SMPTE RP 219).
    private static let bars: [(UInt8, UInt8, UInt8)] = [
        (180, 128, 128), (168, 44, 136), (145, 147, 44), (133, 63, 52), (63, 193, 204), (51, 109, 212), (28, 212, 120),
        (16, 128, 128),
    ]

    /// Creates a pattern.
    ///
    /// - Precondition: `width` and `height` are even, and at least 64 and 32.
    init(width: Int, height: Int) {
        layout = PixelLayout(format: .nv12, width: width, height: height)
        pool = PixelBufferPool(layout: layout, color: .bt709)
        background = Self.drawBackground(layout)
        white = Self.drawWhite(layout)
    }

    private static func drawBackground(_ layout: PixelLayout) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: layout, color: .bt709)
        let (luma, chroma) = (buffer.plane(0), buffer.plane(1))
        let (width, height) = (layout.width, layout.height)
        let rampTop = height * 3 / 4 / 2 * 2
        for y in 0..<height {
            for x in 0..<width {
                luma[y * width + x] = y < rampTop ? bars[x * bars.count / width].0 : UInt8(16 + x * 219 / width)
            }
        }
        for y in 0..<(height / 2) {
            for x in 0..<(width / 2) {
                let bar = bars[x * 2 * bars.count / width]
                chroma[y * width + 2 * x] = y * 2 < rampTop ? bar.1 : neutral
                chroma[y * width + 2 * x + 1] = y * 2 < rampTop ? bar.2 : neutral
            }
        }
        return buffer.finish()
    }

    private static func drawWhite(_ layout: PixelLayout) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: layout, color: .bt709)
        memset(buffer.plane(0).baseAddress!, Int32(brightest), buffer.plane(0).count)
        memset(buffer.plane(1).baseAddress!, Int32(neutral), buffer.plane(1).count)
        return buffer.finish()
    }

    /// Draws one frame.
    ///
    /// - Parameters:
    ///   - number: The frame's number.
    ///   - time: Nanoseconds of the monotonic clock.
    ///   - isFlash: true if the background is white.
    func draw(number: Int64, time: Int64, isFlash: Bool) -> PixelBuffer {
        let buffer = pool.makeBuffer()
        let source = isFlash ? white : background
        for index in 0..<2 { buffer.plane(index).copyMemory(from: source.plane(index)) }
        let painter = FramePainter(luma: buffer.plane(0), chroma: buffer.plane(1), width: layout.width)
        if !isFlash { drawSquare(painter, time: time) }
        drawText(painter, number: number, time: time, isFlash: isFlash)
        drawCells(painter, number: number)
        return buffer.finish()
    }

    /// Draws the square, which crosses the ramp from left to right in two seconds.
    private func drawSquare(_ painter: FramePainter, time: Int64) {
        let top = layout.height * 3 / 4 / 2 * 2
        let side = (layout.height - top) / 2 / 2 * 2
        let way = Int64(layout.width - side)
        let x = Int(way * (time % 2_000_000_000) / 2_000_000_000) / 2 * 2
        painter.fill(x, top + (layout.height - top - side) / 2 / 2 * 2, side, side, Self.brightest, Self.neutral)
    }

    private func drawText(_ painter: FramePainter, number: Int64, time: Int64, isFlash: Bool) {
        let (paper, ink) = isFlash ? (Self.brightest, Self.black) : (Self.black, Self.brightest)
        setLines(number: number, time: time)
        let columns = lines[1].count * (DigitFont.width + 1) + 1
        let scale = max(1, min(layout.height / 64, layout.width * 9 / 10 / columns))
        let lineHeight = (DigitFont.height + 2) * scale
        let width = (columns * scale + 1) / 2 * 2
        let height = (lineHeight * lines.count + 1) / 2 * 2
        let left = max(0, (layout.width - width) / 2 / 2 * 2)
        let top = max(0, layout.height * 3 / 8 / 2 * 2 - height / 2 / 2 * 2)
        painter.fill(left, top, min(width, layout.width - left), min(height, layout.height - top), paper, Self.neutral)
        for line in lines.indices {
            for column in lines[line].indices {
                let x = left + (column * (DigitFont.width + 1) + 1) * scale
                let y = top + line * lineHeight + scale
                for (row, bits) in DigitFont.rows(of: lines[line][column]).enumerated() {
                    for bit in 0..<DigitFont.width where bits & (0x10 >> UInt8(bit)) != 0 {
                        painter.fillLuma(x + bit * scale, y + row * scale, scale, scale, ink)
                    }
                }
            }
        }
    }

    private func drawCells(_ painter: FramePainter, number: Int64) {
        let height = Self.cellHeight(layout.height)
        painter.fill(0, 0, layout.width, height, Self.black, Self.neutral)
        for cell in 0..<Self.cellCount where UInt64(bitPattern: number) >> UInt64(Self.cellCount - 1 - cell) & 1 != 0 {
            let left = cell * layout.width / Self.cellCount
            let right = (cell + 1) * layout.width / Self.cellCount
            painter.fillLuma(left, 0, right - left, height, Self.brightest)
        }
    }

    private static func cellHeight(_ height: Int) -> Int { max(2, height / 24 / 2 * 2) }

    /// Returns the number in a frame's cells, even after encoding and scaling; nil for a layout without a luma plane.
    static func number(in frame: PixelBuffer) -> Int64? {
        switch frame.format {
        case .nv12, .i420, .i422, .gray8: break
        case .yuyv, .uyvy, .bgra, .argb, .rgba, .rgb24, .p010, .i010, .i210: return nil
        }
        guard frame.width >= cellCount, frame.height >= 4 else { return nil }
        let luma = frame.plane(0)
        let row = cellHeight(frame.height) / 2 * frame.layout.planes[0].bytesPerRow
        var number: Int64 = 0
        for cell in 0..<cellCount {
            let x = (2 * cell + 1) * frame.width / (2 * cellCount)
            number = number << 1 | (luma[row + x] > 126 ? 1 : 0)
        }
        return number
    }

    private func setLines(number: Int64, time: Int64) {
        set(number, digits: 0..<8, line: 0)
        let milliseconds = time / 1_000_000
        let seconds = milliseconds / 1_000
        set(seconds / 3600, digits: 0..<2, line: 1)
        set(seconds / 60 % 60, digits: 3..<5, line: 1)
        set(seconds % 60, digits: 6..<8, line: 1)
        set(milliseconds % 1_000, digits: 9..<12, line: 1)
    }

    private func set(_ number: Int64, digits: Range<Int>, line: Int) {
        var rest = number
        for place in digits.reversed() {
            lines[line][place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Draws rectangles in an NV12 frame without padding. The positions and sizes of colored rectangles are even.
    private struct FramePainter {
        let luma: UnsafeMutableRawBufferPointer
        let chroma: UnsafeMutableRawBufferPointer
        let width: Int

        func fillLuma(_ x: Int, _ y: Int, _ columns: Int, _ rows: Int, _ value: UInt8) {
            let end = min(x + columns, width)
            guard x < end else { return }
            for row in y..<(y + rows) where (row + 1) * width <= luma.count {
                memset(luma.baseAddress! + row * width + x, Int32(value), end - x)
            }
        }

        func fill(_ x: Int, _ y: Int, _ columns: Int, _ rows: Int, _ value: UInt8, _ color: UInt8) {
            fillLuma(x, y, columns, rows, value)
            for row in (y / 2)..<((y + rows) / 2) {
                memset(chroma.baseAddress! + row * width + x, Int32(color), columns)
            }
        }
    }
}

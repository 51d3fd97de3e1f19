import MediaTypes
import Testing

@testable import MediaCodecs

/// Conversions of interlaced frames. The chroma of one field has one value and that of the other another, and no
/// conversion mixes the two.
@Suite struct InterlacedChromaTests {
    private static let (width, height) = (32, 16)
    private static let values = [240, 128]

    /// Returns a frame with a chroma value for each field.
    private func frame(_ format: PixelFormat) -> PixelBuffer {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: Self.width, height: Self.height, alignment: 64))
        for (index, plane) in buffer.layout.planes.enumerated() {
            for row in 0..<plane.rows {
                let value = index == 0 && !format.isPacked ? 100 : Self.values[row % 2]
                let start = row * plane.bytesPerRow
                if format.bitDepth > 8 {
                    for place in stride(from: start, to: start + plane.bytesPerRow, by: 2) {
                        buffer.plane(index).storeBytes(of: UInt16(value * 4), toByteOffset: place, as: UInt16.self)
                    }
                } else {
                    for place in start..<(start + plane.bytesPerRow) {
                        buffer.plane(index)[place] = UInt8(value)
                    }
                }
            }
        }
        return buffer.finish()
    }

    /// Returns the chroma of each row, as a value of eight bits; nil if a row has several values.
    private func chroma(_ frame: PixelBuffer) -> [Int?] {
        let index = frame.format.isPacked ? 0 : 1
        let plane = frame.layout.planes[index]
        return (0..<plane.rows).map { row in
            let samples = (0..<(Self.width / 2)).map { sample -> Int in
                let start = row * plane.bytesPerRow
                switch frame.format {
                case .yuyv: return Int(frame.plane(0)[start + sample * 4 + 1])
                case .uyvy: return Int(frame.plane(0)[start + sample * 4])
                case .i010, .i210:
                    return Int(frame.plane(1).loadUnaligned(fromByteOffset: start + sample * 2, as: UInt16.self)) / 4
                default: return Int(frame.plane(1)[start + sample])
                }
            }
            return Set(samples).count == 1 ? samples[0] : nil
        }
    }

    @Test(
        arguments: [PixelFormat.i422, .yuyv, .uyvy, .i210, .i420, .nv12, .i010],
        [PixelFormat.i420, .nv12, .i422, .yuyv, .uyvy, .i010, .i210])
    func convert_interlacedFrame_keepsTheColorsOfItsFields(from: PixelFormat, to: PixelFormat) throws {
        let result = try PixelConverter(isInterlaced: true).convert(frame(from), to: to)
        let rows = chroma(result)
        #expect(rows.count >= Self.height / 2)
        #expect(rows == rows.indices.map { Self.values[$0 % 2] })
    }

    @Test(arguments: [PixelFormat.i422, .yuyv, .i210]) func convert_progressiveFrame_averagesRows(
        from: PixelFormat
    ) throws {
        let result = try PixelConverter().convert(frame(from), to: .i420)
        #expect(chroma(result) == Array(repeating: 184, count: Self.height / 2))
    }

    @Test(arguments: [PixelFormat.i420, .i422, .i010, .i210])
    func convert_interlacedFrameToRGB_keepsTheColorsOfItsFields(
        from: PixelFormat
    ) throws {
        let result = try PixelConverter(isInterlaced: true).convert(frame(from), to: .bgra)
        let bytesPerRow = result.layout.planes[0].bytesPerRow
        let reds = (0..<Self.height).map { Int(result.plane(0)[$0 * bytesPerRow + 2]) }
        #expect(Set(reds).count == 2)
        #expect(reds == reds.indices.map { reds[$0 % 2] } && reds[0] > reds[1] + 100)
    }

    @Test func convert_fieldsOfOddHeight_areOneFrame() throws {
        let layout = PixelLayout(format: .i422, width: 32, height: 18)
        let buffer = MutablePixelBuffer(layout: layout)
        for index in 0..<3 { buffer.plane(index).initializeMemory(as: UInt8.self, repeating: 128) }
        let result = try PixelConverter(isInterlaced: true).convert(buffer.finish(), to: .i420)
        #expect(result.layout.planes[1].rows == 9 && result.plane(1)[8 * result.layout.planes[1].bytesPerRow] == 128)
    }
}

extension PixelFormat {
    fileprivate var isPacked: Bool { self == .yuyv || self == .uyvy }
}

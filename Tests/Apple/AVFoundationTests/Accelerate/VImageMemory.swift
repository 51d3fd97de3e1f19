import Accelerate
import Foundation

/// An image in memory for tests of vImage: its rows are longer than their pixels, and the rest has a known value.
final class VImageMemory {
    var buffer: vImage_Buffer
    private let pixelBytes: Int
    private let padding: UInt8 = 0xAB

    init(
        _ width: Int, _ height: Int, pixelBytes: Int,
        _ value: (_ column: Int, _ row: Int, _ channel: Int) -> UInt8 = { _, _, _ in 0xEE }
    ) {
        let rowBytes = width * pixelBytes + 5
        let data = UnsafeMutableRawPointer.allocate(byteCount: rowBytes * height, alignment: 16)
        data.initializeMemory(as: UInt8.self, repeating: padding, count: rowBytes * height)
        for row in 0..<height {
            for byte in 0..<width * pixelBytes {
                let new = value(byte / pixelBytes, row, byte % pixelBytes)
                data.storeBytes(of: new, toByteOffset: row * rowBytes + byte, as: UInt8.self)
            }
        }
        buffer = vImage_Buffer(
            data: data, height: vImagePixelCount(height), width: vImagePixelCount(width), rowBytes: rowBytes)
        self.pixelBytes = pixelBytes
    }

    deinit { buffer.data.deallocate() }

    func value(_ column: Int, _ row: Int, _ channel: Int = 0) -> UInt8 {
        buffer.data.load(fromByteOffset: row * buffer.rowBytes + column * pixelBytes + channel, as: UInt8.self)
    }

    func pixel(_ column: Int, _ row: Int) -> [UInt8] { (0..<pixelBytes).map { value(column, row, $0) } }

    /// All pixels, row by row.
    var pixels: [[UInt8]] {
        (0..<Int(buffer.height)).flatMap { row in (0..<Int(buffer.width)).map { pixel($0, row) } }
    }

    /// True if nothing was written between the rows.
    var isPaddingKept: Bool {
        (0..<Int(buffer.height)).allSatisfy { row in
            (Int(buffer.width) * pixelBytes..<buffer.rowBytes).allSatisfy {
                buffer.data.load(fromByteOffset: row * buffer.rowBytes + $0, as: UInt8.self) == padding
            }
        }
    }
}

/// Bytes that differ from pixel to pixel, and always the same ones.
func scatteredByte(_ column: Int, _ row: Int, _ channel: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (column * 7919 + row * 104_729 + channel * 1301) % 257)
}

let noFlags = vImage_Flags(kvImageNoFlags)

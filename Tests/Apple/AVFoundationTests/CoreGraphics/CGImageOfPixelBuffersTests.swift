import AVFoundation
import Foundation
import Testing

import struct MediaTypes.ColorDescription
import struct MediaTypes.MutablePixelBuffer
import struct MediaTypes.PixelBuffer
import enum MediaTypes.PixelFormat
import struct MediaTypes.PixelLayout

@testable import class AVFoundation.CGImage

/// Tests of the engine's frames as `CGImage`, and back.
@Suite struct CGImageOfPixelBuffersTests {
    private func frame(_ format: PixelFormat, color: ColorDescription = .init()) -> PixelBuffer {
        let frame = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: 5, height: 3, alignment: 16), color: color)
        let plane = frame.plane(0)
        for index in plane.indices { plane[index] = UInt8(truncatingIfNeeded: index &* 7) }
        return frame.finish()
    }

    @Test func cgImage_ofPixelBuffer_sharesItsMemory() throws {
        let frame = frame(.bgra)
        let image = try #require(CGImage(frame))
        #expect(image.bytesPerRow == 32 && image.alphaInfo == .premultipliedFirst)
        #expect(image.dataProvider?.data?.bytes == frame.plane(0).baseAddress)
    }

    @Test(arguments: [PixelFormat.bgra, .rgba, .argb, .rgb24, .gray8])
    func pixels_ofCGImage_areUnchanged(_ format: PixelFormat) throws {
        let frame = frame(format)
        let back = try #require(CGImage(frame)?.pixels)
        #expect(back.format == format && back.width == 5 && back.height == 3)
        let bytes = try #require(frame.layout.planes.first).bytesPerRow
        let used = try #require(back.layout.planes.first).bytesPerRow
        for row in 0..<3 {
            #expect(
                frame.plane(0)[row * bytes..<row * bytes + used].elementsEqual(
                    back.plane(0)[row * used..<(row + 1) * used]))
        }
    }

    private func image(_ bitsPerPixel: Int, _ alpha: CGImageAlphaInfo, _ order: CGImageByteOrderInfo) throws -> CGImage
    {
        let provider = try #require(CGDataProvider(data: Data([1, 2, 3, 4]) as CFData))
        return try #require(
            CGImage(
                width: 1, height: 1, bitsPerComponent: 8, bitsPerPixel: bitsPerPixel, bytesPerRow: 4,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(alpha: alpha, byteOrder: order),
                provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent))
    }

    @Test func pixels_withoutAlphaInFourBytes_areRGB() throws {
        let plain = try #require(try image(32, .none, .orderDefault).pixels)
        #expect(plain.format == .rgba && plain.plane(0).prefix(3).elementsEqual([1, 2, 3]))
        let reversed = try #require(try image(32, .none, .order32Little).pixels)
        #expect(reversed.format == .rgba && reversed.plane(0).prefix(3).elementsEqual([4, 3, 2]))
    }

    @Test func pixels_unsupportedByteOrder_areNil() throws {
        for order in [CGImageByteOrderInfo.order16Little, .order16Big] {
            #expect(try image(32, .noneSkipLast, order).pixels == nil)
        }
        #expect(try image(24, .none, .order32Little).pixels == nil)
        #expect(try image(24, .none, .orderDefault).pixels != nil)
    }

    @Test func cgImage_ofYCbCrPixelBuffer_isNil() { #expect(CGImage(frame(.nv12)) == nil) }

    @Test func cgImage_ofPixelBuffer_hasItsColorSpace() {
        let pq = ColorDescription(primaries: 9, transfer: 16, matrix: 0)
        #expect(CGImage(frame(.bgra, color: pq))?.colorSpace?.name == CGColorSpace.itur_2100_PQ)
        #expect(CGImage(frame(.bgra))?.colorSpace?.name == CGColorSpace.sRGB)
    }
}

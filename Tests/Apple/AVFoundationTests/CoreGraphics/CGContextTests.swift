import AVFoundation
import CoreGraphics
import Foundation
import Testing

/// Tests of bitmap contexts: their memory, and the bytes of its pixels.
@Suite struct CGContextTests {
    private let whole = CGRect(x: 0, y: 0, width: 4, height: 3)
    /// Red 255, green 128, blue 32.
    private let orange = CGColor(red: 1, green: 128.0 / 255, blue: 32.0 / 255, alpha: 1)

    @Test(arguments: DrawnBitmap.Form.allCases)
    func fill_eachByteOrder_hasTheColorsBytes(_ form: DrawnBitmap.Form) throws {
        let bitmap = try DrawnBitmap(4, 3, form)
        bitmap.context.setFillColor(orange)
        bitmap.context.fill(whole)
        let expected: [UInt8] = form.hasAlpha ? [255, 128, 32, 255] : [255, 128, 32]
        #expect(bitmap.pixels == Array(repeating: expected, count: 12))
    }

    @Test(arguments: [DrawnBitmap.Form.bgra, .argb, .rgba, .abgr])
    func fill_halfOpacity_isPremultiplied(_ form: DrawnBitmap.Form) throws {
        let bitmap = try DrawnBitmap(2, 1, form)
        bitmap.context.setFillColor(.white)
        bitmap.context.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
        bitmap.context.setFillColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
        #expect(DrawnBitmap.isNear(bitmap[0, 0], [128, 0, 0, 128]))
        #expect(DrawnBitmap.isNear(bitmap[1, 0], [255, 127, 127, 255]))
    }

    @Test func fill_grayContext_mixesColors() throws {
        let bitmap = try DrawnBitmap(gray: 4, 3)
        #expect(bitmap.context.bitsPerPixel == 8 && bitmap.context.colorSpace?.model == .monochrome)
        for (color, expected) in [
            (CGColor.white, 255), (CGColor(gray: 128.0 / 255, alpha: 1), 128),
            (CGColor(red: 1, green: 0, blue: 0, alpha: 1), 77), (CGColor(red: 0, green: 1, blue: 0, alpha: 1), 149),
        ] as [(CGColor, UInt8)] {
            bitmap.context.setFillColor(color)
            bitmap.context.fill(whole)
            #expect(DrawnBitmap.isNear(bitmap[2, 1], [expected]))
        }
    }

    @Test func fill_alphaOnlyContext_storesTheOpacity() throws {
        let bitmap = try DrawnBitmap(gray: 4, 3, .alphaOnly)
        #expect(bitmap.context.colorSpace == nil && bitmap.context.alphaInfo == .alphaOnly)
        bitmap.context.setFillColor(gray: 1, alpha: 0.5)
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 2, height: 3))
        #expect(DrawnBitmap.isNear(bitmap[0, 0], [128]) && bitmap[3, 0] == [0])
    }

    @Test(arguments: [DrawnBitmap.Form.bgra, .rgba])
    func fill_rectangle_isCountedFromTheLowerLeft(_ form: DrawnBitmap.Form) throws {
        let bitmap = try DrawnBitmap(4, 3, form)
        bitmap.context.setFillColor(.white)
        bitmap.context.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
        #expect(bitmap[1, 2] == [255, 255, 255, 255])
        #expect(bitmap.area(3) == 1)
        // A rectangle with a negative size covers the same pixels.
        bitmap.context.fill(CGRect(x: 4, y: 3, width: -1, height: -1))
        #expect(bitmap[3, 0] == [255, 255, 255, 255])
        bitmap.context.clear(CGRect(x: 1, y: 0, width: 1, height: 1))
        #expect(bitmap[1, 2] == [0, 0, 0, 0])
        #expect(bitmap.area(3) == 1)
    }

    @Test func context_withoutData_hasClearedMemory() throws {
        let context = try DrawnBitmap(5, 3).context
        #expect(context.width == 5 && context.height == 3 && context.bitsPerComponent == 8)
        #expect(context.bytesPerRow >= 20 && context.bytesPerRow % 4 == 0)
        let data = try #require(context.data)
        #expect(UnsafeRawBufferPointer(start: data, count: 3 * context.bytesPerRow).allSatisfy { $0 == 0 })
    }

    /// With 4·4 bytes Cairo draws in the memory, with one more it draws in a copy.
    @Test(arguments: [16, 17, 20])
    func context_callersMemory_keepsItsPadding(_ bytesPerRow: Int) throws {
        var bytes = [UInt8](repeating: 0xAA, count: 3 * bytesPerRow)
        try bytes.withUnsafeMutableBytes { memory in
            let context = try #require(
                CGContext(
                    data: memory.baseAddress, width: 4, height: 3, bitsPerComponent: 8, bytesPerRow: bytesPerRow,
                    space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: DrawnBitmap.Form.bgra.info))
            #expect(context.data == memory.baseAddress && context.bytesPerRow == bytesPerRow)
            context.setFillColor(orange)
            context.fill(whole)
        }
        for y in 0..<3 {
            let row = bytes[y * bytesPerRow..<(y + 1) * bytesPerRow]
            #expect(row.prefix(4) == [32, 128, 255, 255])
            #expect(row.dropFirst(16).allSatisfy { $0 == 0xAA })
        }
    }

    @Test(arguments: [DrawnBitmap.Form.bgra, .rgba])
    func context_bytesThatTheProgramChanges_areDrawnOver(_ form: DrawnBitmap.Form) throws {
        let bitmap = try DrawnBitmap(4, 3, form)
        bitmap.context.clear(whole)
        let data = try #require(bitmap.context.data)
        memset(data, 255, 16)
        bitmap.context.setFillColor(red: 0, green: 0, blue: 0, alpha: 0.5)
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 1, height: 3))
        #expect(DrawnBitmap.isNear(bitmap[0, 0], [127, 127, 127, 255]))
        #expect(bitmap[1, 0] == [255, 255, 255, 255])
        memset(data, 255, 16)
        bitmap.context.clear(whole)
        #expect(bitmap.area(3) == 0)
    }

    @Test func context_unsupportedNumbers_isNil() {
        func isNil(
            _ width: Int = 4, _ height: Int = 3, bits: Int = 8, row: Int = 16,
            info: UInt32 = DrawnBitmap.Form.bgra.info, space: CGColorSpace = CGColorSpaceCreateDeviceRGB()
        ) -> Bool {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
            defer { memory.deallocate() }
            return CGContext(
                data: memory, width: width, height: height, bitsPerComponent: bits, bytesPerRow: row, space: space,
                bitmapInfo: info) == nil
        }
        #expect(!isNil())
        #expect(isNil(0) && isNil(4, 0) && isNil(-4) && isNil(4, -3) && isNil(40_000, 1, row: 160_000))
        #expect(isNil(row: 15) && isNil(row: 0) && isNil(row: -16) && isNil(row: Int.max) && isNil(Int.max))
        #expect(isNil(bits: 5) && isNil(bits: 16) && isNil(bits: 32))
        for alpha in [CGImageAlphaInfo.none, .first, .last] { #expect(isNil(info: alpha.rawValue)) }
        #expect(isNil(info: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder16Little.rawValue))
        #expect(isNil(info: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.floatComponents.rawValue))
        #expect(isNil(info: UInt32.max) && isNil(info: 9))
        let gray = CGColorSpaceCreateDeviceGray()
        #expect(!isNil(info: CGImageAlphaInfo.none.rawValue, space: gray))
        #expect(isNil(info: CGImageAlphaInfo.premultipliedLast.rawValue, space: gray))
        #expect(isNil(row: 3, info: 0, space: gray))
    }

    @Test func context_releaseCallback_isCalledOnceAtTheEnd() throws {
        final class Count {
            var calls = 0
        }
        let count = Count()
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 48, alignment: 16)
        defer { memory.deallocate() }
        func make(_ bytesPerRow: Int) -> CGContext? {
            CGContext(
                data: memory, width: 4, height: 3, bitsPerComponent: 8, bytesPerRow: bytesPerRow,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: DrawnBitmap.Form.rgba.info,
                releaseCallback: { info, _ in
                    guard let info else { return }
                    Unmanaged<Count>.fromOpaque(info).takeUnretainedValue().calls += 1
                }, releaseInfo: Unmanaged.passUnretained(count).toOpaque())
        }
        var context = make(16)
        #expect(context != nil && count.calls == 0)
        context = nil
        #expect(context == nil && count.calls == 1)
        #expect(make(8) == nil && count.calls == 1)
    }

    @Test(
        arguments: [
            (kCVPixelFormatType_32BGRA, DrawnBitmap.Form.bgra, [32, 128, 255, 255]),
            (kCVPixelFormatType_32ARGB, .argb, [255, 255, 128, 32]),
        ] as [(OSType, DrawnBitmap.Form, [UInt8])])
    func context_overPixelBuffer_drawsIntoIt(_ type: OSType, _ form: DrawnBitmap.Form, _ expected: [UInt8]) throws {
        var made: CVPixelBuffer?
        #expect(CVPixelBufferCreate(nil, 5, 3, type, nil, &made) == kCVReturnSuccess)
        let buffer = try #require(made)
        CVPixelBufferLockBaseAddress(buffer, [])
        defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
        let start = try #require(CVPixelBufferGetBaseAddress(buffer))
        let bytesPerRow = CVPixelBufferGetBytesPerRow(buffer)
        let context = try #require(
            CGContext(
                data: start, width: 5, height: 3, bitsPerComponent: 8, bytesPerRow: bytesPerRow,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: form.info))
        context.setFillColor(orange)
        context.fill(CGRect(x: 4, y: 2, width: 1, height: 1))
        let top = UnsafeRawBufferPointer(start: start, count: bytesPerRow)
        #expect(top[16..<20].elementsEqual(expected))
        #expect(top[..<16].allSatisfy { $0 == 0 })
    }

    @Test func makeImage_hugeRowLength_isACopyOrNil() throws {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
        defer { memory.deallocate() }
        let context = try #require(
            CGContext(
                data: memory, width: 4, height: 1, bitsPerComponent: 8, bytesPerRow: 1 << 40,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: DrawnBitmap.Form.bgra.info))
        context.setFillColor(orange)
        context.fill(whole)
        // Without its limit of memory, the system allocates what is not used.
        if let image = context.makeImage() {
            let other = try DrawnBitmap(4, 1)
            other.context.draw(image, in: CGRect(x: 0, y: 0, width: 4, height: 1))
            #expect(other.pixels == Array(repeating: [255, 128, 32, 255], count: 4))
        }
    }

    @Test func makeImage_isACopyOfThePixels() throws {
        let bitmap = try DrawnBitmap(4, 3, .argb)
        bitmap.context.setFillColor(orange)
        bitmap.context.fill(whole)
        let image = try #require(bitmap.context.makeImage())
        bitmap.context.clear(whole)
        #expect(image.width == 4 && image.height == 3 && image.alphaInfo == .premultipliedFirst)
        #expect(image.bytesPerRow == bitmap.context.bytesPerRow && image.bitsPerPixel == 32)
        let other = try DrawnBitmap(4, 3)
        other.context.draw(image, in: whole)
        #expect(other.pixels == Array(repeating: [255, 128, 32, 255], count: 12))
    }
}

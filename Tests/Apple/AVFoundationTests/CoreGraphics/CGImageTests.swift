import AVFoundation
import Testing

@Suite struct CGImageTests {
    /// An image whose red grows to the right and whose green grows downwards.
    private static func image(_ width: Int, _ height: Int, padding: Int = 0) throws -> CGImage {
        let bytesPerRow = 4 * width + padding
        var bytes = Data(count: bytesPerRow * height)
        for y in 0..<height {
            for x in 0..<width {
                let start = y * bytesPerRow + 4 * x
                bytes[start..<start + 4] = Data([UInt8(10 * x), UInt8(10 * y), 200, 255])
            }
        }
        let provider = try #require(CGDataProvider(data: bytes as CFData))
        return try #require(
            CGImage(
                width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
                space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(alpha: .premultipliedLast),
                provider: provider, decode: nil, shouldInterpolate: false,
                intent: .defaultIntent))
    }

    private static func pixel(_ image: CGImage, _ x: Int, _ y: Int) throws -> [UInt8] {
        let data = try #require(image.dataProvider?.data)
        let bytes = try #require(CFDataGetBytePtr(data))
        return (0..<4).map { bytes[y * image.bytesPerRow + 4 * x + $0] }
    }

    @Test func cgImage_ofBytes_hasTheirProperties() throws {
        let image = try Self.image(6, 4, padding: 8)
        #expect(image.width == 6 && image.height == 4 && image.bytesPerRow == 32)
        #expect(image.bitsPerPixel == 32 && image.alphaInfo == .premultipliedLast)
        #expect(try Self.pixel(image, 5, 3) == [50, 30, 200, 255])
    }

    @Test func cgImage_tooFewBytes_isNil() throws {
        let provider = try #require(CGDataProvider(data: Data(count: 63) as CFData))
        for (width, height, row) in [(4, 4, 16), (4, 0, 16), (-4, 4, 16), (8, 1, 16), (4, Int.max, 16)] {
            #expect(
                CGImage(
                    width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: row,
                    space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGBitmapInfo(alpha: .last), provider: provider,
                    decode: nil, shouldInterpolate: false, intent: .defaultIntent) == nil)
        }
    }

    @Test func cropping_returnsTheEnclosedPixels() throws {
        let part = try #require(Self.image(6, 4).cropping(to: CGRect(x: 1.5, y: 2, width: 3, height: 9)))
        #expect(part.width == 4 && part.height == 2)
        #expect(try Self.pixel(part, 0, 0) == [10, 20, 200, 255])
        #expect(try Self.pixel(part, 3, 1) == [40, 30, 200, 255])
        #expect(try Self.image(6, 4).cropping(to: CGRect(x: 6, y: 0, width: 2, height: 2)) == nil)
    }

    @Test func cropping_nonFiniteRectangle_isNilOrClipped() throws {
        let image = try Self.image(6, 4)
        #expect(image.cropping(to: .null) == nil)
        #expect(image.cropping(to: CGRect(x: CGFloat.nan, y: 0, width: 2, height: 2)) == nil)
        #expect(image.cropping(to: CGRect(x: 0, y: 0, width: CGFloat.nan, height: 2)) == nil)
        #expect(image.cropping(to: .infinite)?.width == 6)
        #expect(image.cropping(to: CGRect(x: -1e300, y: 1, width: 2e300, height: 1e300))?.height == 3)
        #expect(image.cropping(to: CGRect(x: 4, y: 3, width: -3, height: -1))?.width == 3)
    }

    @Test func makeRect_fitsTheAspectRatio() {
        let inside = CGRect(x: 10, y: 10, width: 100, height: 100)
        #expect(
            AVMakeRect(aspectRatio: CGSize(width: 2, height: 1), insideRect: inside)
                == CGRect(x: 10, y: 35, width: 100, height: 50))
        #expect(AVMakeRect(aspectRatio: .zero, insideRect: inside).isEmpty)
    }

    @Test func imageDestination_pngAndJPEG_areWritten() throws {
        for (type, head) in [("public.png", [0x89, 0x50, 0x4E, 0x47]), ("public.jpeg", [0xFF, 0xD8, 0xFF, 0xE0])] {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("still-\(UUID()).\(type)")
            defer { try? FileManager.default.removeItem(at: url) }
            let destination = try #require(CGImageDestinationCreateWithURL(url as CFURL, type as CFString, 1, nil))
            #expect(!FileManager.default.fileExists(atPath: url.path))
            let properties = [kCGImageDestinationLossyCompressionQuality: 0.8] as CFDictionary
            try CGImageDestinationAddImage(destination, Self.image(16, 16), properties)
            #expect(CGImageDestinationFinalize(destination))
            #expect(!CGImageDestinationFinalize(destination))
            #expect(try Data(contentsOf: url).prefix(4).map { Int($0) } == head)
        }
        #expect(CGImageDestinationCreateWithURL(NSURL(fileURLWithPath: "/tmp/x"), "public.tiff", 1, nil) == nil)
    }

    @Test func imageDestination_higherJPEGQuality_isLarger() throws {
        let sizes = try [0.1, 0.95].map { quality in
            let data = try #require(CFDataCreateMutable(nil, 0))
            let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg", 1, nil))
            CGImageDestinationAddImage(
                destination, try Self.image(24, 24),
                [kCGImageDestinationLossyCompressionQuality: quality] as CFDictionary)
            #expect(CGImageDestinationFinalize(destination))
            return CFDataGetLength(data)
        }
        #expect(sizes[0] < sizes[1])
    }

    @Test func cgColor_hasItsComponentsAndAlpha() throws {
        let colour = CGColor(red: 0.25, green: 0.5, blue: 1, alpha: 0.5)
        #expect(colour.components == [0.25, 0.5, 1, 0.5])
        #expect(try #require(colour.copy(alpha: 1)).alpha == 1)
        #expect(CGColor.black.numberOfComponents == 2 && CGColor.black != CGColor.white)
    }
}

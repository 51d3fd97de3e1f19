import CoreGraphics
import Foundation
import ImageIO
import TestSupport
import Testing

/// Tests of image files that are read and written.
@Suite struct CGImageSourceTests {
    /// A file that ffmpeg makes.
    private func file(_ name: String, _ filter: String) throws -> Data {
        let directory = try TemporaryDirectory()
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=48x32:d=1,format=\(filter)", "-frames:v",
            "1", "-q:v", "2", directory.path(name))
        try #require(made.status == 0, "\(made.errors)")
        return try Data(contentsOf: directory.file(name))
    }

    private func source(_ data: Data) throws -> CGImageSource {
        try #require(CGImageSourceCreateWithData(data as CFData, nil))
    }

    /// Red, green, blue and alpha as ffmpeg decodes them.
    private func decoded(_ file: Data) throws -> [UInt8] {
        let result = try Command.run(
            ["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgba", "-"],
            input: file)
        try #require(result.status == 0, "\(result.errors)")
        return Array(result.output)
    }

    /// The image as it was drawn, without padding.
    private func drawn(_ image: CGImage) throws -> [[UInt8]] {
        let bitmap = try DrawnBitmap(image.width, image.height, .rgba)
        bitmap.context.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
        return bitmap.pixels
    }

    /// A JPEG with an orientation: a marker after the first two bytes.
    private func oriented(_ jpeg: Data, _ orientation: UInt8) -> Data {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0,
        ]
        let data = [Array("Exif".utf8), [0, 0], tiff].flatMap { $0 }
        var file = Data(jpeg.prefix(2))
        file.append(contentsOf: [0xFF, 0xE1, 0, UInt8(data.count + 2)])
        file.append(contentsOf: data)
        file.append(jpeg.dropFirst(2))
        return file
    }

    @Test func imageSource_png_isDrawnAsFFmpegDecodesIt() throws {
        let file = try file("image.png", "rgb24")
        let source = try source(file)
        #expect(CGImageSourceGetType(source) == "public.png" && CGImageSourceGetCount(source) == 1)
        let options = [kCGImageSourceShouldCache: false] as CFDictionary
        let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, options))
        #expect(image.width == 48 && image.height == 32 && image.alphaInfo == .noneSkipLast)
        #expect(image.colorSpace?.name == CGColorSpace.sRGB)
        #expect(try drawn(image).flatMap { $0 } == decoded(file))
        #expect(CGImageSourceCreateImageAtIndex(source, 1, nil) == nil)
    }

    @Test func imageSource_fileAndProvider_areRead() throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("image.jpg")
        let jpeg = try file("image.jpg", "yuvj444p")
        try jpeg.write(to: url)
        let source = try #require(CGImageSourceCreateWithURL(url as CFURL, nil))
        #expect(CGImageSourceGetType(source) == "public.jpeg")
        let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
        let provider = try #require(CGDataProvider(data: jpeg as CFData))
        let other = try #require(CGImageSourceCreateWithDataProvider(provider, nil))
        let same = try #require(CGImageSourceCreateImageAtIndex(other, 0, nil))
        #expect(try drawn(image) == drawn(same))
        #expect(CGImageSourceCreateWithURL(directory.file("missing.png") as CFURL, nil) == nil)
        #expect(CGImageSourceCreateWithURL(directory.url as CFURL, nil) == nil)
    }

    @Test func copyProperties_namesSizeAndOrientation() throws {
        let jpeg = try file("image.jpg", "yuvj420p")
        let plain = try #require(CGImageSourceCopyPropertiesAtIndex(source(jpeg), 0, nil))
        #expect(number(plain, kCGImagePropertyPixelWidth) == 48 && number(plain, kCGImagePropertyPixelHeight) == 32)
        #expect(number(plain, kCGImagePropertyDepth) == 8 && number(plain, kCGImagePropertyHasAlpha) == 0)
        #expect(plain[kCGImagePropertyColorModel] as? String == kCGImagePropertyColorModelRGB)
        #expect(number(plain, kCGImagePropertyOrientation) == nil)
        let turned = try #require(CGImageSourceCopyPropertiesAtIndex(source(oriented(jpeg, 6)), 0, nil))
        #expect(number(turned, kCGImagePropertyOrientation) == Int(CGImagePropertyOrientation.right.rawValue))
        let gray = try #require(CGImageSourceCopyPropertiesAtIndex(source(file("gray.png", "gray")), 0, nil))
        #expect(gray[kCGImagePropertyColorModel] as? String == kCGImagePropertyColorModelGray)
    }

    private func number(_ properties: CFDictionary, _ key: CFString) -> Int? {
        (properties[key] as? NSNumber)?.intValue
    }

    @Test func imageSource_otherData_hasNoImages() throws {
        let head = try file("image.png", "rgb24").prefix(20)
        for data in [Data(), Data("no image".utf8), Data([0xFF, 0xD8, 0xFF]), head] {
            let source = try source(data)
            #expect(CGImageSourceGetCount(source) == 0 && CGImageSourceGetType(source) == nil)
            #expect(CGImageSourceCreateImageAtIndex(source, 0, nil) == nil)
            #expect(CGImageSourceCopyPropertiesAtIndex(source, 0, nil) == nil)
            let always = [kCGImageSourceCreateThumbnailFromImageAlways: true] as CFDictionary
            #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, always) == nil)
        }
    }

    @Test(arguments: [("image.png", "rgb24"), ("image.jpg", "yuvj420p")])
    func imageSource_truncatedFile_hasNoImage(_ name: String, _ format: String) throws {
        let whole = try file(name, format)
        for count in stride(from: 40, to: whole.count - 24, by: 31) {
            let image = try CGImageSourceCreateImageAtIndex(source(whole.prefix(count)), 0, nil)
            #expect(image == nil, "\(count) of \(whole.count) bytes")
        }
    }

    @Test func imageDestination_pngWithAlpha_keepsIt() throws {
        // Drawn, so premultiplied: half-transparent red beside opaque green, and nothing.
        let bitmap = try DrawnBitmap(3, 1)
        bitmap.context.setFillColor(red: 1, green: 0, blue: 0, alpha: 0.5)
        bitmap.context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
        bitmap.context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
        bitmap.context.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
        let data = try #require(CFDataCreateMutable(nil, 0))
        let destination = try #require(CGImageDestinationCreateWithData(data, "public.png", 1, nil))
        CGImageDestinationAddImage(destination, try #require(bitmap.context.makeImage()), nil)
        #expect(CGImageDestinationFinalize(destination))
        let file = Data(bytes: data.bytes, count: data.length)
        let expected: [UInt8] = [255, 0, 0, 128, 0, 255, 0, 255, 0, 0, 0, 0]
        #expect(try DrawnBitmap.isNear(decoded(file), expected))
        let image = try #require(CGImageSourceCreateImageAtIndex(source(file), 0, nil))
        #expect(image.alphaInfo == .last)
        #expect(try drawn(image) == bitmap.pixels)
    }

    @Test(arguments: [CGImageAlphaInfo.last, .premultipliedLast])
    func imageDestination_jpegOfTransparentImage_isOnBlack(_ alpha: CGImageAlphaInfo) throws {
        // Half-transparent white beside white that is not seen.
        let color: UInt8 = alpha == .last ? 255 : 128
        let image = try DrawnBitmap.image(16, 8, alpha) { x, _ in
            x < 8 ? [color, color, color, 128] : alpha == .last ? [255, 255, 255, 0] : [0, 0, 0, 0]
        }
        let data = try #require(CFDataCreateMutable(nil, 0))
        let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg", 1, nil))
        CGImageDestinationAddImage(destination, image, nil)
        #expect(CGImageDestinationFinalize(destination))
        let pixels = try decoded(Data(bytes: data.bytes, count: data.length))
        #expect(DrawnBitmap.isNear(Array(pixels[..<4]), [128, 128, 128, 255], by: 4))
        #expect(DrawnBitmap.isNear(Array(pixels[60..<64]), [0, 0, 0, 255], by: 4))
    }

    @Test(arguments: [0, 1, 6, 8, 9]) func imageDestination_orientation_isStoredInJPEG(_ orientation: Int) throws {
        let bitmap = try DrawnBitmap(64, 32, .rgbx)
        let data = try #require(CFDataCreateMutable(nil, 0))
        let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg", 1, nil))
        let properties = [kCGImagePropertyOrientation: NSNumber(value: orientation)] as NSDictionary
        CGImageDestinationAddImage(destination, try #require(bitmap.context.makeImage()), properties)
        #expect(CGImageDestinationFinalize(destination))
        let source = try source(Data(bytes: data.bytes, count: data.length))
        let read = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [String: Any]
        let isStored = (1...8).contains(orientation)
        #expect((read?[kCGImagePropertyOrientation] as? NSNumber)?.intValue == (isStored ? orientation : nil))
        let image = try #require(CGImageSourceCreateImageAtIndex(source, 0, nil))
        #expect(image.width == 64 && image.height == 32)
    }

    @Test(arguments: 1...8) func thumbnail_eachOrientation_isUpright(_ orientation: Int) throws {
        // Quarters of red, green, blue and white, as a camera stores them.
        let bitmap = try DrawnBitmap(64, 32, .rgbx)
        for (x, y, color) in [
            (0, 16, CGColor(red: 1, green: 0, blue: 0, alpha: 1)),
            (32, 16, CGColor(red: 0, green: 1, blue: 0, alpha: 1)),
            (0, 0, CGColor(red: 0, green: 0, blue: 1, alpha: 1)), (32, 0, CGColor.white),
        ] {
            bitmap.context.setFillColor(color)
            bitmap.context.fill(CGRect(x: x, y: y, width: 32, height: 16))
        }
        let data = try #require(CFDataCreateMutable(nil, 0))
        let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg", 1, nil))
        CGImageDestinationAddImage(destination, try #require(bitmap.context.makeImage()), nil)
        #expect(CGImageDestinationFinalize(destination))
        let file = oriented(Data(bytes: data.bytes, count: data.length), UInt8(orientation))
        let options: [String: Any] = [
            kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
            kCGImageSourceThumbnailMaxPixelSize: 32,
        ]
        let image = try #require(CGImageSourceCreateThumbnailAtIndex(source(file), 0, options as CFDictionary))
        let size = orientation < 5 ? [32, 16] : [16, 32]
        #expect([image.width, image.height] == size)
        let pixels = try drawn(image)
        /// The color in the middle of a quarter, as a letter.
        func letter(_ column: Int, _ row: Int) -> Character {
            let place = (2 * row + 1) * image.height / 4 * image.width + (2 * column + 1) * image.width / 4
            switch pixels[place].prefix(3).map({ $0 > 127 }) {
            case [true, false, false]: return "r"
            case [false, true, false]: return "g"
            case [false, false, true]: return "b"
            case [true, true, true]: return "w"
            default: return "?"
            }
        }
        let shown = String([letter(0, 0), letter(1, 0), letter(0, 1), letter(1, 1)])
        // The four corners, row by row, by the table of Exif 2.3.
        #expect(shown == ["rgbw", "grwb", "wbgr", "bwrg", "rbgw", "brwg", "wgbr", "gwrb"][orientation - 1])
    }

    @Test func thumbnail_ofImageTooLongToDraw_isNil() throws {
        let image = try DrawnBitmap.image(33_000, 1, .noneSkipLast) { _, _ in [255, 255, 255, 255] }
        let data = try #require(CFDataCreateMutable(nil, 0))
        let destination = try #require(CGImageDestinationCreateWithData(data, "public.jpeg", 1, nil))
        CGImageDestinationAddImage(destination, image, nil)
        #expect(CGImageDestinationFinalize(destination))
        let source = try source(Data(bytes: data.bytes, count: data.length))
        var options: [String: Any] = [kCGImageSourceCreateThumbnailFromImageAlways: true]
        #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)?.width == 33_000)
        options[kCGImageSourceThumbnailMaxPixelSize] = 100
        #expect(CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary) == nil)
    }

    @Test func thumbnail_options_areObeyed() throws {
        let source = try source(oriented(file("image.jpg", "yuvj420p"), 6))
        func size(_ options: [String: Any]) -> [Int]? {
            CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary).map { [$0.width, $0.height] }
        }
        let always = kCGImageSourceCreateThumbnailFromImageAlways as String
        #expect(size([:]) == nil && size([always: false]) == nil)
        #expect(size([always: true]) == [48, 32])
        #expect(size([always: true, kCGImageSourceThumbnailMaxPixelSize as String: 24]) == [24, 16])
        #expect(size([always: true, kCGImageSourceThumbnailMaxPixelSize as String: 900]) == [48, 32])
        #expect(size([always: true, kCGImageSourceThumbnailMaxPixelSize as String: -1]) == [48, 32])
        #expect(
            size([
                kCGImageSourceCreateThumbnailFromImageIfAbsent as String: true,
                kCGImageSourceCreateThumbnailWithTransform as String: true,
            ]) == [32, 48])
    }
}

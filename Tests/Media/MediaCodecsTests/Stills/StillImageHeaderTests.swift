import Foundation
import MediaTypes
import Testing

@testable import MediaCodecs

/// Tests of the facts that are read from image files without decoding them.
@Suite struct StillImageHeaderTests {
    private func header(_ bytes: [UInt8]) -> StillImageHeader? { bytes.withUnsafeBytes { StillImageHeader($0) } }

    private func joined(_ parts: [[UInt8]]) -> [UInt8] { parts.flatMap { $0 } }

    private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        joined([[0, 0, 0, UInt8(data.count)], Array(type.utf8), data, [0, 0, 0, 0]])
    }

    private func png(depth: UInt8, color: UInt8, _ more: [UInt8] = []) -> [UInt8] {
        joined([
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            chunk("IHDR", [0, 0, 1, 0x40, 0, 0, 0, 9, depth, color, 0, 0, 0]), more, chunk("IDAT", []),
        ])
    }

    /// An APP1 marker with the orientation.
    private func exif(_ orientation: UInt8, isLittle: Bool) -> [UInt8] {
        func number(_ value: UInt8, _ count: Int) -> [UInt8] {
            let zeros = [UInt8](repeating: 0, count: count - 1)
            return isLittle ? [value] + zeros : zeros + [value]
        }
        let data = joined([
            Array("Exif".utf8), [0, 0], Array((isLittle ? "II" : "MM").utf8), number(42, 2), number(8, 4), number(1, 2),
            isLittle ? [0x12, 0x01] : [0x01, 0x12], number(3, 2), number(1, 4), number(orientation, 2), [0, 0],
        ])
        return joined([[0xFF, 0xE1, 0, UInt8(data.count + 2)], data])
    }

    private func jpeg(_ more: [UInt8] = [], components: UInt8 = 3) -> [UInt8] {
        joined([
            [0xFF, 0xD8], more, [0xFF, 0xC2, 0, 17, 8, 0, 9, 1, 0x40, components], [UInt8](repeating: 0, count: 9),
        ])
    }

    @Test func header_eachKindOfPNG_isRead() throws {
        for (depth, color, bits, isGray, hasAlpha) in [
            (8, 0, 8, true, false), (16, 2, 16, false, false), (2, 3, 8, false, false), (8, 4, 8, true, true),
            (16, 6, 16, false, true),
        ] as [(UInt8, UInt8, Int, Bool, Bool)] {
            let read = try #require(header(png(depth: depth, color: color)))
            #expect(read.format == .png && read.width == 320 && read.height == 9 && read.bitDepth == bits)
            #expect(read.isGray == isGray && read.hasAlpha == hasAlpha && read.orientation == nil)
        }
        #expect(header(png(depth: 8, color: 3, chunk("PLTE", [1, 2, 3]) + chunk("tRNS", [9])))?.hasAlpha == true)
    }

    @Test func header_eachOrientationOfJPEG_isRead() throws {
        #expect(header(jpeg())?.orientation == nil)
        #expect(header(jpeg(components: 1))?.isGray == true)
        for orientation in 1...8 {
            for isLittle in [false, true] {
                let read = try #require(header(jpeg(exif(UInt8(orientation), isLittle: isLittle))))
                #expect(read.format == .jpeg && read.width == 320 && read.height == 9 && read.bitDepth == 8)
                #expect(read.orientation == orientation && !read.isGray && !read.hasAlpha)
            }
        }
        #expect(header(jpeg(exif(9, isLittle: false)))?.orientation == nil)
    }

    @Test func header_jpegInArithmeticCoding_isRecognized() throws {
        for (marker, expected) in [(0xC0, false), (0xC2, false), (0xC9, true), (0xCA, true)] as [(UInt8, Bool)] {
            var file = jpeg()
            file[3] = marker
            #expect(try #require(header(file)).usesArithmeticCoding == expected)
        }
    }

    @Test func header_truncatedOrDamagedAnywhere_isNilOrRead() {
        let files = [
            png(depth: 8, color: 3, chunk("PLTE", [1, 2, 3])), jpeg(exif(6, isLittle: true)),
            jpeg(exif(6, isLittle: false)),
        ]
        for file in files {
            for count in 0..<12 { #expect(header(Array(file[..<count])) == nil) }
            for count in 12..<file.count {
                _ = header(Array(file[..<count]))
                for value in [UInt8(0), 0x7F, 0xFF] {
                    var damaged = file
                    damaged[count] = value
                    _ = header(damaged)
                }
            }
        }
        #expect(header([]) == nil && header(Array("GIF89a, and so on".utf8)) == nil)
    }
}

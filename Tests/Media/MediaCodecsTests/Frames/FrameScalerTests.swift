import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests that scaled frames equal ffmpeg's.
@Suite struct FrameScalerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var format: PixelFormat
        var from: [Int]
        var to: [Int]
        var testDescription: String { "\(format) \(from) to \(to)" }
    }

    static let cases = PixelFormat.allCases.flatMap { format in
        [
            Case(format: format, from: [320, 240], to: [160, 120]),
            Case(format: format, from: [320, 240], to: [96, 72]),
            Case(format: format, from: [160, 120], to: [320, 240]),
            Case(format: format, from: [160, 120], to: [200, 150]),
            Case(format: format, from: [160, 120], to: [480, 360]),
            Case(format: format, from: [240, 160], to: [160, 128]),
            // ffmpeg scales packed frames of odd width differently.
            format.planar == .i422 && format != .i422 ? nil : Case(format: format, from: [161, 121], to: [67, 51]),
        ].compactMap { $0 }
    }

    @Test(arguments: cases) func scale_anySize_equalsFFmpeg(_ item: Case) throws {
        // No edges as sharp as a pixel: programs may spread those differently.
        let pattern = "testsrc=s=\(item.from[0])x\(item.from[1]):d=0.04,gblur=sigma=3"
        let source = try #require(
            JudgedFrame.make(pattern, item.format, width: item.from[0], height: item.from[1]).first)
        let flags = item.to[0] < item.from[0] ? "area" : "bilinear"
        let expected = try #require(
            JudgedFrame.filter(
                [source], "scale=\(item.to[0]):\(item.to[1]):flags=\(flags)+accurate_rnd", width: item.to[0],
                height: item.to[1]
            ).first)
        let result = try FrameScaler().scale(source, width: item.to[0], height: item.to[1])
        #expect(result.format == item.format && result.width == item.to[0] && result.height == item.to[1])
        let likeness = JudgedFrame.likeness(result, expected)
        // For RGB of odd width ffmpeg uses only every other pixel's color.
        #expect(likeness > (item.format.isRGB && item.from[0] % 2 == 1 ? 31 : 45), "\(likeness) dB")
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .bgra, .i010]) func scale_flatFrame_keepsItsBrightness(
        format: PixelFormat
    ) throws {
        let source = white(format, 1000, 600, isFullRange: false)
        for (width, height) in [(40, 20), (37, 23), (3, 2), (1, 1), (999, 3), (1500, 10), (1777, 1333)] {
            let result = try FrameScaler().scale(source, width: width, height: height)
            let (x, y) = (width / 2, height / 2)
            let luma = format == .i010 ? result.word(0, x, y) / 4 : result.byte(0, format == .bgra ? x * 4 : x, y)
            #expect(abs(luma - 235) <= 1, "\(luma) of \(width)×\(height)")
        }
    }

    @Test(arguments: [PixelFormat.gray8, .i010], [[67, 51], [1, 1], [80, 7], [161, 40], [53, 121], [3, 60]])
    func scale_smaller_isTheMeanOfTheCoveredPixels(format: PixelFormat, size: [Int]) throws {
        let (width, height) = (161, 121)
        let isDeep = format.bitDepth > 8
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height))
        let noise = SyntheticMedia.noise(width * height, seed: 7)
        for plane in buffer.layout.planes.indices {
            let bytes = buffer.plane(plane)
            for index in bytes.indices {
                let value = Int(noise[(isDeep ? index / 2 : index) % noise.count]) * (isDeep ? 4 : 1)
                bytes[index] = UInt8(isDeep && index % 2 == 1 ? value >> 8 : value & 0xFF)
            }
        }
        let source = buffer.finish()
        func sample(_ frame: PixelBuffer, _ x: Int, _ y: Int) -> Double {
            Double(isDeep ? frame.word(0, x, y) : frame.byte(0, x, y))
        }
        let result = try FrameScaler().scale(source, width: size[0], height: size[1])
        // The share of each source sample that a pixel covers, along one side.
        func cover(_ place: Int, _ from: Int, _ to: Int) -> [(Int, Double)] {
            let (start, end) = (Double(place * from) / Double(to), Double((place + 1) * from) / Double(to))
            return (Int(start)..<min(from, Int(end.rounded(.up)))).map {
                ($0, (min(end, Double($0 + 1)) - max(start, Double($0))) / (end - start))
            }
        }
        for (x, y) in [(0, 0), (size[0] - 1, size[1] - 1), (size[0] / 2, size[1] / 3), (size[0] / 5, size[1] / 2)] {
            var mean = 0.0
            for (row, high) in cover(y, height, size[1]) {
                for (column, wide) in cover(x, width, size[0]) { mean += sample(source, column, row) * wide * high }
            }
            #expect(abs(sample(result, x, y) - mean) <= (isDeep ? 6 : 1.6), "\(sample(result, x, y)) for \(mean)")
        }
    }

    @Test func scale_sameSize_returnsTheFrameItself() throws {
        let scaler = FrameScaler()
        for format in PixelFormat.allCases {
            let source = MutablePixelBuffer(layout: PixelLayout(format: format, width: 64, height: 48)).finish()
            #expect(try scaler.scale(source, width: 64, height: 48).data === source.data)
        }
        #expect(scaler.allocationCount == 0)
    }

    @Test(arguments: PixelFormat.allCases) func scale_manyFrames_reusesMemory(format: PixelFormat) throws {
        let scaler = FrameScaler()
        let source = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: 64, height: 48), color: .bt709
        ).finish()
        for _ in 0..<3 { _ = try scaler.scale(source, width: 40, height: 30) }
        let before = scaler.allocationCount
        for _ in 0..<30 { #expect(try scaler.scale(source, width: 40, height: 30).color == .bt709) }
        #expect(scaler.allocationCount == before)
    }

    @Test(arguments: PixelFormat.allCases) func scale_crop_isThatPartOfTheFrame(format: PixelFormat) throws {
        let source = try #require(
            JudgedFrame.make("testsrc2=s=160x120:d=0.04", format, width: 160, height: 120).first)
        let result = try FrameScaler().scale(
            source, width: 64, height: 48, crop: PixelRectangle(x: 32, y: 40, width: 64, height: 48))
        let expected = try JudgedFrame.filter([source], "crop=64:48:32:40", width: 64, height: 48)
        #expect(JudgedFrame.likeness(result, try #require(expected.first)) == 99)
        // After scaling too, no sample from outside the crop is used.
        let small = try FrameScaler().scale(
            source, width: 32, height: 24, crop: PixelRectangle(x: 32, y: 40, width: 64, height: 48))
        let expectedSmall = try FrameScaler().scale(result, width: 32, height: 24)
        #expect(JudgedFrame.likeness(small, expectedSmall) == 99)
    }

    @Test func scale_cropAtOddOffset_isExactInLuma() throws {
        let source = try #require(
            JudgedFrame.make("testsrc2=s=160x120:d=0.04", .i420, width: 160, height: 120).first)
        let result = try FrameScaler().scale(
            source, width: 61, height: 45, crop: PixelRectangle(x: 33, y: 41, width: 61, height: 45))
        for (x, y) in [(0, 0), (60, 44), (30, 7), (1, 43)] {
            #expect(result.byte(0, x, y) == source.byte(0, x + 33, y + 41))
            #expect(result.byte(1, x / 2, y / 2) == source.byte(1, x / 2 + 16, y / 2 + 20))
        }
        // The last column and row of an odd frame can be cropped.
        let odd = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: 33, height: 21)).finish()
        let corner = try FrameScaler().scale(
            odd, width: 3, height: 3, crop: PixelRectangle(x: 30, y: 18, width: 3, height: 3))
        #expect(corner.width == 3 && corner.height == 3)
    }

    @Test func scale_invalidSizeOrCrop_isRefused() throws {
        let source = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: 64, height: 48)).finish()
        for (width, height) in [(0, 10), (10, -1), (40_000, 10), (10, Int.max)] {
            let error = #expect(throws: MediaError.self) {
                try FrameScaler().scale(source, width: width, height: height)
            }
            #expect(error?.code == .invalidSettings && error?.description.contains("\(width)×\(height)") == true)
        }
        for crop in [
            PixelRectangle(x: 60, width: 10, height: 10), PixelRectangle(x: -2, width: 10, height: 10),
            PixelRectangle(width: 0, height: 10), PixelRectangle(y: Int.max, width: 10, height: 10),
            PixelRectangle(width: Int.max, height: 10),
        ] {
            let error = #expect(throws: MediaError.self) {
                try FrameScaler().scale(source, width: 10, height: 10, crop: crop)
            }
            #expect(error?.code == .invalidSettings)
        }
    }

    @Test func scale_rowsTooShort_isRefused() {
        let plane = PixelLayout.Plane(offset: 0, bytesPerRow: 16, rows: 48)
        let layout = PixelLayout(format: .i420, width: 64, height: 48, planes: [plane, plane, plane])
        let source = MutablePixelBuffer(layout: layout).finish()
        let error = #expect(throws: MediaError.self) { try FrameScaler().scale(source, width: 32, height: 24) }
        #expect(error?.code == .invalidSample)
    }

    private func white(_ format: PixelFormat, _ width: Int, _ height: Int, isFullRange: Bool) -> PixelBuffer {
        let buffer = MutablePixelBuffer(
            layout: PixelLayout(format: format, width: width, height: height),
            color: ColorDescription(isFullRange: isFullRange))
        for plane in buffer.layout.planes.indices {
            let bytes = buffer.plane(plane)
            if format.bitDepth > 8 {
                for index in stride(from: 0, to: bytes.count, by: 2) {
                    let value = (plane == 0 ? 940 : 512) << (format == .p010 ? 6 : 0)
                    (bytes[index], bytes[index + 1]) = (UInt8(value & 0xFF), UInt8(value >> 8))
                }
            } else {
                for index in bytes.indices {
                    let isLuma =
                        format.isRGB || format == .yuyv && index % 2 == 0 || format == .uyvy && index % 2 == 1
                        || (format != .yuyv && format != .uyvy && plane == 0)
                    bytes[index] = isLuma ? 235 : 128
                }
            }
        }
        return buffer.finish()
    }
}

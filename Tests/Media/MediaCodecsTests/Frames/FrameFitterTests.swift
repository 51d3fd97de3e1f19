import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests of frames fitted to a track's size and colors, checked by arithmetic and with ffmpeg.
@Suite struct FrameFitterTests {
    typealias Mode = VideoSettings.ScalingMode

    private func fitter(
        _ width: Int, _ height: Int, _ mode: Mode = .resize, color: ColorDescription? = nil, bitDepth: Int = 10
    ) -> FrameFitter {
        FrameFitter(FrameGeometry(width: width, height: height), mode: mode, color: color, bitDepth: bitDepth)
    }

    /// A flat frame of luma and chroma, or of RGB levels.
    private func flat(
        _ format: PixelFormat, _ width: Int, _ height: Int, _ samples: [UInt8], _ color: ColorDescription = .bt601
    ) throws -> PixelBuffer {
        let source = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: width, height: height), color: color)
        for plane in 0..<3 { _ = source.plane(plane).initializeMemory(as: UInt8.self, repeating: samples[plane]) }
        return try PixelConverter().convert(source.finish(), to: format)
    }

    private func rgb(_ format: PixelFormat, _ width: Int, _ height: Int, _ levels: [UInt8]) -> PixelBuffer {
        let color = ColorDescription(primaries: 1, transfer: 1, matrix: 0, isFullRange: true)
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height), color: color)
        let pixel: [UInt8] =
            switch format {
            case .bgra: [levels[2], levels[1], levels[0], 255]
            case .argb: [255] + levels
            case .rgba: levels + [255]
            default: levels
            }
        let plane = buffer.plane(0)
        for place in plane.indices { plane[place] = pixel[place % pixel.count] }
        return buffer.finish()
    }

    @Test(arguments: PixelFormat.allCases, VideoSettings.ScalingMode.allCases)
    func fit_sameSize_returnsTheFrameItself(format: PixelFormat, mode: VideoSettings.ScalingMode) throws {
        let fitter = fitter(64, 48, mode)
        let source = try flat(format, 64, 48, [100, 110, 120])
        #expect(try fitter.fit(source).data === source.data && fitter.allocationCount == 0)
    }

    @Test(arguments: PixelFormat.allCases, [false, true])
    func fit_letterbox_isBlackInTheRangeOfTheFrame(format: PixelFormat, isFullRange: Bool) throws {
        // 2:1 in 4:3: bars of 160 × 20 above and below.
        var color = ColorDescription.bt601
        color.isFullRange = isFullRange
        let source = try flat(format, 80, 40, [235, 128, 128], color)
        let result = try fitter(160, 120, .resizeAspect, bitDepth: 8).fit(source)
        #expect(result.format == .i420 && result.width == 160 && result.height == 120)
        // Full-range RGB becomes limited: 235 of 255 levels is 218.
        let white = format.isRGB ? (isFullRange ? 218 : 235) : 235
        let black = isFullRange && !format.isRGB ? 0 : 16
        #expect([0, 10, 19, 100, 119].map { result.byte(0, 80, $0) } == [Int](repeating: black, count: 5))
        #expect([20, 60, 99].allSatisfy { abs(result.byte(0, 80, $0) - white) <= 1 })
        for plane in 1...2 {
            #expect((0..<60).allSatisfy { abs(result.byte(plane, 40, $0) - 128) <= (format.isRGB ? 1 : 0) })
        }
    }

    @Test(arguments: [(160, 90), (318, 90), (320, 44)], VideoSettings.ScalingMode.allCases)
    func fit_smallerNV12_equalsTheSamePlanarFrame(size: (Int, Int), mode: VideoSettings.ScalingMode) throws {
        let target = MutablePixelBuffer(layout: PixelLayout(format: .nv12, width: 320, height: 180), color: .bt709)
        for plane in 0..<2 {
            let samples = target.plane(plane)
            for place in samples.indices { samples[place] = UInt8(truncatingIfNeeded: place &* 2_654_435_761 >> 13) }
        }
        let source = target.finish()
        let planar = try PixelConverter().convert(source, to: .i420)
        let expected = try fitter(size.0, size.1, mode).fit(planar)
        let result = try fitter(size.0, size.1, mode).fit(source)
        #expect(result.format == .i420 && result.width == expected.width && result.color == expected.color)
        for plane in 0..<3 {
            let (width, height) = plane == 0 ? size : (size.0 / 2, size.1 / 2)
            for row in 0..<height {
                #expect((0..<width).allSatisfy { result.byte(plane, $0, row) == expected.byte(plane, $0, row) })
            }
        }
    }

    @Test func fit_tenBits_keepsThemForATenBitTrack() throws {
        for format in [PixelFormat.p010, .i010] {
            let source = try flat(format, 80, 40, [100, 110, 120])
            let deep = try fitter(40, 20).fit(source)
            #expect(deep.format == .i010 && deep.word(0, 20, 10) == 400 && deep.word(1, 10, 5) == 440)
            let shallow = try fitter(40, 20, bitDepth: 8).fit(source)
            #expect(shallow.format == .i420 && shallow.byte(0, 20, 10) == 100)
        }
    }

    @Test(
        arguments: [PixelFormat.bgra, .argb, .rgba, .rgb24], [ColorDescription.bt601, .bt709, Self.bt2020, Self.full])
    func fit_rgb_getsTheMatrixAndRangeOfTheTrack(format: PixelFormat, color: ColorDescription) throws {
        for levels in [[255, 0, 0], [0, 255, 0], [0, 0, 255], [200, 120, 40], [128, 128, 128]] as [[UInt8]] {
            let expected = FrameColorMatcher.samples(
                Double(levels[0]) / 255, Double(levels[1]) / 255, Double(levels[2]) / 255, in: color, height: 48)
            for (width, height) in [(64, 48), (63, 47), (32, 24)] {
                let fitted = try fitter(64, 48, color: color).fit(rgb(format, width, height, levels))
                let result = try PixelConverter().convert(fitted, to: .i420)
                for plane in 0..<3 {
                    let off = abs(result.byte(plane, 20, 20) - Int(expected[plane]))
                    #expect(off <= 3, "\(levels), plane \(plane): \(result.byte(plane, 20, 20)) for \(expected[plane])")
                }
            }
        }
    }

    private static let bt2020 = ColorDescription(primaries: 9, transfer: 14, matrix: 9)
    private static let full = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true)

    @Test func fit_knownMatrix_becomesThatOfTheTrack() throws {
        // Pure red in each matrix.
        let red601 = FrameColorMatcher.samples(1, 0, 0, in: .bt601, height: 48)
        let red709 = FrameColorMatcher.samples(1, 0, 0, in: .bt709, height: 48)
        for format in [PixelFormat.i420, .nv12, .yuyv, .i422, .p010] {
            let result = try fitter(64, 48, color: .bt709).fit(flat(format, 64, 48, red601))
            for plane in 0..<3 { #expect(abs(result.byte(plane, 8, 8) - Int(red709[plane])) <= 1) }
            // Without color tags the colors are the track's.
            let unnamed = try flat(format, 64, 48, red601, ColorDescription())
            #expect(try fitter(64, 48, color: .bt709).fit(unnamed).data === unnamed.data)
        }
    }

    @Test func fit_unknownMatrixInASmallerTrack_keepsItsColors() throws {
        // Frames of 720 rows and more are assumed to be BT.709, smaller ones BT.601.
        let red709 = FrameColorMatcher.samples(1, 0, 0, in: .bt709, height: 48)
        let red601 = FrameColorMatcher.samples(1, 0, 0, in: .bt601, height: 48)
        let large = try flat(.nv12, 1280, 720, red709, ColorDescription())
        let result = try fitter(640, 360, color: ColorDescription()).fit(large)
        for plane in 0..<3 { #expect(abs(result.byte(plane, 8, 8) - Int(red601[plane])) <= 1) }
        #expect(try fitter(640, 360).fit(large).color.matrix == 1)
    }

    @Test(arguments: PixelFormat.allCases, VideoSettings.ScalingMode.allCases)
    func fit_manyFrames_reusesMemory(format: PixelFormat, mode: VideoSettings.ScalingMode) throws {
        let fitter = fitter(40, 32, mode, color: .bt709)
        let source = try flat(format, 64, 48, [100, 110, 120])
        for _ in 0..<3 { _ = try fitter.fit(source) }
        let before = fitter.allocationCount
        for _ in 0..<30 { _ = try fitter.fit(source) }
        #expect(fitter.allocationCount == before)
    }

    @Test func fit_anySizeAspectAndLayout_getsTheSizeOfTheTrack() throws {
        var numbers = SeededRandom(seed: 11)
        for _ in 0..<600 {
            let (width, height) = (Int.random(in: 1...140, using: &numbers), Int.random(in: 1...140, using: &numbers))
            let frame = (Int.random(in: 1...70, using: &numbers) * 2, Int.random(in: 1...70, using: &numbers) * 2)
            let format = try #require(PixelFormat.allCases.randomElement(using: &numbers))
            let mode = try #require(Mode.allCases.randomElement(using: &numbers))
            let aspect = Ratio(.random(in: 1...40, using: &numbers), .random(in: 1...40, using: &numbers))
            let aperture = CleanAperture(
                width: .random(in: -5...150, using: &numbers), height: .random(in: -5...150, using: &numbers),
                horizontalOffset: .random(in: -9...9, using: &numbers))
            let layout = PixelLayout(
                format: format, width: width, height: height, alignment: 1 << Int.random(in: 0...6, using: &numbers))
            let buffer = MutablePixelBuffer(
                layout: layout, color: Bool.random(using: &numbers) ? .bt601 : ColorDescription())
            for plane in layout.planes.indices {
                let rows = buffer.plane(plane)
                rows.copyBytes(from: SyntheticMedia.noise(rows.count, seed: UInt64(width + plane)))
            }
            let fitter = FrameFitter(
                FrameGeometry(width: frame.0, height: frame.1), mode: mode,
                color: Bool.random(using: &numbers) ? .bt709 : nil, bitDepth: Bool.random(using: &numbers) ? 8 : 10)
            let result = try fitter.fit(buffer.finish(), pixelAspectRatio: aspect, cleanAperture: aperture)
            #expect(result.width == frame.0 && result.height == frame.1 && result.layout.holdsWholeFrame)
        }
    }

    @Test func fit_invalidFrame_namesItsSize() throws {
        let plane = PixelLayout.Plane(offset: 0, bytesPerRow: 16, rows: 48)
        let before = PixelLayout.Plane(offset: -64, bytesPerRow: 64, rows: 48)
        for planes in [[plane, plane, plane], [plane], [], [before, before, before]] {
            let layout = PixelLayout(format: .i420, width: 64, height: 48, planes: planes)
            let error = #expect(throws: MediaError.self) {
                _ = try fitter(32, 24).fit(MutablePixelBuffer(layout: layout).finish())
            }
            #expect(error?.code == .invalidSample)
        }
        for (width, height) in [(0, 48), (64, 0), (-4, 4), (40_000, 2), (Int.max, 1), (1, Int.min)] {
            let layout = PixelLayout(format: .i420, width: width, height: height, planes: [])
            let error = #expect(throws: MediaError.self) {
                _ = try fitter(32, 24).fit(PixelBuffer(layout: layout, data: MediaData([])))
            }
            #expect(error?.code == .invalidSample && error?.description.contains("\(width)×\(height)") == true)
        }
    }
}

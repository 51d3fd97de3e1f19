import MediaTypes
import Testing

@testable import MediaCodecs

/// Tests that composed frames have the calculated colors, at the right places.
@Suite struct FrameCompositorTests {
    /// A flat frame of luma and chroma.
    private func flat(
        _ luma: Int, _ cb: Int = 128, _ cr: Int = 128, _ format: PixelFormat = .i420, width: Int = 40, height: Int = 30,
        color: ColorDescription = .bt601
    ) throws -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: width, height: height), color: color)
        for (plane, value) in [luma, cb, cr].enumerated() {
            for index in buffer.plane(plane).indices { buffer.plane(plane)[index] = UInt8(value) }
        }
        return try PixelConverter().convert(buffer.finish(), to: format)
    }

    private func rgb(_ b: Int, _ g: Int, _ r: Int, _ a: Int, width: Int = 40, height: Int = 30) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .bgra, width: width, height: height))
        let bytes = buffer.plane(0)
        for index in bytes.indices { bytes[index] = UInt8([b, g, r, a][index % 4]) }
        return buffer.finish()
    }

    private func place(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> FrameLayer.Place {
        FrameLayer.Place(x: x, y: y, width: width, height: height)
    }

    private func at(_ frame: PixelBuffer, _ x: Int, _ y: Int) -> [Int] {
        [frame.byte(0, x, y), frame.byte(1, x / 2, y / 2), frame.byte(2, x / 2, y / 2)]
    }

    private func isNear(_ one: [Int], _ other: [Int], _ tolerance: Int = 1) -> Bool {
        zip(one, other).allSatisfy { abs($0 - $1) <= tolerance }
    }

    private func compositor(_ color: ColorDescription = .bt601) throws -> FrameCompositor {
        try FrameCompositor(width: 160, height: 120, color: color)
    }

    @Test func compose_anyRGBFormat_looksTheSame() throws {
        let (under, over) = try (flat(100, 90, 170), rgb(30, 120, 220, 128))
        func composed(_ layer: PixelBuffer) throws -> PixelBuffer {
            try compositor().compose([
                FrameLayer(under, place: place(0, 0, 160, 120)), FrameLayer(layer, place: place(21, 15, 70, 50)),
            ])
        }
        let expected = try composed(over)
        for format in [PixelFormat.argb, .rgba] {
            let layer = try PixelConverter().convert(over, to: format)
            let likeness = JudgedFrame.likeness(try composed(layer), expected)
            #expect(likeness == 99, "\(format): \(likeness) dB")
        }
        // Without alpha the layer is opaque.
        let opaque = try composed(try PixelConverter().convert(over, to: .rgb24))
        #expect(JudgedFrame.likeness(opaque, try composed(rgb(30, 120, 220, 255))) == 99)
    }

    @Test func compose_layer_coversExactlyItsPlace() throws {
        // Even, odd, between pixels, over the edges.
        for (x, y, width, height) in [
            (20, 30, 60, 40), (21, 31, 61, 41), (0, 0, 160, 120), (-10, -7, 30, 20), (140, 100, 60, 60),
            (33, 17, 1, 1), (159, 119, 9, 9), (-500, -500, 2000, 2000),
        ] {
            let result = try compositor().compose(
                [
                    FrameLayer(
                        flat(200, 90, 170),
                        place: place(Double(x) + 0.3, Double(y) - 0.2, Double(width), Double(height))
                    )
                ], over: (0, 0, 0))
            for row in 0..<120 {
                for column in 0..<160 {
                    let isInside = column >= x && column < x + width && row >= y && row < y + height
                    let isRight =
                        isInside ? isNear([result.byte(0, column, row)], [200]) : result.byte(0, column, row) == 16
                    guard isRight else {
                        Issue.record(
                            "\(x), \(y), \(width)×\(height): \(result.byte(0, column, row)) at \(column), \(row)")
                        return
                    }
                    // Chroma samples inside have the layer's color and those outside have none; those at its edge are
                    // between.
                    guard column % 2 == 0, row % 2 == 0 else { continue }
                    let covered = (0..<4).count { index in
                        let (x1, y1) = (column + index % 2, row + index / 2)
                        return x1 >= x && x1 < x + width && y1 >= y && y1 < y + height
                    }
                    let cb = result.byte(1, column / 2, row / 2)
                    let expected = 128 + (90 - 128) * covered / 4
                    guard abs(cb - expected) <= 1 else {
                        Issue.record(
                            "\(x), \(y), \(width)×\(height): chroma \(cb), not \(expected) at \(column), \(row)")
                        return
                    }
                }
            }
        }
    }

    @Test func compose_oddSize_isDrawnToTheLastPixel() throws {
        let compositor = try FrameCompositor(width: 161, height: 121, color: .bt601)
        for opacity in [1, 0.5] {
            let result = try compositor.compose(
                [FrameLayer(flat(200, 60, 200), place: place(0, 0, 161, 121), opacity: opacity)], over: (1, 1, 1))
            let expected = opacity == 1 ? [200, 60, 200] : [218, 94, 164]
            for (x, y) in [(0, 0), (160, 0), (0, 120), (160, 120), (80, 60), (159, 119)] {
                #expect(isNear(at(result, x, y), expected), "\(x), \(y): \(at(result, x, y))")
            }
        }
    }

    @Test func compose_overlappingLayers_showsTheUppermost() throws {
        let (dark, light) = (try flat(60), try flat(220))
        let (left, right) = (place(0, 0, 100, 120), place(60, 0, 100, 120))
        let one = try compositor().compose([FrameLayer(dark, place: left), FrameLayer(light, place: right)])
        #expect(one.byte(0, 80, 60) == 220 && one.byte(0, 20, 60) == 60)
        let other = try compositor().compose([FrameLayer(light, place: right), FrameLayer(dark, place: left)])
        #expect(other.byte(0, 80, 60) == 60 && other.byte(0, 140, 60) == 220)
    }

    @Test func compose_opacity_mixesWithTheLayerBelow() throws {
        for opacity in [0, 0.25, 0.5, 1] {
            let result = try compositor().compose(
                [
                    FrameLayer(flat(40, 100, 200), place: place(0, 0, 160, 120)),
                    FrameLayer(flat(200, 180, 60), place: place(20, 20, 80, 60), opacity: opacity),
                ])
            func mixed(_ below: Double, _ above: Double) -> Int { Int((below + (above - below) * opacity).rounded()) }
            #expect(isNear(at(result, 50, 50), [mixed(40, 200), mixed(100, 180), mixed(200, 60)]), "\(opacity)")
            #expect(at(result, 130, 100) == [40, 100, 200])
        }
    }

    @Test func compose_background_hasTheColorTagsOfTheResult() throws {
        func background(_ color: ColorDescription, _ red: Double, _ green: Double, _ blue: Double) throws -> [Int] {
            at(try compositor(color).compose([], over: (red, green, blue)), 80, 60)
        }
        #expect(try background(.bt601, 0, 0, 0) == [16, 128, 128])
        #expect(try background(.bt601, 1, 1, 1) == [235, 128, 128])
        #expect(try background(.bt601, 1, 0, 0) == [81, 90, 240])
        #expect(try background(.bt709, 1, 0, 0) == [63, 102, 240])
        #expect(try background(.bt709, 0, 0, 1) == [32, 240, 118])
        #expect(try background(JPEGDecoder.color, 1, 1, 1) == [255, 128, 128])
    }

    @Test func compose_layerWithOtherColorTags_looksTheSame() throws {
        let full = ColorDescription(primaries: 6, transfer: 6, matrix: 6, isFullRange: true)
        // Red, green and blue in each, by ITU-R BT.601 and BT.709.
        let reds: [(ColorDescription, [Int])] = [
            (.bt601, [81, 90, 240]), (.bt709, [63, 102, 240]), (full, [76, 85, 255]),
        ]
        let greens: [(ColorDescription, [Int])] = [
            (.bt601, [145, 54, 34]), (.bt709, [173, 42, 26]), (full, [150, 44, 21]),
        ]
        for colors in [reds, greens] {
            for (from, numbers) in colors {
                for (to, expected) in colors {
                    let layer = try flat(numbers[0], numbers[1], numbers[2], color: from)
                    let result = try compositor(to).compose([FrameLayer(layer, place: place(0, 0, 160, 120))])
                    #expect(isNear(at(result, 80, 60), expected, 2), "\(from) to \(to): \(at(result, 80, 60))")
                    #expect(result.color == to)
                }
            }
        }
        // RGB, which libyuv converts only to BT.601.
        let red = rgb(0, 0, 255, 255)
        let result = try compositor(.bt709).compose([FrameLayer(red, place: place(0, 0, 160, 120))])
        #expect(isNear(at(result, 80, 60), [63, 102, 240], 2), "\(at(result, 80, 60))")
    }

    @Test(arguments: PixelFormat.allCases) func compose_anyPixelFormat_isDrawn(format: PixelFormat) throws {
        let layer = try flat(120, 100, 160, format)
        let result = try compositor().compose([FrameLayer(layer, place: place(40, 40, 80, 60))])
        #expect(isNear(at(result, 80, 60), format == .gray8 ? [120, 128, 128] : [120, 100, 160], 2))
        #expect(at(result, 10, 10) == [16, 128, 128])
    }

    @Test func compose_alpha_showsTheLayerBelow() throws {
        for (alpha, opacity) in [(0, 1.0), (128, 1), (255, 1), (255, 0.5), (128, 0.5)] {
            let result = try compositor().compose(
                [
                    FrameLayer(flat(40), place: place(0, 0, 160, 120)),
                    FrameLayer(rgb(255, 255, 255, alpha), place: place(21, 21, 81, 61), opacity: opacity),
                ])
            let share = Double(alpha) / 255 * opacity
            #expect(isNear(at(result, 50, 50), [Int(40 + (235 - 40) * share), 128, 128], 2), "\(alpha), \(opacity)")
            #expect(at(result, 20, 20)[0] == 40 && at(result, 102, 50)[0] == 40)
        }
    }

    @Test func compose_colorOfTransparentPixels_isNotVisible() throws {
        // White on the left, transparent black on the right, enlarged: there must be no dark seam between the white and
        // the white below.
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .bgra, width: 8, height: 8))
        let bytes = buffer.plane(0)
        for index in bytes.indices { bytes[index] = index / 4 % 8 < 4 ? 255 : 0 }
        let result = try compositor().compose(
            [
                FrameLayer(flat(235), place: place(0, 0, 160, 120)),
                FrameLayer(buffer.finish(), place: place(0, 0, 160, 120)),
            ])
        let darkest = (0..<160).map { result.byte(0, $0, 60) }.min() ?? 0
        #expect(darkest >= 231, "\(darkest)")
    }

    @Test func compose_cropAndOrientation_showsThatPart() throws {
        // Four quarters of different brightness: 50 100 / 150 200.
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: 40, height: 20), color: .bt601)
        for plane in 0..<3 {
            let bytes = buffer.plane(plane)
            for index in bytes.indices {
                let (x, y) = (index % 40, index / 40)
                bytes[index] = plane > 0 ? 128 : UInt8(50 + (x >= 20 ? 50 : 0) + (y >= 10 ? 100 : 0))
            }
        }
        let source = buffer.finish()
        let crop = PixelRectangle(x: 20, y: 0, width: 20, height: 20)
        let cropped = try compositor().compose([FrameLayer(source, crop: crop, place: place(10, 10, 40, 40))])
        #expect(cropped.byte(0, 15, 15) == 100 && cropped.byte(0, 45, 15) == 100 && cropped.byte(0, 15, 45) == 200)
        // The four corners of the place, clockwise from the upper left, for each orientation.
        let corners = [50, 100, 200, 150]
        for orientation in FrameOrientation.all {
            let size: (Double, Double) = orientation.swapsSides ? (40, 80) : (80, 40)
            let turned = try compositor().compose(
                [FrameLayer(source, orientation: orientation, place: place(20, 20, size.0, size.1))])
            let (right, lower) = (20 + Int(size.0) - 3, 20 + Int(size.1) - 3)
            let seen = [(22, 22), (right, 22), (right, lower), (22, lower)].map { turned.byte(0, $0.0, $0.1) }
            let mirrored = orientation.isMirrored ? [100, 50, 150, 200] : corners
            let expected = (0..<4).map { mirrored[($0 + 4 - orientation.quarterTurns) % 4] }
            #expect(seen == expected, "\(orientation)")
            // A crop rotates with the frame: only the darkest quarter.
            let part = try compositor().compose(
                [
                    FrameLayer(
                        source, crop: PixelRectangle(width: 20, height: 10), orientation: orientation,
                        place: place(20, 20, size.0, size.1))
                ])
            #expect([(22, 22), (right, lower)].allSatisfy { part.byte(0, $0.0, $0.1) == 50 }, "\(orientation)")
        }
    }

    @Test func compose_enlargedLayerBeyondTheCanvas_keepsItsGeometry() throws {
        // A step from black to white in the middle of the source, enlarged forty times about that middle.
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .i420, width: 40, height: 30), color: .bt601)
        for plane in 0..<3 {
            let bytes = buffer.plane(plane)
            for index in bytes.indices { bytes[index] = plane > 0 ? 128 : index % 40 < 20 ? 16 : 235 }
        }
        let source = buffer.finish()
        for shift in stride(from: -70.0, to: 70, by: 3) {
            let result = try compositor().compose(
                [FrameLayer(source, place: place(shift - 720, -500, 1600, 1200))])
            let edge = (0..<160).first { result.byte(0, $0, 60) > 125 } ?? 0
            #expect(abs(edge - 80 - Int(shift)) <= 2, "\(edge) for \(shift)")
        }
    }

    @Test func compose_movingLayers_reusesMemory() throws {
        let compositor = try compositor()
        let (below, above) = (try flat(40, 128, 128, .nv12, width: 320, height: 240), rgb(1, 2, 3, 128))
        func frame(_ step: Int) throws {
            let size = 60 + Double(step % 20)
            _ = try compositor.compose(
                [
                    FrameLayer(below, place: place(0, 0, 160, 120)),
                    FrameLayer(above, place: place(Double(step), 5, size, size), opacity: 0.7),
                ])
        }
        for step in 0..<20 { try frame(step) }
        let before = compositor.allocationCount
        for step in 0..<60 { try frame(step) }
        #expect(compositor.allocationCount == before)
    }

    @Test func compose_invalidSizeOrPlace_isRefusedOrNotDrawn() throws {
        #expect(throws: MediaError.self) { try FrameCompositor(width: 0, height: 10, color: .bt601) }
        #expect(throws: MediaError.self) { try FrameCompositor(width: 10, height: 40_000, color: .bt601) }
        let layer = try flat(200)
        for place in [
            place(.nan, 0, 10, 10), place(0, 0, .infinity, 10), place(0, 0, -10, 10), place(1e300, 0, 10, 10),
            place(500, 500, 10, 10), place(0, 0, 0.2, 0.2),
        ] {
            let result = try compositor().compose([FrameLayer(layer, place: place)])
            #expect(at(result, 0, 0) == [16, 128, 128])
        }
        let outside = FrameLayer(
            layer, crop: PixelRectangle(x: 30, width: 20, height: 10), place: place(0, 0, 160, 120))
        #expect(try at(compositor().compose([outside]), 80, 60) == [16, 128, 128])
        // A layer enlarged beyond the limit.
        let huge = FrameLayer(layer, place: place(-1e6, -1e6, 4e7, 4e7))
        #expect(throws: MediaError.self) { try compositor().compose([huge]) }
    }
}

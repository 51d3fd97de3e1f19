import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Checks every sample of stamped frames.
@Suite(.timeLimit(.minutes(5))) struct StampPainterTests {
    static let moment = FrameMoment(wall: 1_800_000_000_123_000_000, number: 77)

    static func painter(
        _ text: String = "%H:%M:%S.%3N", _ change: (inout FrameStamp) -> Void = { _ in }
    ) throws -> StampPainter {
        var stamp = FrameStamp()
        stamp.pattern = try StampPattern(text)
        change(&stamp)
        return try StampPainter(stamp, name: "front")
    }

    /// A frame of noise.
    private static func noise(_ format: PixelFormat, width: Int, height: Int, seed: UInt64 = 7) -> PixelBuffer {
        var random = SeededRandom(seed: seed)
        let frame = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height, alignment: 64))
        for index in frame.layout.planes.indices {
            let plane = frame.plane(index)
            for offset in plane.indices { plane[offset] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return frame.finish()
    }

    private static func painted(
        _ source: PixelBuffer, _ painter: StampPainter, _ moment: FrameMoment = moment
    ) -> PixelBuffer {
        let frame = MutablePixelBuffer(reopening: PixelConverter().copy(source))
        painter.paint(frame, moment)
        return frame.finish()
    }

    /// The pixels that differ between two frames, as columns and rows.
    private static func changed(_ one: PixelBuffer, _ other: PixelBuffer) -> (columns: Set<Int>, rows: Set<Int>) {
        var (columns, rows) = (Set<Int>(), Set<Int>())
        for y in 0..<one.height {
            for x in 0..<one.width where one.byte(0, x, y) != other.byte(0, x, y) {
                columns.insert(x)
                rows.insert(y)
            }
        }
        return (columns, rows)
    }

    @Test(arguments: [PixelFormat.nv12, .i420])
    func paint_anyBackground_givesTheSameStampAndKeepsAllOtherPixels(format: PixelFormat) throws {
        let (width, height) = (321, 181)
        let black = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height))
        for plane in black.layout.planes.indices {
            _ = black.plane(plane).initializeMemory(as: UInt8.self, repeating: plane == 0 ? 1 : 2)
        }
        let sources = [
            black.finish(), Self.noise(format, width: width, height: height),
            Self.noise(format, width: width, height: height, seed: 8),
        ]
        let painter = try Self.painter()
        let results = sources.map { Self.painted($0, painter) }
        for (plane, bytes) in format == .nv12 ? [(0, 1), (1, 2)] : [(0, 1), (1, 1), (2, 1)] {
            let columns = plane == 0 ? width : (width + 1) / 2 * bytes
            let rows = plane == 0 ? height : (height + 1) / 2
            var (stamped, wrong) = (0, 0)
            for y in 0..<rows {
                for x in 0..<columns {
                    let after = results.map { $0.byte(plane, x, y) }
                    // The stamp has no sample of 1 or 2.
                    if after[0] == (plane == 0 ? 1 : 2) {
                        if after != sources.map({ $0.byte(plane, x, y) }) { wrong += 1 }
                    } else {
                        stamped += 1
                        if Set(after).count > 1 || (plane > 0 && after[0] != 128) { wrong += 1 }
                    }
                }
            }
            #expect(stamped > 100 && wrong == 0)
        }
    }

    @Test(arguments: FrameStamp.Place.allCases) func paint_place_isItsCorner(place: FrameStamp.Place) throws {
        let source = Self.noise(.nv12, width: 320, height: 180)
        let result = Self.painted(source, try Self.painter { $0.place = place })
        let (columns, rows) = Self.changed(source, result)
        let (isLeft, isTop) = ((columns.max() ?? 0) < 160, (rows.max() ?? 0) < 90)
        let (isRight, isBottom) = ((columns.min() ?? 0) >= 160, (rows.min() ?? 0) >= 90)
        switch place {
        case .topLeft: #expect(isLeft && isTop)
        case .topRight: #expect(isRight && isTop)
        case .bottomLeft: #expect(isLeft && isBottom)
        case .bottomRight: #expect(isRight && isBottom)
        }
        // It does not touch the edge.
        #expect(!columns.contains(0) && !columns.contains(319) && !rows.contains(0) && !rows.contains(179))
    }

    @Test func paint_anySize_staysInsideTheFrame() throws {
        let text = "%Y-%m-%d %H:%M:%S.%3N %{name} %{counter} ÄÅgj|_"
        for place in FrameStamp.Place.allCases {
            let painter = try Self.painter(text) { $0.place = place }
            for (width, height) in [(16, 16), (17, 19), (64, 48), (2, 2), (1, 1), (48, 640), (1920, 16)] {
                let layout = PixelLayout(format: .i420, width: width, height: height)
                // Bytes after the rows and after the planes must stay as they are.
                var memory = [UInt8](repeating: 90, count: layout.byteCount + 4096)
                let frame = MutablePixelBuffer(
                    reopening: PixelBuffer(layout: layout, data: MediaData(memory)))
                painter.paint(frame, Self.moment)
                let result = frame.finish()
                memory = Array(result.data.bytes)
                #expect(memory[layout.byteCount...].allSatisfy { $0 == 90 })
            }
        }
    }

    @Test func paint_wideText_isMadeSmallerUntilItFits() throws {
        let text = "2027-01-15 09:00:00.123 a name of fifty characters, 1234567890"
        let source = Self.noise(.nv12, width: 320, height: 180)
        let result = Self.painted(source, try Self.painter(text))
        let (columns, rows) = Self.changed(source, result)
        #expect(!columns.contains(0) && !columns.contains(319))
        // The last character is visible.
        #expect((columns.max() ?? 0) > 250 && !rows.isEmpty)
        let other = Self.painted(source, try Self.painter(String(text.dropLast()) + "8"))
        #expect(result.visible != other.visible)
    }

    @Test func paint_eachMillisecond_isAnotherImage() throws {
        let source = SyntheticMedia.frame(3)
        let painter = try Self.painter()
        var seen = Set<Data>()
        for millisecond in 0..<1000 {
            let wall = 1_800_000_000_000_000_000 + Int64(millisecond) * 1_000_000
            seen.insert(Self.painted(source, painter, FrameMoment(wall: wall, number: 1)).visible)
        }
        #expect(seen.count == 1000)
        // The same moment gives the same image, whatever was drawn before.
        let fresh = Self.painted(source, try Self.painter(), Self.moment)
        #expect(Self.painted(source, painter, Self.moment).visible == fresh.visible)
    }

    @Test func paint_fullRange_usesAllValues() throws {
        let layout = PixelLayout(format: .nv12, width: 320, height: 180)
        let frame = MutablePixelBuffer(layout: layout, color: ColorDescription(isFullRange: true))
        for plane in 0..<2 { _ = frame.plane(plane).initializeMemory(as: UInt8.self, repeating: 100) }
        try Self.painter().paint(frame, Self.moment)
        let luma = Set(frame.finish().visible.prefix(320 * 180))
        #expect(luma.contains(0) && luma.contains(255))
    }

    @Test func paint_hundredFrames_isReadByTesseractToTheLastDigit() throws {
        let (width, height, rows) = (1280, 720, 20)
        let painter = try Self.painter("%Y-%m-%d %H:%M:%S.%3N")
        for part in 0..<5 {
            var (image, expected) = (Data("P5 \(width / 2) \(rows * 64) 255\n".utf8), [String]())
            for number in (part * rows)..<((part + 1) * rows) {
                let wall = 1_800_000_000_000_000_000 + Int64(number * 3_637) * 1_000_000
                let moment = FrameMoment(wall: wall, number: number)
                let frame = Self.painted(SyntheticMedia.frame(13, width: width, height: height), painter, moment)
                // Dark letters on white: everything but the letters is darker than 190.
                let luma = frame.visible
                for y in 0..<64 {
                    image.append(contentsOf: luma[(y * width)..<(y * width + width / 2)].map { $0 > 190 ? 0 : 255 })
                }
                var line = StampLine(try StampPattern("%Y-%m-%d%H:%M:%S.%3N"), name: "")
                line.update(moment)
                expected.append(StampLineTests.text(line))
            }
            let scaled = try Command.run(
                [
                    "ffmpeg", "-v", "error", "-f", "pgm_pipe", "-i", "-", "-vf", "scale=iw*2:-2:flags=bicubic",
                    "-c:v", "png", "-f", "image2pipe", "-",
                ], input: image)
            try #require(scaled.status == 0, "\(scaled.errors)")
            let read = try Command.run(
                ["tesseract", "-", "-", "--psm", "6", "-c", "tessedit_char_whitelist=0123456789:.-"],
                input: scaled.output)
            try #require(read.status == 0, "\(read.errors)")
            let lines = read.text.split(separator: "\n").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
            #expect(lines == expected)
        }
    }
}

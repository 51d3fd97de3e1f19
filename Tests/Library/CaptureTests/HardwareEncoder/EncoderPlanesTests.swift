import MediaTypes
import Testing

@testable import Capture

/// The places of a frame's rows in the buffers of drivers.
@Suite struct EncoderPlanesTests {
    /// Returns a frame in which every byte of a row is the number of its plane and row.
    private func frame(_ format: PixelFormat, _ width: Int, _ height: Int, bytesPerRow: Int? = nil) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: height, bytesPerRow: bytesPerRow)
        var bytes = [UInt8](repeating: 0xEE, count: layout.byteCount)
        for (index, plane) in layout.planes.enumerated() {
            for row in 0..<plane.rows {
                for column in 0..<plane.bytesPerRow {
                    bytes[plane.offset + row * plane.bytesPerRow + column] = mark(index, row)
                }
            }
        }
        return PixelBuffer(layout: layout, data: MediaData(bytes))
    }

    private func mark(_ plane: Int, _ row: Int) -> UInt8 { UInt8(truncatingIfNeeded: plane * 64 + row + 1) }

    /// Copies a frame and checks every byte: its rows are in their places, and nothing else was written.
    private func checkCopy(_ planes: EncoderPlanes, _ frame: PixelBuffer, lengths: [Int]) {
        let memory = lengths.map { length in
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 64)
            piece.initializeMemory(as: UInt8.self, repeating: 0)
            return piece
        }
        defer { for piece in memory { piece.deallocate() } }
        let isCopied = planes.copy(frame, into: memory)
        #expect(isCopied)
        for (index, place) in planes.places.enumerated() {
            for row in 0..<place.rows {
                let start = place.offset + row * place.bytesPerRow
                let isRight = memory[place.memory][start..<start + place.rowBytes].allSatisfy { $0 == mark(index, row) }
                #expect(isRight, "plane \(index), row \(row)")
            }
        }
    }

    @Test(arguments: [PixelFormat.nv12, .i420]) func copy_oneMemoryWithPadding_hasEveryRow(format: PixelFormat) throws {
        // 1080 lines become 1088 in many encoders; here 10 become 16, and rows of 20 become 32.
        let lengths = [32 * 16 * 3 / 2]
        let planes = try #require(
            EncoderPlanes(format: format, width: 20, height: 10, strides: [32], lengths: lengths, codedHeight: 16))
        #expect(planes.places[1].offset == 32 * 16)
        if format == .i420 { #expect(planes.places[2].offset == 32 * 16 + 16 * 8) }
        checkCopy(planes, frame(format, 20, 10), lengths: lengths)
        checkCopy(planes, frame(format, 20, 10, bytesPerRow: 32), lengths: lengths)
        checkCopy(planes, frame(format, 20, 10, bytesPerRow: 48), lengths: lengths)
    }

    @Test func copy_memoryForEachPlane_hasEveryRow() throws {
        let two = try #require(
            EncoderPlanes(
                format: .nv12, width: 20, height: 10, strides: [32, 32], lengths: [512, 256], codedHeight: 16))
        checkCopy(two, frame(.nv12, 20, 10), lengths: [512, 256])
        let three = try #require(
            EncoderPlanes(
                format: .i420, width: 20, height: 10, strides: [32, 16, 24], lengths: [512, 128, 192],
                codedHeight: 16))
        checkCopy(three, frame(.i420, 20, 10), lengths: [512, 128, 192])
    }

    @Test func copy_oddSize_hasTheLastColumnAndRow() throws {
        let planes = try #require(
            EncoderPlanes(format: .i420, width: 5, height: 3, strides: [8], lengths: [8 * 4 * 2], codedHeight: 4))
        checkCopy(planes, frame(.i420, 5, 3), lengths: [8 * 4 * 2])
    }

    @Test(
        arguments: [
            ([16], [512], 16), ([0], [768], 16), ([32], [500], 16), ([32], [768], 8), ([32, 32], [512, 8], 16),
            ([32, 8], [512, 256], 16), ([32, 32, 32], [512, 256, 256], 16), ([], [], 16), ([32], [768], 0),
            ([32], [768], -16), ([Int.max], [Int.max], 16), ([-32], [768], 16), ([32, 32], [512], 16),
        ] as [([Int], [Int], Int)])
    func init_memoryThatDoesNotFit_isRefused(strides: [Int], lengths: [Int], codedHeight: Int) {
        let planes = EncoderPlanes(
            format: .nv12, width: 20, height: 10, strides: strides, lengths: lengths, codedHeight: codedHeight)
        #expect(planes == nil)
    }

    @Test func copy_anotherFrameOrMemory_isRefused() throws {
        let planes = try #require(
            EncoderPlanes(format: .nv12, width: 20, height: 10, strides: [32], lengths: [768], codedHeight: 16))
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 768, alignment: 64)
        defer { memory.deallocate() }
        let short = UnsafeMutableRawBufferPointer(rebasing: memory[..<700])
        let results = [
            planes.copy(frame(.i420, 20, 10), into: [memory]), planes.copy(frame(.nv12, 10, 20), into: [memory]),
            planes.copy(frame(.nv12, 20, 10), into: [short]), planes.copy(frame(.nv12, 20, 10), into: []),
        ]
        #expect(results == [false, false, false, false])
    }

    @Test(
        arguments: [
            (1920, 1080, 30, 6, 11), (1920, 1080, 30, 40, 12), (1920, 1080, 60, 6, 13), (1280, 720, 120, 6, 13),
            (2560, 1440, 30, 6, 14), (3840, 2160, 30, 6, 15), (3840, 2160, 60, 6, 16), (7680, 4320, 60, 6, 16),
            (640, 480, .nan, 6, 11), (640, 480, 1e9, 6, 16),
        ] as [(Int, Int, Double, Int, Int64)])
    func setup_size_hasTheLevelThatAllowsIt(width: Int, height: Int, rate: Double, megabits: Int, level: Int64) {
        let setup = EncoderSetup(
            coded: 0, width: width, height: height, frameRate: rate, bitRate: megabits * 1_000_000,
            keyframeInterval: 60)
        #expect(setup.level == level)
    }

    @Test func setup_anyRate_hasATimeOfAFrame() {
        for rate in [0, -1, 29.97, 1e12, .nan, .infinity] as [Double] {
            let setup = EncoderSetup(coded: 0, width: 1, height: 1, frameRate: rate, keyframeInterval: 60)
            #expect(setup.frameTime.numerator == 1000 && setup.frameTime.denominator > 0)
        }
        let setup = EncoderSetup(coded: 0, width: 1, height: 1, frameRate: 29.97, keyframeInterval: 0)
        #expect(setup.frameTime.denominator == 29_970)
        #expect(setup.controls.allSatisfy { !$0.isRequired })
    }
}

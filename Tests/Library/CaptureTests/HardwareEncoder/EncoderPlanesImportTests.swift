import MediaTypes
import Testing

@testable import Capture

/// The places of a frame's rows in dma-bufs, compared with those that an encoder needs.
@Suite struct EncoderPlanesImportTests {
    /// The places for frames of 20×10 in rows of 32 bytes.
    private func places(
        _ format: PixelFormat = .nv12, strides: [Int] = [32], lengths: [Int] = [480], codedHeight: Int = 10
    ) throws -> EncoderPlanes {
        try #require(
            EncoderPlanes(
                format: format, width: 20, height: 10, strides: strides, lengths: lengths, codedHeight: codedHeight))
    }

    private final class Buffer: LentBuffer {
        let parts: [DMABuf]
        private let data: MediaData

        init(byteCount: Int, parts: [DMABuf]) {
            self.parts = parts
            data = MediaData([UInt8](repeating: 0, count: byteCount))
        }

        func lend(_ layout: PixelLayout) -> PixelBuffer {
            PixelBuffer(layout: layout, data: MediaData(borrowing: data.bytes, from: self))
        }

        func giveBack() {}
    }

    /// Returns a frame at the start of one dma-buf.
    private func frame(
        _ format: PixelFormat = .nv12, width: Int = 20, bytesPerRow: Int = 32, bytes: Int? = nil, start: Int = 0
    ) -> PixelBuffer {
        let layout = PixelLayout(format: format, width: width, height: 10, bytesPerRow: bytesPerRow)
        let part = DMABuf(descriptor: 5, start: start, byteCount: bytes ?? layout.byteCount)
        return Buffer(byteCount: layout.byteCount, parts: [part]).lend(layout)
    }

    @Test(arguments: [PixelFormat.nv12, .i420]) func canImport_sameRows_isTrue(format: PixelFormat) throws {
        let planes = try places(format)
        let frame = frame(format)
        #expect(planes.canImport(frame))
        let part = planes.source(ofMemory: 0, frame.layout, [DMABuf(descriptor: 5, start: 0, byteCount: 4096)])
        #expect(part?.descriptor == 5)
    }

    @Test func canImport_otherRowsOrMemory_isFalse() throws {
        let planes = try places()
        let plain = PixelLayout(format: .nv12, width: 20, height: 10, bytesPerRow: 32)
        let frames = [
            // Another stride, format or size.
            frame(bytesPerRow: 48), frame(.i420), frame(width: 18),
            // A dma-buf that is smaller than the encoder's buffer, or that begins elsewhere.
            frame(bytes: 479), frame(start: 32), frame(start: -32),
            // None.
            PixelBuffer(layout: plain, data: MediaData([UInt8](repeating: 0, count: plain.byteCount))),
            Buffer(byteCount: 480, parts: []).lend(plain),
        ]
        #expect(frames.map { planes.canImport($0) } == frames.map { _ in false })
    }

    /// The chroma of the driver's frames begins after more rows than the camera's.
    @Test func canImport_paddedRows_isTrueOnlyForAFrameWithTheSamePadding() throws {
        let planes = try places(lengths: [32 * 16 * 3 / 2], codedHeight: 16)
        #expect(!planes.canImport(frame(bytes: 4096)))
        let padded = PixelLayout(
            format: .nv12, width: 20, height: 10,
            planes: [.init(offset: 0, bytesPerRow: 32, rows: 10), .init(offset: 512, bytesPerRow: 32, rows: 5)])
        let buffer = Buffer(byteCount: 768, parts: [DMABuf(descriptor: 5, start: 0, byteCount: 768)])
        #expect(planes.canImport(buffer.lend(padded)))
    }

    @Test func source_memoryForEachPlane_isTheDMABufOfThePlane() throws {
        let planes = try places(strides: [32, 32], lengths: [320, 160])
        let layout = PixelLayout(
            format: .nv12, width: 20, height: 10,
            planes: [.init(offset: 0, bytesPerRow: 32, rows: 10), .init(offset: 4096, bytesPerRow: 32, rows: 5)])
        let parts = [
            DMABuf(descriptor: 5, start: 0, byteCount: 4096), DMABuf(descriptor: 6, start: 4096, byteCount: 4096),
        ]
        #expect((0..<3).map { planes.source(ofMemory: $0, layout, parts)?.descriptor } == [5, 6, nil])
        #expect(planes.canImport(Buffer(byteCount: 8192, parts: parts).lend(layout)))
        // One dma-buf has both planes, and the encoder needs one for each.
        let single = [DMABuf(descriptor: 5, start: 0, byteCount: 8192)]
        #expect(planes.source(ofMemory: 1, layout, single) == nil)
        #expect(!planes.canImport(Buffer(byteCount: 8192, parts: single).lend(layout)))
    }
}

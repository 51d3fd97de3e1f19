import MediaTypes
import Synchronization
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct FrameComparisonTests {
    private static let (width, height) = (70, 38)

    /// A frame of noise. Its padding, if the alignment causes any, depends on `padding`.
    private func frame(
        _ format: PixelFormat, alignment: Int = 1, padding: UInt8 = 0, changing changed: (plane: Int, byte: Int)? = nil
    ) -> PixelBuffer {
        let least = PixelLayout(format: format, width: Self.width, height: Self.height).planes
        let layout = PixelLayout(format: format, width: Self.width, height: Self.height, alignment: alignment)
        let buffer = MutablePixelBuffer(layout: layout)
        for index in layout.planes.indices {
            let (plane, stride, visible) = (buffer.plane(index), layout.planes[index].bytesPerRow, least[index])
            let noise = SyntheticMedia.noise(visible.bytesPerRow * visible.rows, seed: UInt64(index + 7))
            _ = plane.initializeMemory(as: UInt8.self, repeating: padding)
            for place in noise.indices {
                let isChanged = changed.map { $0.plane == index && $0.byte == place } ?? false
                plane[place / visible.bytesPerRow * stride + place % visible.bytesPerRow] =
                    isChanged ? ~noise[place] : noise[place]
            }
        }
        return buffer.finish()
    }

    @Test(arguments: [PixelFormat.nv12, .i420, .i010, .yuyv, .bgra])
    func equals_sameVisibleBytes_ignoresPadding(format: PixelFormat) {
        var comparison = FrameComparison()
        comparison.keep(frame(format))
        #expect(comparison.equals(frame(format)))
        #expect(comparison.equals(frame(format, alignment: 64, padding: 1)))
        comparison.keep(frame(format, alignment: 64, padding: 1))
        #expect(comparison.equals(frame(format, alignment: 64, padding: 2)))
        #expect(comparison.equals(frame(format)))
    }

    @Test(arguments: [PixelFormat.nv12, .i420, .i010], [1, 64])
    func equals_oneByteDiffers_isFalse(format: PixelFormat, alignment: Int) {
        var comparison = FrameComparison()
        comparison.keep(frame(format, alignment: alignment))
        for (index, plane) in PixelLayout(format: format, width: Self.width, height: Self.height).planes.enumerated() {
            for byte in [0, plane.bytesPerRow - 1, plane.bytesPerRow, plane.bytesPerRow * plane.rows - 1] {
                let other = frame(format, alignment: alignment, changing: (index, byte))
                #expect(!comparison.equals(other), "byte \(byte) of plane \(index)")
            }
        }
    }

    @Test func equals_otherShapeOrColor_isFalse() {
        var comparison = FrameComparison()
        let (nv12, other) = (frame(.nv12), SyntheticMedia.frame(0, width: 64, height: 48))
        #expect(!comparison.equals(nv12))
        comparison.keep(nv12)
        #expect(!comparison.equals(frame(.i420)) && !comparison.equals(other))
        #expect(!comparison.equals(PixelBuffer(layout: nv12.layout, color: .bt709, data: nv12.data)))
        comparison.keep(other)
        #expect(comparison.equals(SyntheticMedia.frame(0, width: 64, height: 48)) && !comparison.equals(nv12))
        comparison.forget()
        #expect(!comparison.equals(other))
    }

    /// Counts how often lent memory was returned.
    private final class Returns: Sendable {
        let count = Atomic(0)
    }

    /// Keeps a frame whose memory is lent.
    private func keep(_ source: PixelBuffer, _ returns: Returns, _ comparison: inout FrameComparison) {
        let lent = MediaData(borrowing: source.data.bytes) {
            _ = returns.count.wrappingAdd(1, ordering: .relaxed)
        }
        comparison.keep(PixelBuffer(layout: source.layout, data: lent))
    }

    @Test func keep_lentMemory_returnsIt() {
        var comparison = FrameComparison()
        let (source, returns) = (frame(.nv12), Returns())
        for round in 1...5 {
            keep(source, returns, &comparison)
            #expect(returns.count.load(ordering: .relaxed) == round)
        }
        #expect(comparison.equals(source))
        // Two pieces: the next copy is made before the previous one is released.
        #expect(comparison.allocationCount <= 2)
    }

    @Test func keep_pooledMemory_isNotCopied() {
        let pool = PixelBufferPool(layout: PixelLayout(format: .nv12, width: Self.width, height: Self.height))
        var comparison = FrameComparison()
        for _ in 0..<5 {
            let buffer = pool.makeBuffer()
            for index in 0..<2 { _ = buffer.plane(index).initializeMemory(as: UInt8.self, repeating: 7) }
            let frame = buffer.finish()
            comparison.keep(frame)
            #expect(frame.data.isPooled && comparison.equals(frame))
        }
        #expect(comparison.allocationCount == 0 && pool.allocationCount <= 3)
    }
}

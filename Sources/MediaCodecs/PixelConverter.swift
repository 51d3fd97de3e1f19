import CYUV
package import MediaTypes

/// Brings pictures into a layout that x264 takes as it is (NV12 or I420), with libyuv.
///
/// One thread at a time calls it. Memory comes from a pool; a picture that fits already is passed on untouched.
package final class PixelConverter {
    private let pool: PixelBufferPool

    package init(width: Int, height: Int) {
        pool = PixelBufferPool(layout: PixelLayout(format: .nv12, width: width, height: height, alignment: 64))
    }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int { pool.allocationCount }

    /// - Throws: `invalidSample` when the picture has another size.
    package func convert(_ source: PixelBuffer) throws(MediaError) -> PixelBuffer {
        if source.format == .nv12 || source.format == .i420 { return source }
        guard source.width == pool.layout.width, source.height == pool.layout.height else {
            throw MediaError(
                .invalidSample, "cannot convert a picture of \(source.width)×\(source.height)",
                reason: "the track is \(pool.layout.width)×\(pool.layout.height)")
        }
        var target = pool.makeBuffer()
        target.color = source.color
        let width = Int32(source.width)
        let height = Int32(source.height)
        func from(_ index: Int) -> UnsafePointer<UInt8>? {
            source.plane(index).bindMemory(to: UInt8.self).baseAddress
        }
        func rowOf(_ index: Int) -> Int32 { Int32(source.layout.planes[index].bytesPerRow) }
        let luma = target.plane(0).bindMemory(to: UInt8.self).baseAddress
        let chroma = target.plane(1).bindMemory(to: UInt8.self).baseAddress
        let lumaRow = Int32(target.layout.planes[0].bytesPerRow)
        let chromaRow = Int32(target.layout.planes[1].bytesPerRow)
        switch source.format {
        case .yuyv: YUY2ToNV12(from(0), rowOf(0), luma, lumaRow, chroma, chromaRow, width, height)
        case .uyvy: UYVYToNV12(from(0), rowOf(0), luma, lumaRow, chroma, chromaRow, width, height)
        case .i422:
            // NV21 with Cr and Cb exchanged is NV12.
            I422ToNV21(
                from(0), rowOf(0), from(2), rowOf(2), from(1), rowOf(1), luma, lumaRow, chroma, chromaRow, width, height
            )
        case .bgra: ARGBToNV12(from(0), rowOf(0), luma, lumaRow, chroma, chromaRow, width, height)
        case .gray8:
            CopyPlane(from(0), rowOf(0), luma, lumaRow, width, height)
            SetPlane(chroma, chromaRow, (width + 1) / 2 * 2, (height + 1) / 2, 128)
        case .nv12, .i420: break
        }
        return target.finish()
    }
}

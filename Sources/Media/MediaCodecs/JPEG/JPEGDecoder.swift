import CTurboJPEG
import CYUV
package import MediaTypes

/// Decodes JPEG frames of cameras directly to planar 4:2:0, without conversion through RGB, using TurboJPEG.
///
/// Called by one thread at a time. Decoding a 1080p frame takes about 4 ms.
package final class JPEGDecoder {
    private var handle: tjhandle
    private let pool: PixelBufferPool
    /// The pool for frames with 4:2:2 chroma subsampling; created for the first such frame.
    private var subsampledPool: PixelBufferPool?
    /// The memory for frames with other chroma subsampling.
    private let scratch = ScratchMemory()

    /// The color tags of JPEG: full range, with the matrix of BT.601 (ITU-T T.871).
    package static let color = ColorDescription(primaries: 1, transfer: 1, matrix: 6, isFullRange: true)

    package init(width: Int, height: Int) throws(MediaError) {
        guard let handle = tjInitDecompress() else {
            throw MediaError(.codecFailure, "cannot open the JPEG decoder", reason: "out of memory")
        }
        self.handle = handle
        pool = PixelBufferPool(
            layout: PixelLayout(format: .i420, width: width, height: height, alignment: 32), color: Self.color)
    }

    deinit { tjDestroy(handle) }

    /// - Throws: `corruptData` if the image cannot be decoded completely, `invalidSample` for a different size or for
    ///   colors other than YCbCr and gray.
    package func decode(_ jpeg: UnsafeRawBufferPointer) throws(MediaError) -> PixelBuffer {
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = 0
        var colorspace: Int32 = 0
        let bytes = jpeg.bindMemory(to: UInt8.self).baseAddress
        let result = tjDecompressHeader3(
            handle, bytes, UInt(jpeg.count), &width, &height, &subsampling, &colorspace)
        guard result == 0 || JPEGWarning.isHarmless(handle, jpeg) else { throw failure() }
        // If there is no size in spite of success, the data ends before the image begins.
        guard width > 0, height > 0 else { throw failure("it contains no image") }
        guard Int(width) == pool.layout.width, Int(height) == pool.layout.height else {
            throw MediaError(
                .invalidSample, "cannot decode a JPEG of \(width)×\(height)",
                reason: "the track is \(pool.layout.width)×\(pool.layout.height)")
        }
        guard colorspace == Int32(TJCS_YCbCr.rawValue) || colorspace == Int32(TJCS_GRAY.rawValue) else {
            throw MediaError(
                .invalidSample, "cannot decode a JPEG", reason: "its colors are neither YCbCr nor gray")
        }
        switch subsampling {
        case Int32(TJSAMP_420.rawValue): return try decodePlanes(jpeg, into: pool.makeBuffer())
        case Int32(TJSAMP_422.rawValue):
            let pool =
                subsampledPool
                ?? PixelBufferPool(
                    layout: PixelLayout(format: .i422, width: Int(width), height: Int(height), alignment: 32),
                    color: Self.color)
            subsampledPool = pool
            return halveChroma(try decodePlanes(jpeg, into: pool.makeBuffer()))
        case 0..<Int32(TJ_NUMSAMP): return try decodeOther(jpeg, subsampling)
        default: throw MediaError(.invalidSample, "cannot decode a JPEG", reason: "its chroma subsampling is unknown")
        }
    }

    private func decodePlanes(
        _ jpeg: UnsafeRawBufferPointer, into target: consuming MutablePixelBuffer
    ) throws(MediaError) -> PixelBuffer {
        var planes = [target.start(0), target.start(1), target.start(2)] as [UnsafeMutablePointer<UInt8>?]
        var strides = target.layout.planes.map { Int32($0.bytesPerRow) }
        let result = tjDecompressToYUVPlanes(
            handle, jpeg.bindMemory(to: UInt8.self).baseAddress, UInt(jpeg.count), &planes, 0, &strides, 0, 0)
        guard result == 0 || JPEGWarning.isHarmless(handle, jpeg) else { throw failure() }
        return target.finish()
    }

    /// Converts 4:2:2 to 4:2:0 by averaging pairs of chroma rows.
    private func halveChroma(_ source: PixelBuffer) -> PixelBuffer {
        let target = pool.makeBuffer()
        func from(_ index: Int) -> UnsafePointer<UInt8>? { source.plane(index).bindMemory(to: UInt8.self).baseAddress }
        let rows = source.layout.planes.map { Int32($0.bytesPerRow) }
        let targetRows = target.layout.planes.map { Int32($0.bytesPerRow) }
        I422ToI420(
            from(0), rows[0], from(1), rows[1], from(2), rows[2], target.start(0), targetRows[0],
            target.start(1), targetRows[1], target.start(2), targetRows[2], Int32(source.width), Int32(source.height))
        return target.finish()
    }

    /// Decodes an image whose chroma is subsampled neither as in 4:2:0 nor as in 4:2:2, and scales its chroma.
    private func decodeOther(
        _ jpeg: UnsafeRawBufferPointer, _ subsampling: Int32
    ) throws(MediaError) -> PixelBuffer {
        let (width, height) = (Int32(pool.layout.width), Int32(pool.layout.height))
        let isGray = subsampling == Int32(TJSAMP_GRAY.rawValue)
        // The planes of the image, one after the other. They include the padding to complete groups of samples.
        let sizes = (0..<(isGray ? 1 : 3) as Range<Int32>).map { plane in
            (columns: tjPlaneWidth(plane, width, subsampling), rows: tjPlaneHeight(plane, height, subsampling))
        }
        let counts = sizes.map { Int($0.columns) * Int($0.rows) }
        // The last part has space for a plane of chroma with half as many rows.
        let memory = scratch.bytes(counts.reduce(0, +) + (counts.last ?? 0)).bindMemory(to: UInt8.self)
        guard let start = memory.baseAddress else { throw failure("it contains no image") }
        var planes = [UnsafeMutablePointer<UInt8>?](repeating: nil, count: 3)
        var strides = [Int32](repeating: 0, count: 3)
        var next = start
        for (plane, size) in sizes.enumerated() {
            (planes[plane], strides[plane]) = (next, size.columns)
            next += counts[plane]
        }
        let result = tjDecompressToYUVPlanes(
            handle, jpeg.bindMemory(to: UInt8.self).baseAddress, UInt(jpeg.count), &planes, 0, &strides, 0, 0)
        guard result == 0 || JPEGWarning.isHarmless(handle, jpeg) else { throw failure() }
        let target = pool.makeBuffer()
        let rows = target.layout.planes.map { Int32($0.bytesPerRow) }
        CopyPlane(planes[0], strides[0], target.start(0), rows[0], width, height)
        let (columns, half) = ((width + 1) / 2, (height + 1) / 2)
        for plane in 1...2 {
            guard !isGray else {
                SetPlane(target.start(plane), rows[plane], columns, half, 128)
                continue
            }
            let size = sizes[plane]
            guard size.columns < columns else {
                ScalePlane(
                    planes[plane], strides[plane], size.columns, size.rows, target.start(plane), rows[plane], columns,
                    half, kFilterBox)
                continue
            }
            // 4:1:1: each column is stored twice, so that it stays in its place.
            ScalePlane(
                planes[plane], strides[plane], size.columns, size.rows, next, size.columns, size.columns, half,
                kFilterBox)
            ScalePlane(
                next, size.columns, size.columns, half, target.start(plane), rows[plane], columns, half, kFilterNone)
        }
        return target.finish()
    }

    private var message: String { String(cString: tjGetErrorStr2(handle)) }

    /// Returns the error, and replaces the decoder, because corrupted tables in it would damage the following frames.
    private func failure(_ reason: String? = nil) -> MediaError {
        let error = MediaError(
            .corruptData, "cannot decode a JPEG image", reason: reason ?? message,
            underlying: .other("TurboJPEG", tjGetErrorCode(handle)))
        if let fresh = tjInitDecompress() {
            tjDestroy(handle)
            handle = fresh
        }
        return error
    }
}

extension MutablePixelBuffer {
    /// Returns the address of a plane's first byte.
    fileprivate func start(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
        plane(index).bindMemory(to: UInt8.self).baseAddress
    }
}

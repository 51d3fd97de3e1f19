import CYUV
package import MediaTypes

/// Brings pictures into a layout that x264 takes as it is, with libyuv: NV12 or I420 for eight bits, I010 for ten.
///
/// Full range is brought to limited where the track is limited. RGB becomes limited-range BT.601, all that libyuv knows.
///
/// One thread at a time calls it. Memory comes from pools; a picture that fits already is passed on untouched.
package final class PixelConverter {
    private let width: Int
    private let height: Int
    private let bitDepth: Int
    private let range: RangeTables?
    private var pools: [PixelFormat: PixelBufferPool] = [:]
    /// The latest layout that was found to hold a whole picture.
    private var checkedLayout: PixelLayout?

    /// - Parameters:
    ///   - bitDepth: of the result, 8 or 10.
    ///   - keepsFullRange: leaves pictures that say they are of full range as they are.
    package init(width: Int, height: Int, bitDepth: Int = 8, keepsFullRange: Bool = true) {
        range = keepsFullRange ? nil : RangeTables()
        self.width = width
        self.height = height
        self.bitDepth = bitDepth
    }

    /// How many times memory was taken from the system: flat once the pipeline runs.
    package var allocationCount: Int { pools.values.reduce(0) { $0 + $1.allocationCount } }

    /// - Throws: `invalidSample` when the picture has another size, or rows too short for it.
    package func convert(_ source: PixelBuffer) throws(MediaError) -> PixelBuffer {
        try check(source.layout)
        switch (source.format, bitDepth) {
        case (.nv12, 8), (.i420, 8): return limitRange(source)
        case (.p010, 8), (.i010, 8): return limitRange(narrow(source))
        case (_, 8): return limitRange(packed(source))
        case (.p010, _):
            let unpacked = unpackHighBits(source)
            return limitRangeOfTenBits(unpacked) ?? unpacked
        case (.i010, _): return limitRangeOfTenBits(source) ?? limit(source)
        case (.i420, _): return widen(limitRange(source))
        case (.nv12, _): return widen(separate(limitRange(source)))
        default: return widen(separate(limitRange(packed(source))))
        }
    }

    private func check(_ layout: PixelLayout) throws(MediaError) {
        if layout == checkedLayout { return }
        guard layout.width == width, layout.height == height else {
            throw MediaError(
                .invalidSample, "cannot convert a picture of \(layout.width)×\(layout.height)",
                reason: "the track is \(width)×\(height)")
        }
        guard layout.holdsWholePicture else {
            throw MediaError(
                .invalidSample, "cannot convert a \(layout.format.rawValue) picture",
                reason: "its planes are too small for \(width)×\(height)")
        }
        checkedLayout = layout
    }

    private func target(_ format: PixelFormat, _ source: PixelBuffer) -> MutablePixelBuffer {
        let pool =
            pools[format]
            ?? PixelBufferPool(layout: PixelLayout(format: format, width: width, height: height, alignment: 64))
        pools[format] = pool
        var buffer = pool.makeBuffer()
        buffer.color = source.color
        return buffer
    }

    // MARK: Eight bits

    /// Every other layout of eight bits to NV12.
    private func packed(_ source: PixelBuffer) -> PixelBuffer {
        var target = target(.nv12, source)
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
        let (columns, rows) = (Int32(width), Int32(height))
        if source.format == .bgra { target.color = source.color.ofConvertedRGB }
        switch source.format {
        case .yuyv: YUY2ToNV12(from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), columns, rows)
        case .uyvy: UYVYToNV12(from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), columns, rows)
        case .i422:
            // NV21 with Cr and Cb exchanged is NV12.
            I422ToNV21(
                from[0], from.row(0), from[2], from.row(2), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1),
                columns, rows)
        case .bgra: ARGBToNV12(from[0], from.row(0), to[0], to.row(0), to[1], to.row(1), columns, rows)
        case .gray8:
            CopyPlane(from[0], from.row(0), to[0], to.row(0), columns, rows)
            SetPlane(to[1], to.row(1), (columns + 1) / 2 * 2, (rows + 1) / 2, 128)
        case .nv12, .i420, .p010, .i010: break
        }
        return target.finish()
    }

    /// Ten bits to eight: the two lowest are cut off.
    private func narrow(_ source: PixelBuffer) -> PixelBuffer {
        let isPlanar = source.format == .i010
        let target = target(isPlanar ? .i420 : .nv12, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt8>(target))
        // libyuv multiplies by the scale and keeps what is above 16 bits.
        let scale: Int32 = isPlanar ? 16384 : 256
        for plane in 0..<target.layout.planes.count {
            let (columns, rows) = samples(plane, isPlanar: isPlanar)
            Convert16To8Plane(from[plane], from.row(plane), to[plane], to.row(plane), scale, columns, rows)
        }
        return target.finish()
    }

    /// NV12 to I420.
    private func separate(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.i420, source)
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
        NV12ToI420(
            from[0], from.row(0), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2),
            Int32(width), Int32(height))
        return target.finish()
    }

    // MARK: Ten bits

    /// I420 to I010: four times the value (ITU-T H.273, 8.3), but the whole range for luma of full range.
    private func widen(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.i010, source)
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt16>(target))
        for plane in 0..<3 {
            let (columns, rows) = samples(plane, isPlanar: true)
            // libyuv computes value · 257 · scale >> 16: 1021 gives four times the value for all of 0…255, and 1024
            // takes 255 to 1023.
            let scale: Int32 = plane == 0 && source.color.isFullRange ? 1024 : 1021
            Convert8To16Plane(from[plane], from.row(plane), to[plane], to.row(plane), scale, columns, rows)
        }
        return target.finish()
    }

    /// P010 to I010.
    private func unpackHighBits(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.i010, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        P010ToI010(
            from[0], from.row(0), from[1], from.row(1), to[0], to.row(0), to[1], to.row(1), to[2], to.row(2),
            Int32(width), Int32(height))
        return target.finish()
    }

    /// I010 to I010, with what does not fit ten bits cut down: x264 trusts its input.
    private func limit(_ source: PixelBuffer) -> PixelBuffer {
        let target = target(.i010, source)
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        for plane in 0..<3 {
            let (columns, rows) = samples(plane, isPlanar: true)
            cyuv_limit_to_ten_bits(from[plane], from.row(plane), to[plane], to.row(plane), columns, rows)
        }
        return target.finish()
    }

    // MARK: Range

    private func limitRange(_ source: PixelBuffer) -> PixelBuffer {
        guard let range, source.color.isFullRange else { return source }
        var target = target(source.format, source)
        target.color.isFullRange = false
        let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
        for plane in 0..<target.layout.planes.count {
            let (columns, rows) = samples(plane, isPlanar: source.format == .i420)
            let table = plane == 0 ? range.luma : range.chroma
            cyuv_map(from[plane], from.row(plane), to[plane], to.row(plane), columns, rows, table)
        }
        return target.finish()
    }

    /// I010 to I010; nil when there is nothing to do.
    private func limitRangeOfTenBits(_ source: PixelBuffer) -> PixelBuffer? {
        guard let range, source.color.isFullRange else { return nil }
        var target = target(.i010, source)
        target.color.isFullRange = false
        let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
        for plane in 0..<3 {
            let (columns, rows) = samples(plane, isPlanar: true)
            let table = plane == 0 ? range.lumaOfTenBits : range.chromaOfTenBits
            cyuv_map_ten_bits(from[plane], from.row(plane), to[plane], to.row(plane), columns, rows, table)
        }
        return target.finish()
    }

    /// Samples in a row of a 4:2:0 plane, and its rows.
    private func samples(_ plane: Int, isPlanar: Bool) -> (columns: Int32, rows: Int32) {
        guard plane > 0 else { return (Int32(width), Int32(height)) }
        return (Int32((width + 1) / 2 * (isPlanar ? 1 : 2)), Int32((height + 1) / 2))
    }
}

/// Full range to limited (ITU-T H.273, 8.3: equations 26 to 31).
private struct RangeTables {
    let luma: [UInt8] = (0..<256).map { UInt8((16 + Double($0) * 219 / 255).rounded()) }
    let chroma: [UInt8] = (0..<256).map { UInt8((128 + Double($0 - 128) * 224 / 255).rounded()) }
    let lumaOfTenBits: [UInt16] = (0..<1024).map { UInt16((64 + Double($0) * 876 / 1023).rounded()) }
    let chromaOfTenBits: [UInt16] = (0..<1024).map { UInt16((512 + Double($0 - 512) * 896 / 1023).rounded()) }
}

extension ColorDescription {
    /// What RGB pictures are once libyuv has turned them into luma and chroma: its one matrix is BT.601's, limited.
    package var ofConvertedRGB: ColorDescription {
        ColorDescription(primaries: primaries, transfer: transfer, matrix: 6, isFullRange: false)
    }
}

/// A picture's planes as libyuv wants them: start and row length in samples.
struct Planes<Sample> {
    let source: PixelBuffer
    init(_ source: PixelBuffer) { self.source = source }
    subscript(index: Int) -> UnsafePointer<Sample>? {
        source.plane(index).baseAddress?.assumingMemoryBound(to: Sample.self)
    }
    func row(_ index: Int) -> Int32 { Int32(source.layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size) }
}

/// The same for a picture that is being drawn, and only while it is.
struct WritablePlanes<Sample> {
    private let layout: PixelLayout
    private let start: UnsafeMutableRawPointer?
    init(_ target: borrowing MutablePixelBuffer) {
        layout = target.layout
        // The first plane begins where the memory does, in every layout of our pools.
        start = target.plane(0).baseAddress
    }
    subscript(index: Int) -> UnsafeMutablePointer<Sample>? {
        start.map { ($0 + layout.planes[index].offset).assumingMemoryBound(to: Sample.self) }
    }
    func row(_ index: Int) -> Int32 { Int32(layout.planes[index].bytesPerRow / MemoryLayout<Sample>.size) }
}

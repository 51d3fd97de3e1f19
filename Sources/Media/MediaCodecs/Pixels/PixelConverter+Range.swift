import CYUV
import MediaTypes

/// Tables to convert one range of luma and chroma to the other (ITU-T H.273, 8.3: equations 26 to 31).
private struct RangeTables {
    let luma: [UInt8]
    let chroma: [UInt8]
    let lumaOfTenBits: [UInt16]
    let chromaOfTenBits: [UInt16]

    static let limiting = RangeTables(
        luma: { 16 + Double($0) * 219 / 255 }, chroma: { 128 + Double($0 - 128) * 224 / 255 },
        lumaOfTenBits: { 64 + Double($0) * 876 / 1023 }, chromaOfTenBits: { 512 + Double($0 - 512) * 896 / 1023 })
    static let filling = RangeTables(
        luma: { Double($0 - 16) * 255 / 219 }, chroma: { 128 + Double($0 - 128) * 255 / 224 },
        lumaOfTenBits: { Double($0 - 64) * 1023 / 876 }, chromaOfTenBits: { 512 + Double($0 - 512) * 1023 / 896 })

    private init(
        luma: (Int) -> Double, chroma: (Int) -> Double, lumaOfTenBits: (Int) -> Double,
        chromaOfTenBits: (Int) -> Double
    ) {
        func bytes(_ value: (Int) -> Double) -> [UInt8] {
            (0..<256).map { UInt8(clamping: min(max(0, value($0).rounded()), 255)) }
        }
        func words(_ value: (Int) -> Double) -> [UInt16] {
            (0..<1024).map { UInt16(clamping: min(max(0, value($0).rounded()), 1023)) }
        }
        (self.luma, self.chroma) = (bytes(luma), bytes(chroma))
        (self.lumaOfTenBits, self.chromaOfTenBits) = (words(lumaOfTenBits), words(chromaOfTenBits))
    }
}

extension PixelConverter {
    /// Converts a frame from full to limited range, in planes of `bitDepth` bits. RGB stays unchanged here, because its
    /// later conversion to luma and chroma results in limited range.
    func limited(_ source: PixelBuffer, bitDepth: Int) -> PixelBuffer {
        switch source.format {
        case .bgra, .argb, .rgba, .rgb24: source
        case .nv12, .i420: mapped(source, RangeTables.limiting, isFullRange: false)
        case .p010 where bitDepth == 8, .i010 where bitDepth == 8:
            mapped(narrow(source), RangeTables.limiting, isFullRange: false)
        case .i210 where bitDepth == 8: mapped(i420(source), RangeTables.limiting, isFullRange: false)
        case .i210: mapped(source, RangeTables.limiting, isFullRange: false)
        case .p010, .i010: mapped(i010(source), RangeTables.limiting, isFullRange: false)
        case .i422, .yuyv, .uyvy, .gray8: mapped(nv12(source), RangeTables.limiting, isFullRange: false)
        }
    }

    /// Returns a frame that libyuv converts to RGB correctly.
    ///
    /// libyuv's factors are below two, but BT.709 and BT.2020 at limited range need 2.112 and 2.142 for blue. A
    /// saturated blue would be too dark by nine. Such frames are converted to full range first, because all factors are
    /// small enough there.
    ///
    /// - Parameter source: a frame in `i420`, `i422`, `i010` or `i210`.
    func withFactorsBelowTwo(_ source: PixelBuffer) -> PixelBuffer {
        guard !source.color.isFullRange, source.color.needsFactorsAboveTwo(height: source.height) else { return source }
        return mapped(source, RangeTables.filling, isFullRange: true)
    }

    /// - Parameter source: a frame in `nv12`, `i420`, `i422`, `i010` or `i210`.
    private func mapped(_ source: PixelBuffer, _ tables: RangeTables, isFullRange: Bool) -> PixelBuffer {
        var target = target(source.format, source)
        target.color.isFullRange = isFullRange
        for plane in source.layout.planes.indices {
            let (columns, rows) = source.samples(ofPlane: plane)
            if source.format.hasTenLowBits {
                let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
                cyuv_map_ten_bits(
                    from[plane], from.row(plane), to[plane], to.row(plane), columns, rows,
                    plane == 0 ? tables.lumaOfTenBits : tables.chromaOfTenBits)
            } else {
                let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
                cyuv_map(
                    from[plane], from.row(plane), to[plane], to.row(plane), columns, rows,
                    plane == 0 ? tables.luma : tables.chroma)
            }
        }
        return target.finish()
    }
}

extension ColorDescription {
    /// Returns true for BT.709 and BT.2020, even if the matrix is unspecified and only assumed (see `matrixConstants`).
    fileprivate func needsFactorsAboveTwo(height: Int) -> Bool {
        switch matrix {
        case 1, 9, 10: true
        case 2: height >= 720
        default: false
        }
    }
}

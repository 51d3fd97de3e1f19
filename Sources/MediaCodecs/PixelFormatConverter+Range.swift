import CYUV
import MediaTypes

/// Limited range to full (ITU-T H.273, 8.3: equations 26 to 31, backwards).
private enum FullRange {
    static let luma: [UInt8] = (0..<256).map { byte(Double($0 - 16) * 255 / 219) }
    static let chroma: [UInt8] = (0..<256).map { byte(128 + Double($0 - 128) * 255 / 224) }
    static let lumaOfTenBits: [UInt16] = (0..<1024).map { word(Double($0 - 64) * 1023 / 876) }
    static let chromaOfTenBits: [UInt16] = (0..<1024).map { word(512 + Double($0 - 512) * 1023 / 896) }

    private static func byte(_ value: Double) -> UInt8 { UInt8(min(max(0, value.rounded()), 255)) }
    private static func word(_ value: Double) -> UInt16 { UInt16(min(max(0, value.rounded()), 1023)) }
}

extension PixelFormatConverter {
    /// A picture that libyuv turns into the right RGB.
    ///
    /// Its factors are below two, and BT.709 and BT.2020 at limited range need 2.112 and 2.142 for blue: a saturated blue
    /// would be nine too dark. At full range all factors are small enough.
    ///
    /// - Parameter source: in `i420`, `i422` or `i010`.
    func withFactorsBelowTwo(_ source: PixelBuffer) -> PixelBuffer {
        guard !source.color.isFullRange, source.color.needsFactorsAboveTwo(height: source.height) else { return source }
        var target = target(source.format, source)
        target.color.isFullRange = true
        for plane in 0..<3 {
            let isLuma = plane == 0
            let columns = Int32(isLuma ? source.width : (source.width + 1) / 2)
            let rows = Int32(isLuma || source.format == .i422 ? source.height : (source.height + 1) / 2)
            if source.format == .i010 {
                let (from, to) = (Planes<UInt16>(source), WritablePlanes<UInt16>(target))
                cyuv_map_ten_bits(
                    from[plane], from.row(plane), to[plane], to.row(plane), columns, rows,
                    isLuma ? FullRange.lumaOfTenBits : FullRange.chromaOfTenBits)
            } else {
                let (from, to) = (Planes<UInt8>(source), WritablePlanes<UInt8>(target))
                cyuv_map(
                    from[plane], from.row(plane), to[plane], to.row(plane), columns, rows,
                    isLuma ? FullRange.luma : FullRange.chroma)
            }
        }
        return target.finish()
    }
}

extension ColorDescription {
    /// BT.709 and BT.2020, also where nobody says so (see `matrixConstants`).
    fileprivate func needsFactorsAboveTwo(height: Int) -> Bool {
        switch matrix {
        case 1, 9, 10: true
        case 2: height >= 720
        default: false
        }
    }
}

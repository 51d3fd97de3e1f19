/// The frame size in a sequence parameter set (ITU-T H.264, 7.3.2.1.1), after cropping.
struct H264FrameSize {
    let width: Int
    let height: Int

    /// Returns nil for units that are not such a set.
    init?(_ unit: [UInt8]) {
        guard unit.count > 4 else { return nil }
        let bytes = EmulationPrevention.removed(from: unit.dropFirst(4))
        var bits = BitReader(bytes[...])
        guard bits.golomb() != nil, let chroma = Self.chroma(&bits, profile: unit[1]) else { return nil }
        guard bits.golomb() != nil, let order = bits.golomb() else { return nil }
        switch order {
        case 0: guard bits.golomb() != nil else { return nil }
        case 1:
            guard bits.bit() != nil, bits.golomb() != nil, bits.golomb() != nil, let count = bits.golomb(), count < 256
            else { return nil }
            for _ in 0..<count { guard bits.golomb() != nil else { return nil } }
        default: break
        }
        guard bits.golomb() != nil, bits.bit() != nil, let across = bits.golomb(), let down = bits.golomb(),
            let isFrame = bits.bit(), across < 2048, down < 2048
        else { return nil }
        if isFrame == 0 { _ = bits.bit() }
        guard bits.bit() != nil, let isCropped = bits.bit() else { return nil }
        var crop: [Int] = [0, 0, 0, 0]
        if isCropped == 1 {
            for side in crop.indices {
                guard let pixels = bits.golomb(), pixels < 32_768 else { return nil }
                crop[side] = Int(pixels)
            }
        }
        let fields = isFrame == 1 ? 1 : 2
        let unitX = chroma == 1 || chroma == 2 ? 2 : 1
        let unitY = (chroma == 1 ? 2 : 1) * fields
        width = (Int(across) + 1) * 16 - (crop[0] + crop[1]) * unitX
        height = (Int(down) + 1) * 16 * fields - (crop[2] + crop[3]) * unitY
        guard width > 0, height > 0 else { return nil }
    }

    /// Reads chroma_format_idc, and skips the scaling lists of the High profiles.
    private static func chroma(_ bits: inout BitReader, profile: UInt8) -> UInt32? {
        guard [100, 110, 122, 244, 44, 83, 86, 118, 128].contains(profile) else { return 1 }
        guard let chroma = bits.golomb(), chroma <= 3 else { return nil }
        if chroma == 3 { _ = bits.bit() }
        guard bits.golomb() != nil, bits.golomb() != nil, bits.bit() != nil, let hasLists = bits.bit() else {
            return nil
        }
        guard hasLists == 1 else { return chroma }
        for list in 0..<(chroma == 3 ? 12 : 8) {
            guard let isThere = bits.bit() else { return nil }
            guard isThere == 1 else { continue }
            var (last, next) = (8, 8)
            for _ in 0..<(list < 6 ? 16 : 64) {
                if next != 0 {
                    guard let code = bits.golomb() else { return nil }
                    let delta = code % 2 == 1 ? Int(code / 2) + 1 : -Int(code / 2)
                    next = (last + delta + 256) & 0xFF
                }
                last = next == 0 ? last : next
            }
        }
        return chroma
    }
}

/// The frame size and the order of frames in a sequence parameter set (ITU-T H.264, 7.3.2.1.1).
struct H264SequenceParameters {
    /// The size in pixels, after cropping.
    let width: Int
    let height: Int
    /// The reorder depth: the maximum number of frames that are decoded before another frame and shown after that
    /// frame. Nil if the set does not contain the depth.
    let reorderDepth: Int?
    /// The number of bits of frame_num in a slice's header; nil if the header may have another field before it.
    let frameNumberBits: Int?
    /// True if frames may be coded as two separate fields (frame_mbs_only_flag is 0).
    let mayHaveFields: Bool

    /// Returns nil for a unit that is not a sequence parameter set.
    init?(_ unit: [UInt8]) {
        guard unit.count > 4 else { return nil }
        let bytes = EmulationPrevention.removed(from: unit.dropFirst(4))
        var bits = BitReader(bytes[...])
        guard bits.golomb() != nil, let chroma = Self.chroma(&bits, profile: unit[1]) else { return nil }
        guard let numbers = bits.golomb(), let order = bits.golomb() else { return nil }
        // With separate color planes, the number of the plane comes first.
        frameNumberBits = chroma != 3 && numbers <= 12 ? Int(numbers) + 4 : nil
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
        mayHaveFields = isFrame == 0
        if mayHaveFields { _ = bits.bit() }
        guard bits.bit() != nil, let isCropped = bits.bit() else { return nil }
        var crop: [Int] = [0, 0, 0, 0]
        if isCropped == 1 {
            for side in crop.indices {
                guard let pixels = bits.golomb(), pixels < 32_768 else { return nil }
                crop[side] = Int(pixels)
            }
        }
        reorderDepth = Self.reorderDepth(&bits, unit, orderType: order)
        let fields = isFrame == 1 ? 1 : 2
        let unitX = chroma == 1 || chroma == 2 ? 2 : 1
        let unitY = (chroma == 1 ? 2 : 1) * fields
        width = (Int(across) + 1) * 16 - (crop[0] + crop[1]) * unitX
        height = (Int(down) + 1) * 16 * fields - (crop[2] + crop[3]) * unitY
        guard width > 0, height > 0 else { return nil }
    }

    private static func reorderDepth(_ bits: inout BitReader, _ unit: [UInt8], orderType: UInt32) -> Int? {
        // Frames are shown in the order in which they are decoded (8.2.1.3).
        if orderType == 2 { return 0 }
        if let stated = statedDepth(&bits) { return stated }
        // Baseline has no B-frames (A.2.1); constraint_set3_flag marks profiles of I-frames alone (E.2.1).
        let isIntra = unit[2] & 0x10 != 0 && [44, 86, 100, 110, 122, 244].contains(unit[1])
        return unit[1] == 66 || isIntra ? 0 : nil
    }

    /// Reads max_num_reorder_frames (E.1.1). Returns nil if the set does not contain it.
    private static func statedDepth(_ bits: inout BitReader) -> Int? {
        guard bits.bit() == 1 else { return nil }
        // The aspect ratio, overscan, the color and the chroma position.
        if bits.bit() == 1, bits.number(8) == 255 { _ = bits.number(32) }
        if bits.bit() == 1 { _ = bits.bit() }
        if bits.bit() == 1 {
            _ = bits.number(4)
            if bits.bit() == 1 { _ = bits.number(24) }
        }
        if bits.bit() == 1 { for _ in 0..<2 { _ = bits.golomb() } }
        // The frame rate.
        if bits.bit() == 1 { for count in [32, 32, 1] { _ = bits.number(count) } }
        var hasBuffers = false
        for _ in 0..<2 {
            guard bits.bit() == 1 else { continue }
            guard skipBuffers(&bits) else { return nil }
            hasBuffers = true
        }
        if hasBuffers { _ = bits.bit() }
        guard bits.bit() != nil, bits.bit() == 1, bits.bit() != nil else { return nil }
        for _ in 0..<4 { guard bits.golomb() != nil else { return nil } }
        guard let depth = bits.golomb(), depth <= 16 else { return nil }
        return Int(depth)
    }

    /// Skips the parameters of the hypothetical reference decoder (E.1.2).
    private static func skipBuffers(_ bits: inout BitReader) -> Bool {
        guard let more = bits.golomb(), more < 32, bits.number(8) != nil else { return false }
        for _ in 0...more {
            guard bits.golomb() != nil, bits.golomb() != nil, bits.bit() != nil else { return false }
        }
        return bits.number(20) != nil
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

/// The `esds` atom: MPEG-4 descriptors around a codec's decoder configuration (ISO/IEC 14496-1, 7.2.6; ISO/IEC
/// 14496-14, 5.6).
struct ElementaryStream {
    /// The type of the stream, by its object type indication (ISO/IEC 14496-1, table 5).
    enum Object: UInt8 {
        case mpeg4Video = 0x20
        case mpeg4Audio = 0x40
        case mpeg2Main = 0x61
        /// MPEG-2's half sample rates, of every layer.
        case mpeg2Part3 = 0x69
        case mpeg1Video = 0x6A
        case mpeg1Part3 = 0x6B
        case dts = 0xA9

        var isVisual: Bool { self == .mpeg4Video || self == .mpeg2Main || self == .mpeg1Video }
    }

    let object: Object
    let configuration: [UInt8]

    func write(into parent: inout AtomWriter) {
        // A visual stream has type 4, and audio has type 5. The type has six bits. An up-stream flag and a reserved bit
        // follow.
        let streamType: UInt8 = (object.isVisual ? 4 : 5) << 2 | 1
        var decoder: [UInt8] = [object.rawValue, streamType, 0, 0x18, 0]  // 6 KiB of decoding buffer
        decoder += [UInt8](repeating: 0, count: 8)  // maximum and average bit rate: unknown
        if !configuration.isEmpty { decoder += Self.descriptor(5, configuration) }
        let stream = Self.descriptor(3, [0, 0, 0] + Self.descriptor(4, decoder) + Self.descriptor(6, [2]))
        parent.fullAtom("esds") { $0.raw(stream) }
    }

    /// Writes lengths as four bytes of seven bits each, the form that all parsers support.
    private static func descriptor(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
        let length = (0..<4).map { index -> UInt8 in
            UInt8(truncatingIfNeeded: body.count >> (21 - 7 * index)) & 0x7F | (index < 3 ? 0x80 : 0)
        }
        return [tag] + length + body
    }
}

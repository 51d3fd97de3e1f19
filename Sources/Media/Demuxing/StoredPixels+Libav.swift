import CFFmpeg
import MediaTypes

extension StoredPixels {
    /// Describes one of libavutil's pixel formats; nil if libavformat has not determined the format.
    init?(_ format: Int32) {
        guard format >= 0, let descriptor = av_pix_fmt_desc_get(AVPixelFormat(rawValue: format))?.pointee,
            let name = descriptor.name
        else { return nil }
        let isRGB = descriptor.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
        self.init(
            name: String(cString: name), bitDepth: Int(descriptor.comp.0.depth),
            chroma: isRGB ? nil : Self.chroma(descriptor), isRGB: isRGB,
            hasAlpha: descriptor.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0)
    }

    private static func chroma(_ descriptor: AVPixFmtDescriptor) -> Chroma? {
        // Gray has one component, and a second component if it has transparency.
        if descriptor.nb_components < 3 { return Chroma.none }
        switch (descriptor.log2_chroma_w, descriptor.log2_chroma_h) {
        case (0, 0): return .yuv444
        case (0, 1): return .yuv440
        case (1, 0): return .yuv422
        case (1, 1): return .yuv420
        case (2, 0): return .yuv411
        case (2, 2): return .yuv410
        default: return nil
        }
    }
}

extension FieldOrder {
    /// Converts libavcodec's field order; nil for "unknown". libavcodec's names state which field is stored first and
    /// which field is shown first.
    init?(_ order: AVFieldOrder) {
        switch order {
        case AV_FIELD_PROGRESSIVE: self = .progressive
        case AV_FIELD_TT: self = .upperFirst
        case AV_FIELD_BB: self = .lowerFirst
        case AV_FIELD_TB: self = .lowerFirstInterleaved
        case AV_FIELD_BT: self = .upperFirstInterleaved
        default: return nil
        }
    }
}

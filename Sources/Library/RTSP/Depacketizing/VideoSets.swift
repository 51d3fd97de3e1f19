import MediaCodecs
import MediaTypes

/// The meaning of a NAL unit for an access unit.
enum VideoUnitKind: Sendable, Hashable {
    /// A part of a frame; `isFirst` if it is the first part.
    case slice(isFirst: Bool, isKeyframe: Bool)
    case parameterSet
    /// Another unit that is stored with the frame, such as a message.
    case other
    /// A unit that is not stored in files (ISO/IEC 14496-15): delimiters and filler.
    case ignored
}

/// The parameter sets of an H.264 or HEVC stream, and the kinds of its NAL units.
enum VideoSets: Sendable {
    case h264(AVCConfiguration)
    case hevc(HEVCParameterSets)

    func kind(of unit: ArraySlice<UInt8>) -> VideoUnitKind {
        guard let first = unit.first else { return .ignored }
        let start = unit.startIndex
        switch self {
        case .h264:
            switch first & 0x1F {
            // first_mb_in_slice is 0 if its first bit is 1 (ITU-T H.264, 7.3.3 and 9.1).
            case 1, 2, 5:
                return .slice(isFirst: unit.count > 1 && unit[start + 1] & 0x80 != 0, isKeyframe: first & 0x1F == 5)
            case 7, 8: return .parameterSet
            case 0, 9, 12, 24...31: return .ignored
            default: return .other
            }
        case .hevc:
            let type = first >> 1 & 0x3F
            switch type {
            // first_slice_segment_in_pic_flag (ITU-T H.265, 7.3.6.1); 16 to 21 are random access points (table 7-1).
            case 0...31:
                return .slice(
                    isFirst: unit.count > 2 && unit[start + 2] & 0x80 != 0, isKeyframe: (16...21).contains(type))
            case 32...34: return .parameterSet
            case 35, 38, 48...63: return .ignored
            default: return .other
            }
        }
    }

    /// Accepts a NAL unit, and returns true if it is a parameter set that differs from the earlier ones.
    mutating func take(_ unit: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .h264(var configuration):
            let isNew = unit.withUnsafeBytes { configuration.changes(with: $0) }
            if isNew { self = .h264(configuration) }
            return isNew
        case .hevc(var list):
            let isNew = unit.withUnsafeBytes { list.changes(with: $0) }
            if isNew { self = .hevc(list) }
            return isNew
        }
    }

    /// The payload of `avcC` or `hvcC`; empty until all kinds of sets are known.
    var record: [UInt8] {
        switch self {
        case .h264(let configuration): configuration.bytes
        case .hevc(let list): list.bytes
        }
    }

    /// The maximum number of frames that come before another frame and are shown after it; nil if the sets do not say.
    var reorderDepth: Int? {
        switch self {
        case .h264(let configuration): configuration.reorderDepth
        case .hevc(let list): list.reorderDepth
        }
    }

    /// The numbers of the frames; nil for HEVC, and if the sets do not state their size.
    var frameNumbers: H264FrameNumbers? {
        switch self {
        case .h264(let configuration): H264FrameNumbers(record: configuration.bytes)
        case .hevc: nil
        }
    }

    /// The format that the sets describe; nil until they are known and readable.
    var format: VideoFormat? {
        let (codec, known): (VideoCodec, (width: Int, height: Int)?) =
            switch self {
            case .h264(let configuration): (.h264, configuration.frameSize)
            case .hevc(let list): (.hevc, list.frameSize)
            }
        guard !record.isEmpty, let size = known, SampleLimits.pixels.contains(size.width),
            SampleLimits.pixels.contains(size.height)
        else { return nil }
        return VideoFormat(codec: codec, width: size.width, height: size.height, decoderConfiguration: record)
    }
}

import Foundation
import MediaTypes

extension VideoSettings {
    /// Reads the video `outputSettings` of `AVAssetWriterInput`.
    ///
    /// Unknown keys are ignored, but within `AVVideoCompressionPropertiesKey` they are refused, as in AVFoundation.
    ///
    /// - Throws: all errors in the dictionary, such as a missing codec, or a property that the codec does not have.
    init(_ dictionary: [String: Any]) throws(SettingsFaults) {
        var reader = SettingsReader(dictionary)
        self.init(codec: .h264)
        if let code = reader.string(AVVideoCodecKey) {
            switch Self.codec(code) {
            case .success(let codec): self.codec = codec
            case .failure(let fault): reader.fault(AVVideoCodecKey, fault.reason)
            }
        } else if reader.value(AVVideoCodecKey) == nil {
            reader.fault(AVVideoCodecKey, "it is missing")
        }
        let lengths = 1...65_535
        width = reader.integer(AVVideoWidthKey, in: lengths)
        height = reader.integer(AVVideoHeightKey, in: lengths)
        let modes: [String: ScalingMode] = [
            AVVideoScalingModeFit: .fit, AVVideoScalingModeResize: .resize,
            AVVideoScalingModeResizeAspect: .resizeAspect, AVVideoScalingModeResizeAspectFill: .resizeAspectFill,
        ]
        if let mode = reader.choice(AVVideoScalingModeKey, modes) { scalingMode = mode }
        if let ratio = reader.dictionary(AVVideoPixelAspectRatioKey, { $0.pixelAspectRatio() }) {
            pixelAspectRatio = ratio
        }
        cleanAperture = reader.dictionary(AVVideoCleanApertureKey) { $0.cleanAperture() }
        color = reader.dictionary(AVVideoColorPropertiesKey) {
            $0.color(AVVideoColorPrimariesKey, AVVideoTransferFunctionKey, AVVideoYCbCrMatrixKey)
        }
        if let properties = reader.dictionary(AVVideoCompressionPropertiesKey, { [self] in compressed(by: &$0) }) {
            self = properties
        }
        if !reader.faults.isEmpty { throw SettingsFaults(list: reader.faults.sorted { $0.key < $1.key }) }
    }

    private static func codec(_ code: String) -> Result<VideoCodec, SettingsFault> {
        func refused(_ reason: String) -> Result<VideoCodec, SettingsFault> {
            .failure(SettingsFault(key: AVVideoCodecKey, reason: reason))
        }
        switch code {
        case "avc1", "avc3": return .success(.h264)
        case "hvc1", "hev1": return .success(.hevc)
        case "jpeg": return .success(.mjpeg)
        case "av01": return .success(.av1)
        case "apco": return .success(VideoCodec(rawValue: "prores422proxy"))
        case "apcs": return .success(VideoCodec(rawValue: "prores422lt"))
        case "apcn": return .success(VideoCodec(rawValue: "prores422"))
        case "apch": return .success(VideoCodec(rawValue: "prores422hq"))
        case "ap4h", "ap4x": return refused("ProRes 4444 can be read, but not written")
        case "muxa": return refused("HEVC with transparency is not supported for writing")
        default: return refused("“\(code)” is not supported for writing")
        }
    }

    /// The code for `AVVideoCodecKey`; nil for a codec for which Apple has no name.
    var codecType: AVVideoCodecType? {
        switch codec {
        case .h264: .h264
        case .hevc: .hevc
        case .mjpeg: .jpeg
        case .av1: AVVideoCodecType("av01")
        case .proRes: .proRes422
        default:
            switch codec.rawValue {
            case "prores422proxy": .proRes422Proxy
            case "prores422lt": .proRes422LT
            case "prores422": .proRes422
            case "prores422hq": .proRes422HQ
            default: nil
            }
        }
    }

    var isProRes: Bool { codec.rawValue.hasPrefix("prores") }
}

extension SettingsReader {
    /// Reads a dictionary with a horizontal and a vertical spacing.
    mutating func pixelAspectRatio() -> Ratio? {
        let range = 1...Int(Int32.max)
        let keys = (AVVideoPixelAspectRatioHorizontalSpacingKey, AVVideoPixelAspectRatioVerticalSpacingKey)
        let (horizontal, vertical) = (integer(keys.0, in: range), integer(keys.1, in: range))
        requires(keys.0, keys.1)
        guard let horizontal, let vertical else { return nil }
        return Ratio(Int32(horizontal), Int32(vertical))
    }

    mutating func cleanAperture() -> CleanAperture? {
        let (lengths, offsets) = (1...65_535, -65_535...65_535)
        let width = integer(AVVideoCleanApertureWidthKey, in: lengths)
        let height = integer(AVVideoCleanApertureHeightKey, in: lengths)
        let horizontal = integer(AVVideoCleanApertureHorizontalOffsetKey, in: offsets) ?? 0
        let vertical = integer(AVVideoCleanApertureVerticalOffsetKey, in: offsets) ?? 0
        requires(AVVideoCleanApertureWidthKey, AVVideoCleanApertureHeightKey)
        guard let width, let height else { return nil }
        return CleanAperture(
            width: Int32(width), height: Int32(height), horizontalOffset: Int32(horizontal),
            verticalOffset: Int32(vertical))
    }

    /// Reads the three color properties; nil if all three are missing. If only some are missing, they become
    /// unspecified.
    mutating func color(_ primaries: String, _ transfer: String, _ matrix: String) -> ColorDescription? {
        let codes = (
            choice(primaries, ColorNames.primaries), choice(transfer, ColorNames.transfers),
            choice(matrix, ColorNames.matrices)
        )
        guard codes.0 != nil || codes.1 != nil || codes.2 != nil else { return nil }
        return ColorDescription(primaries: codes.0 ?? 2, transfer: codes.1 ?? 2, matrix: codes.2 ?? 2)
    }

    private mutating func requires(_ keys: String...) {
        for key in keys where value(key) == nil { fault(key, "it is missing") }
    }
}

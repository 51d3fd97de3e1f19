import Foundation
import MediaTypes

extension VideoSettings {
    /// The settings as a dictionary for `AVAssetWriterInput`. The same settings can be read from it, except settings
    /// that have no key, such as x264's `preset`.
    var dictionary: [String: Any] {
        var settings: [String: Any] = [:]
        settings[AVVideoCodecKey] = codecType ?? AVVideoCodecType(codec.rawValue)
        settings[AVVideoWidthKey] = width
        settings[AVVideoHeightKey] = height
        settings[AVVideoScalingModeKey] =
            switch scalingMode {
            case .fit: AVVideoScalingModeFit
            case .resize: AVVideoScalingModeResize
            case nil: nil
            case .resizeAspect: AVVideoScalingModeResizeAspect
            case .resizeAspectFill: AVVideoScalingModeResizeAspectFill
            }
        if pixelAspectRatio != .one {
            settings[AVVideoPixelAspectRatioKey] =
                [
                    AVVideoPixelAspectRatioHorizontalSpacingKey: Int(pixelAspectRatio.numerator),
                    AVVideoPixelAspectRatioVerticalSpacingKey: Int(pixelAspectRatio.denominator),
                ] as [String: Any]
        }
        if let cleanAperture {
            settings[AVVideoCleanApertureKey] =
                [
                    AVVideoCleanApertureWidthKey: Int(cleanAperture.width),
                    AVVideoCleanApertureHeightKey: Int(cleanAperture.height),
                    AVVideoCleanApertureHorizontalOffsetKey: Int(cleanAperture.horizontalOffset),
                    AVVideoCleanApertureVerticalOffsetKey: Int(cleanAperture.verticalOffset),
                ] as [String: Any]
        }
        if let color, color.isSpecified {
            var properties: [String: Any] = [:]
            properties[AVVideoColorPrimariesKey] = ColorNames.primaries(color.primaries)
            properties[AVVideoTransferFunctionKey] = ColorNames.transfer(color.transfer)
            properties[AVVideoYCbCrMatrixKey] = ColorNames.matrix(color.matrix)
            if !properties.isEmpty { settings[AVVideoColorPropertiesKey] = properties }
        }
        let compression = compressionProperties
        if !compression.isEmpty { settings[AVVideoCompressionPropertiesKey] = compression }
        return settings
    }

    private var compressionProperties: [String: Any] {
        var properties: [String: Any] = [:]
        properties[AVVideoExpectedSourceFrameRateKey] = expectedFrameRate
        if isProRes { return properties }
        switch rateControl {
        case .bitRate(let bits): if codec != .mjpeg { properties[AVVideoAverageBitRateKey] = bits }
        case .constantQuality(let factor):
            // This is the inverse of the conversion that reads a quality.
            properties[AVVideoQualityKey] = min(max(0, (51 - factor) / 50), 1)
        case .quality(let quality): properties[AVVideoQualityKey] = quality
        }
        if codec == .mjpeg { return properties }
        properties[AVVideoMaxKeyFrameIntervalDurationKey] = keyframeInterval.seconds
        if let maximumBFrames { properties[AVVideoAllowFrameReorderingKey] = maximumBFrames > 0 }
        properties[AVVideoProfileLevelKey] = profileLevel
        if codec == .h264, let entropyMode {
            properties[AVVideoH264EntropyModeKey] =
                entropyMode == .cavlc ? AVVideoH264EntropyModeCAVLC : AVVideoH264EntropyModeCABAC
        }
        properties[kVTCompressionPropertyKey_MasteringDisplayColorVolume] = masteringDisplay?.coreVideoBytes
        properties[kVTCompressionPropertyKey_ContentLightLevelInfo] = contentLight?.coreVideoBytes
        return properties
    }

    private var profileLevel: String? {
        guard let profile else { return nil }
        let (codecName, profileName): (String, String)
        switch (codec, profile.rawValue) {
        case (.h264, "baseline"): (codecName, profileName) = ("H264", "Baseline")
        case (.h264, "main"): (codecName, profileName) = ("H264", "Main")
        case (.h264, "high"): (codecName, profileName) = ("H264", "High")
        case (.hevc, "main"): (codecName, profileName) = ("HEVC", "Main")
        case (.hevc, "main10"): (codecName, profileName) = ("HEVC", "Main10")
        case (.av1, "main"): (codecName, profileName) = ("AV1", "Main")
        default: return nil
        }
        let levelName = level?.replacingOccurrences(of: ".", with: "_") ?? "AutoLevel"
        return "\(codecName)_\(profileName)_\(levelName)"
    }
}

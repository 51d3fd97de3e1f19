import Foundation
import MediaCodecs
import MediaTypes

/// The settings with which an encoder of the library is opened.
struct EncoderSetup: Hashable {
    var settings: VideoSettings
    /// True if the encoder should hold back only few frames.
    var isRealTime: Bool

    /// True if packets may come in a different order than frames.
    var reorders: Bool {
        (settings.codec == .h264 || settings.codec == .hevc) && settings.maximumBFrames != 0
            && settings.profile != .baseline
    }

    /// True if the library can encode in two passes with these settings.
    var hasPasses: Bool {
        guard case .bitRate = settings.rateControl, !isRealTime else { return false }
        return settings.codec == .h264 || settings.codec == .hevc
    }
}

/// The properties that were set in a compression session, and what they mean for the encoder. A plain value.
struct CompressionProperties {
    let encoder: ListedEncoder
    let width: Int32
    let height: Int32
    /// True if the caller chose an encoder that holds back no frames.
    let hasLowLatency: Bool
    private var values: [String: Any] = [:]

    init(_ encoder: ListedEncoder, width: Int32, height: Int32, hasLowLatency: Bool) {
        self.encoder = encoder
        self.width = width
        self.height = height
        self.hasLowLatency = hasLowLatency
    }

    /// Returns the value of a property; nil if it was not set.
    subscript(key: String) -> Any? { values[key] }

    /// Sets a property, or resets it if the value is nil.
    mutating func set(_ value: Any?, for key: String) -> OSStatus {
        guard let access = supported[key] else { return kVTPropertyNotSupportedErr }
        guard access == .readWrite else { return kVTPropertyReadOnlyErr }
        var changed = self
        // A number of any type is stored as `CFNumber`, because reading must return one.
        if let number = value as? NSNumber { changed.values[key] = number } else { changed.values[key] = value }
        guard changed.hasValidNumbers, (try? changed.setup()) != nil else { return kVTParameterErr }
        self = changed
        return noErr
    }

    // MARK: Meaning

    /// - Throws: an error for each invalid value.
    func setup() throws(SettingsFaults) -> EncoderSetup {
        let properties = values.filter { !Self.own.contains($0.key) }
        let dictionary: [String: Any] = [
            AVVideoCodecKey: FourCharacters(encoder.codecType).description, AVVideoWidthKey: Int(width),
            AVVideoHeightKey: Int(height), AVVideoCompressionPropertiesKey: properties,
        ]
        var settings = try VideoSettings(dictionary)
        if bool(kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality) == true { settings.preset = "superfast" }
        let isRealTime = bool(kVTCompressionPropertyKey_RealTime) == true
        let delay = number(kVTCompressionPropertyKey_MaxFrameDelayCount)?.integer
        let holdsNothing = hasLowLatency || delay == 0 || isRealTime && settings.maximumBFrames == 0
        if holdsNothing {
            settings.maximumBFrames = 0
            if settings.codec == .h264 { settings.lookAhead = 0 }
        }
        return EncoderSetup(settings: settings.padded(hint: nil), isRealTime: isRealTime || holdsNothing)
    }

    private func number(_ key: String) -> SettingsNumber? { values[key].flatMap { settingsNumber($0) } }
    private func bool(_ key: String) -> Bool? { number(key)?.bool }

    /// False if a property that only this type reads has an invalid value.
    private var hasValidNumbers: Bool {
        let areNumbers = Self.own.allSatisfy { values[$0] == nil || number($0) != nil }
        guard let delay = number(kVTCompressionPropertyKey_MaxFrameDelayCount) else { return areNumbers }
        return areNumbers && (delay.integer == 0 || delay.integer == Int(kVTUnlimitedFrameDelayCount))
    }

    // MARK: Keys

    /// Properties that are read by this type instead of `VideoSettings`. Also hints for which any number is valid.
    private static let own: Set<String> = [
        kVTCompressionPropertyKey_AllowOpenGOP, kVTCompressionPropertyKey_ExpectedDuration,
        kVTCompressionPropertyKey_MaximizePowerEfficiency, kVTCompressionPropertyKey_MaximumRealTimeFrameRate,
        kVTCompressionPropertyKey_MaxFrameDelayCount,
        kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, kVTCompressionPropertyKey_RealTime,
        kVTCompressionPropertyKey_SourceFrameCount,
    ]

    private static let ofAll: Set<String> = [
        kVTCompressionPropertyKey_CleanAperture, kVTCompressionPropertyKey_ColorPrimaries,
        kVTCompressionPropertyKey_ExpectedFrameRate, kVTCompressionPropertyKey_MaximizePowerEfficiency,
        kVTCompressionPropertyKey_MaximumRealTimeFrameRate, kVTCompressionPropertyKey_PixelAspectRatio,
        kVTCompressionPropertyKey_RealTime, kVTCompressionPropertyKey_TransferFunction,
        kVTCompressionPropertyKey_YCbCrMatrix,
    ]

    private static let ofReordering: Set<String> = [
        kVTCompressionPropertyKey_AllowFrameReordering, kVTCompressionPropertyKey_AllowOpenGOP,
        kVTCompressionPropertyKey_AllowTemporalCompression, kVTCompressionPropertyKey_AverageBitRate,
        kVTCompressionPropertyKey_ContentLightLevelInfo, kVTCompressionPropertyKey_ExpectedDuration,
        kVTCompressionPropertyKey_HDRMetadataInsertionMode, kVTCompressionPropertyKey_MasteringDisplayColorVolume,
        kVTCompressionPropertyKey_MaxKeyFrameInterval, kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration,
        kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, kVTCompressionPropertyKey_ProfileLevel,
        kVTCompressionPropertyKey_Quality, kVTCompressionPropertyKey_SourceFrameCount,
    ]

    private static let readOnly: Set<String> = [
        kVTCompressionPropertyKey_EncoderID, kVTCompressionPropertyKey_NumberOfPendingFrames,
        kVTCompressionPropertyKey_PixelBufferPoolIsShared, kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes,
    ]

    /// The keys of the encoder's properties, without the key for the storage of several passes.
    var supported: [String: PropertyAccess] {
        var settable = Self.ofAll
        switch encoder.codec {
        case .h264:
            settable.formUnion(Self.ofReordering)
            settable.formUnion([
                kVTCompressionPropertyKey_H264EntropyMode, kVTCompressionPropertyKey_MaxFrameDelayCount,
            ])
        case .hevc: settable.formUnion(Self.ofReordering)
        case .mjpeg: settable.insert(kVTCompressionPropertyKey_Quality)
        default: break
        }
        var keys: [String: PropertyAccess] = [:]
        for key in settable { keys[key] = .readWrite }
        for key in Self.readOnly { keys[key] = .readOnly }
        return keys
    }
}

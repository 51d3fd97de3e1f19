/// The presets of `AVOutputSettingsAssistant`.
public struct AVOutputSettingsPreset: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVOutputSettingsPreset {
    public static let preset640x480 = Self("AVOutputSettingsPreset640x480")
    public static let preset960x540 = Self("AVOutputSettingsPreset960x540")
    public static let preset1280x720 = Self("AVOutputSettingsPreset1280x720")
    public static let preset1920x1080 = Self("AVOutputSettingsPreset1920x1080")
    public static let preset3840x2160 = Self("AVOutputSettingsPreset3840x2160")
    public static let hevc1920x1080 = Self("AVOutputSettingsPresetHEVC1920x1080")
    public static let hevc1920x1080WithAlpha = Self("AVOutputSettingsPresetHEVC1920x1080WithAlpha")
    public static let hevc3840x2160 = Self("AVOutputSettingsPresetHEVC3840x2160")
    public static let hevc3840x2160WithAlpha = Self("AVOutputSettingsPresetHEVC3840x2160WithAlpha")
    public static let hevc4320x2160 = Self("AVOutputSettingsPresetHEVC4320x2160")
    public static let hevc7680x4320 = Self("AVOutputSettingsPresetHEVC7680x4320")
    public static let mvhevc960x960 = Self("AVOutputSettingsPresetMVHEVC960x960")
    public static let mvhevc1440x1440 = Self("AVOutputSettingsPresetMVHEVC1440x1440")
    public static let mvhevc4320x4320 = Self("AVOutputSettingsPresetMVHEVC4320x4320")
    public static let mvhevc7680x7680 = Self("AVOutputSettingsPresetMVHEVC7680x7680")
}

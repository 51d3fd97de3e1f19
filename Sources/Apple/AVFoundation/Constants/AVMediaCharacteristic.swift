/// A characteristic of a track’s media, in addition to its type.
public struct AVMediaCharacteristic: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVMediaCharacteristic {
    public static let visual = Self("AVMediaCharacteristicVisual")
    public static let audible = Self("AVMediaCharacteristicAudible")
    public static let legible = Self("AVMediaCharacteristicLegible")
    public static let frameBased = Self("AVMediaCharacteristicFrameBased")
    public static let usesWideGamutColorSpace = Self("AVMediaCharacteristicUsesWideGamutColorSpace")
    public static let containsHDRVideo = Self("AVMediaCharacteristicContainsHDRVideo")
    public static let containsAlphaChannel = Self("AVMediaCharacteristicContainsAlphaChannel")
    public static let containsStereoMultiviewVideo = Self("AVMediaCharacteristicContainsStereoMultiviewVideo")
}

/// The purpose of a track according to its tags (`tagc` in its user data).
extension AVMediaCharacteristic {
    public static let isMainProgramContent = Self("public.main-program-content")
    public static let isAuxiliaryContent = Self("public.auxiliary-content")
    public static let isOriginalContent = Self("public.original-content")
    public static let containsOnlyForcedSubtitles = Self("public.subtitles.forced-only")
    public static let transcribesSpokenDialogForAccessibility = Self("public.accessibility.transcribes-spoken-dialog")
    public static let describesMusicAndSoundForAccessibility = Self("public.accessibility.describes-music-and-sound")
    public static let describesVideoForAccessibility = Self("public.accessibility.describes-video")
    public static let enhancesSpeechIntelligibility = Self("public.accessibility.enhances-speech-intelligibility")
    public static let easyToRead = Self("public.easy-to-read")
    public static let languageTranslation = Self("public.translation")
    public static let dubbedTranslation = Self("public.translation.dubbed")
    public static let voiceOverTranslation = Self("public.translation.voice-over")
}

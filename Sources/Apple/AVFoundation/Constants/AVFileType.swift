/// The format of a file. The raw value is its uniform type identifier.
///
/// `AVAssetWriter` and `AVAssetExportSession` define which of these formats can be written.
public struct AVFileType: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Movies.
extension AVFileType {
    public static let mov = Self("com.apple.quicktime-movie")
    public static let mp4 = Self("public.mpeg-4")
    public static let m4v = Self("com.apple.m4v-video")
    public static let mobile3GPP = Self("public.3gpp")
    public static let mobile3GPP2 = Self("public.3gpp2")
}

/// Audio.
extension AVFileType {
    public static let m4a = Self("com.apple.m4a-audio")
    public static let caf = Self("com.apple.coreaudio-format")
    public static let wav = Self("com.microsoft.waveform-audio")
    public static let aiff = Self("public.aiff-audio")
    public static let aifc = Self("public.aifc-audio")
    public static let amr = Self("org.3gpp.adaptive-multi-rate-audio")
    public static let mp3 = Self("public.mp3")
    public static let au = Self("public.au-audio")
    public static let ac3 = Self("public.ac3-audio")
    public static let eac3 = Self("public.enhanced-ac3-audio")
}

/// Images.
extension AVFileType {
    public static let jpg = Self("public.jpeg")
    public static let dng = Self("com.adobe.raw-image")
    public static let heic = Self("public.heic")
    public static let avci = Self("public.avci")
    public static let heif = Self("public.heif")
    public static let tif = Self("public.tiff")
}

/// Patterns of haptic feedback.
extension AVFileType {
    public static let AHAP = Self("com.apple.haptics.ahap")
}

/// Text.
extension AVFileType {
    public static let appleiTT = Self("com.apple.itunes-timed-text")
    public static let SCC = Self("com.scenarist.closed-caption")
}

import MediaTypes

extension CMFormatDescription {
    /// The codec or pixel format as a four-character code.
    public struct MediaSubType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: FourCharCode
        public init(rawValue: FourCharCode) { self.rawValue = rawValue }
        public init(string: String) {
            self.init(rawValue: MediaTypes.FourCharCode(string).rawValue)
        }
        public var description: String { FourCharacters(rawValue).description }

        public static let h264 = MediaSubType(string: "avc1")
        public static let hevc = MediaSubType(string: "hvc1")
        public static let hevcWithAlpha = MediaSubType(string: "muxa")
        public static let jpeg = MediaSubType(string: "jpeg")
        public static let av1 = MediaSubType(string: "av01")
        public static let proRes422 = MediaSubType(string: "apcn")
        public static let proRes422HQ = MediaSubType(string: "apch")
        public static let proRes422LT = MediaSubType(string: "apcs")
        public static let proRes422Proxy = MediaSubType(string: "apco")
        public static let proRes4444 = MediaSubType(string: "ap4h")
        public static let proRes4444XQ = MediaSubType(string: "ap4x")
        public static let mpeg4Video = MediaSubType(string: "mp4v")
        public static let mpeg2Video = MediaSubType(string: "mp2v")
        public static let h263 = MediaSubType(string: "h263")
        public static let linearPCM = MediaSubType(string: "lpcm")
        public static let mpeg4AAC = MediaSubType(string: "aac ")
        public static let mpeg4AAC_HE = MediaSubType(string: "aach")
        public static let appleLossless = MediaSubType(string: "alac")
        public static let mpegLayer2 = MediaSubType(string: ".mp2")
        public static let mpegLayer3 = MediaSubType(string: ".mp3")
        public static let opus = MediaSubType(string: "opus")
        public static let flac = MediaSubType(string: "flac")
        public static let ac3 = MediaSubType(string: "ac-3")
        public static let enhancedAC3 = MediaSubType(string: "ec-3")
        public static let uLaw = MediaSubType(string: "ulaw")
        public static let aLaw = MediaSubType(string: "alaw")
        public static let pixelFormat_32ARGB = MediaSubType(rawValue: kCVPixelFormatType_32ARGB)
        public static let pixelFormat_32BGRA = MediaSubType(rawValue: kCVPixelFormatType_32BGRA)
        public static let pixelFormat_24RGB = MediaSubType(rawValue: kCVPixelFormatType_24RGB)
        public static let pixelFormat_422YpCbCr8 = MediaSubType(rawValue: kCVPixelFormatType_422YpCbCr8)
        public static let timeCode32 = MediaSubType(string: "tmcd")
    }
}

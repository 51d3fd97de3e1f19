/// A video codec. The raw value is the code of the sample description.
public struct AVVideoCodecType: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVVideoCodecType {
    public static let h264 = Self("avc1")
    public static let hevc = Self("hvc1")
    public static let hevcWithAlpha = Self("muxa")
    public static let jpeg = Self("jpeg")
    public static let JPEGXL = Self("jxlc")
    public static let proRes4444XQ = Self("ap4x")
    public static let proRes4444 = Self("ap4h")
    public static let proRes422HQ = Self("apch")
    public static let proRes422 = Self("apcn")
    public static let proRes422LT = Self("apcs")
    public static let proRes422Proxy = Self("apco")
    public static let proResRAW = Self("aprn")
    public static let proResRAWHQ = Self("aprh")
}

// Older names, from before the type existed.

public let AVVideoCodecH264: String = "avc1"
public let AVVideoCodecHEVC: String = "hvc1"
public let AVVideoCodecJPEG: String = "jpeg"
public let AVVideoCodecAppleProRes4444: String = "ap4h"
public let AVVideoCodecAppleProRes422: String = "apcn"

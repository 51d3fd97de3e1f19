/// The media type of a track. The raw value is the media handler’s code (QTFF, `hdlr`).
public struct AVMediaType: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AVMediaType {
    public static let video = Self("vide")
    public static let audio = Self("soun")
    public static let text = Self("text")
    public static let closedCaption = Self("clcp")
    public static let subtitle = Self("sbtl")
    public static let timecode = Self("tmcd")
    public static let metadata = Self("meta")
    public static let muxed = Self("muxx")
    public static let depthData = Self("dpth")
    public static let auxiliaryPicture = Self("auxv")
    public static let haptic = Self("hapt")
}

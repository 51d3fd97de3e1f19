/// A type code of four bytes, as used by QuickTime, V4L2 and RIFF.
public struct FourCharCode: RawRepresentable, Hashable, Sendable, Codable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The code as a big-endian number, as stored in a QuickTime file.
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Four Latin-1 characters; shorter text is padded with spaces, longer text is cut.
    public init(stringLiteral value: StaticString) {
        self = value.withUTF8Buffer { Self($0) }
    }

    public init(_ text: String) {
        self = Array(text.utf8).withUnsafeBufferPointer { Self($0) }
    }

    // Parsers make and compare many codes. A generic collection here, and the generic comparison of raw values, took most
    // of their time when they ran without optimization, as in tests.
    private init(_ text: UnsafeBufferPointer<UInt8>) {
        rawValue = 0
        for place in 0..<4 { rawValue = rawValue << 8 | UInt32(place < text.count ? text[place] : 0x20) }
    }

    public static func == (one: Self, other: Self) -> Bool { one.rawValue == other.rawValue }

    public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) } }

    public var description: String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0 >= 0x20 && $0 < 0x7F ? $0 : 0x3F) }))
    }
}

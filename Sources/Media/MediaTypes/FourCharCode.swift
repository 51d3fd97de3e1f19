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

    public init(_ text: String) { self.init(Array(text.utf8)) }

    private init(_ bytes: some Collection<UInt8>) {
        var code: UInt32 = 0
        var count = 0
        for byte in bytes.prefix(4) {
            code = code << 8 | UInt32(byte)
            count += 1
        }
        while count < 4 {
            code = code << 8 | 0x20
            count += 1
        }
        rawValue = code
    }

    public var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) } }

    public var description: String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0 >= 0x20 && $0 < 0x7F ? $0 : 0x3F) }))
    }
}

import Foundation

extension AVMetadataItem {
    /// Returns the identifier `space/key`, in which all bytes except printable ASCII are written as `%` and two
    /// hexadecimal digits. Returns nil for an invalid key.
    ///
    /// - Parameter key: a string, or a four-character code such as `©nam`, given as a number or as four bytes.
    public class func identifier(forKey key: Any, keySpace: AVMetadataKeySpace) -> AVMetadataIdentifier? {
        guard !keySpace.rawValue.isEmpty, let bytes = bytes(of: key, keySpace), !bytes.isEmpty else { return nil }
        let text = bytes.reduce(into: "") { text, byte in
            if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%"), byte != UInt8(ascii: "/") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += String(format: "%%%02X", Int(byte))
            }
        }
        return AVMetadataIdentifier(rawValue: prefix(of: keySpace) + "/" + text)
    }

    public class func keySpace(forIdentifier identifier: AVMetadataIdentifier) -> AVMetadataKeySpace? {
        guard let slash = identifier.rawValue.firstIndex(of: "/"), slash > identifier.rawValue.startIndex else {
            return nil
        }
        let prefix = String(identifier.rawValue[..<slash])
        return prefix == "id3" ? .id3 : AVMetadataKeySpace(rawValue: prefix)
    }

    /// Returns the key as an `NSString`.
    public class func key(forIdentifier identifier: AVMetadataIdentifier) -> Any? {
        guard let space = keySpace(forIdentifier: identifier) else { return nil }
        let bytes = keyBytes(ofIdentifier: identifier)
        guard !bytes.isEmpty else { return nil }
        return NSString(string: isOfCodes(space) ? code(bytes) : String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the bytes of the key; empty for an invalid identifier.
    class func keyBytes(ofIdentifier identifier: AVMetadataIdentifier) -> [UInt8] {
        guard let slash = identifier.rawValue.firstIndex(of: "/") else { return [] }
        var bytes: [UInt8] = []
        var rest = Array(identifier.rawValue[identifier.rawValue.index(after: slash)...].utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private class func prefix(of keySpace: AVMetadataKeySpace) -> String {
        keySpace == .id3 ? "id3" : keySpace.rawValue
    }

    /// Returns true for key spaces whose keys are four characters in the Mac OS Roman encoding. The only character in
    /// these keys that is not ASCII is ©.
    private class func isOfCodes(_ keySpace: AVMetadataKeySpace) -> Bool {
        [.quickTimeUserData, .isoUserData, .iTunes].contains(keySpace)
    }

    private class func code(_ bytes: [UInt8]) -> String {
        guard bytes.contains(where: { $0 >= 0x80 }) else { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return bytes.reduce(into: "") { $0 += $1 == 0xA9 ? "©" : String(Unicode.Scalar($1)) }
        }
        return text
    }

    private class func bytes(of key: Any, _ keySpace: AVMetadataKeySpace) -> [UInt8]? {
        switch key {
        case let text as String: return textBytes(text, keySpace)
        case let text as NSString: return textBytes(String._unconditionallyBridgeFromObjectiveC(text), keySpace)
        case let key as AVMetadataKey: return textBytes(key.rawValue, keySpace)
        case let code as UInt32: return withUnsafeBytes(of: code.bigEndian, Array.init)
        case let code as Int: return UInt32(exactly: code).map { withUnsafeBytes(of: $0.bigEndian, Array.init) }
        case let number as NSNumber: return withUnsafeBytes(of: number.uint32Value.bigEndian, Array.init)
        case let data as Data: return Array(data)
        case let data as NSData: return Array(Data._unconditionallyBridgeFromObjectiveC(data))
        default: return nil
        }
    }

    private class func textBytes(_ text: String, _ keySpace: AVMetadataKeySpace) -> [UInt8] {
        guard isOfCodes(keySpace), text.first == "©" else { return Array(text.utf8) }
        return [0xA9] + Array(text.dropFirst().utf8)
    }
}

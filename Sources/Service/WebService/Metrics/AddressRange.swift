import Glibc

/// A range of network addresses in CIDR notation (RFC 4632), such as `192.0.2.0/24` or `2001:db8::/32`. An address
/// without a length is a range of one address.
package struct AddressRange: Sendable, Equatable {
    /// 16 bytes; an IPv4 address is mapped into IPv6 (RFC 4291, 2.5.5.2).
    private let bytes: [UInt8]
    /// The number of leading bits that all addresses of the range share.
    private let length: Int

    /// Parses a range; returns nil if the text is not a range.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let bytes = Self.bytes(String(first)) else { return nil }
        let most = first.contains(":") ? 128 : 32
        var length = most
        if parts.count == 2 {
            // `Int` would accept a sign, but RFC 4632 does not.
            guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(parts[1]), (0...most).contains(number)
            else { return nil }
            length = number
        }
        self.bytes = bytes
        self.length = length + 128 - most
    }

    /// Returns true if an address is in the range; false for a text that is not an address.
    func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(address) else { return false }
        return zip(bytes, other).enumerated().allSatisfy { index, pair in
            let shared = min(8, max(0, length - index * 8))
            return (pair.0 ^ pair.1) & (UInt8.max << (8 - shared)) == 0
        }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        let isShort = !text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isShort ? 4 : 16)
        let code = bytes.withUnsafeMutableBytes { inet_pton(isShort ? AF_INET : AF_INET6, text, $0.baseAddress) }
        guard code == 1 else { return nil }
        return isShort ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes : bytes
    }
}

import Logging

/// One entry of the journal in its native protocol: a datagram of fields (systemd's JOURNAL_NATIVE_PROTOCOL).
///
/// A field without a line feed in its value is written as `NAME=value`. Any other field is written as its name, then
/// the value's length in eight bytes, little endian, then the value.
struct JournalEntry {
    /// The maximum length of a value in bytes. Longer values are truncated: a datagram can contain about 200 kB, and
    /// longer messages are not useful.
    static let longestValue = 32_768

    private(set) var bytes: [UInt8] = []

    /// Adds a field.
    ///
    /// - Parameter name: `A` to `Z`, digits and `_`; the journal drops names that begin with `_`.
    mutating func add(_ name: String, _ value: String) {
        let value = value.utf8.count > Self.longestValue ? Self.cut(value) : value
        bytes += name.utf8
        if value.utf8.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns the field name for a key of the logger's metadata: `file-name` becomes `RECORDER_FILE_NAME`.
    static func fieldName(_ key: String) -> String {
        let letters = key.uppercased().unicodeScalars.map { scalar in
            switch scalar {
            case "A"..."Z", "0"..."9": Character(scalar)
            default: Character("_")
            }
        }
        // The journal refuses names of more than 64 bytes.
        return "RECORDER_" + String(letters.prefix(64 - "RECORDER_".count))
    }

    /// Returns the syslog(3) priority of a level.
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func cut(_ value: String) -> String {
        // If the truncation divides a character, the incomplete character becomes U+FFFD.
        String(decoding: value.utf8.prefix(longestValue - 4), as: UTF8.self) + "…"
    }
}

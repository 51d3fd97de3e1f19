/// A time of a camera's wall clock in the form of NTP: seconds since 1900, with 32 bits of fraction (RFC 3550, 4).
///
/// The seconds wrap in 2036, so only differences are exact.
package struct NTPTime: Sendable, Hashable {
    package var value: UInt64

    package init(_ value: UInt64) { self.value = value }

    package init(seconds: UInt32, fraction parts: UInt32) { value = UInt64(seconds) << 32 | UInt64(parts) }

    /// True if the sender has no clock (RFC 3550, 6.4.1).
    package var isUnknown: Bool { value == 0 }

    /// The middle 32 bits, as in receiver reports.
    package var middle: UInt32 { UInt32(truncatingIfNeeded: value >> 16) }

    /// Returns the seconds since another time, at most 68 years in either direction.
    package func seconds(since other: NTPTime) -> Double {
        Double(Int64(bitPattern: value &- other.value)) / 4_294_967_296
    }

    /// Seconds since 1970. Numbers below 2³¹ seconds count as times after 2036 (RFC 2030, 3).
    package var unixSeconds: Int64 {
        let seconds = Int64(value >> 32)
        return (seconds < 1 << 31 ? seconds + (1 << 32) : seconds) - 2_208_988_800
    }
}

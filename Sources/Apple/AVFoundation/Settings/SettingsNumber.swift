import Foundation

/// A number of any numeric type from a settings dictionary.
package struct SettingsNumber: Sendable, Hashable {
    package let double: Double
    /// The number without its fraction; nil for NaN and values that `Int` cannot represent.
    package let integer: Int?

    var bool: Bool { double != 0 }
}

/// Returns the number; nil for other values.
package func settingsNumber(_ value: Any) -> SettingsNumber? {
    if let number = value as? NSNumber {
        // An integer beyond 2^53 may change when it is converted to `Double`, so it is read separately.
        let exact = NSNumber(value: number.int64Value) == number ? Int(number.int64Value) : nil
        return SettingsNumber(double: number.doubleValue, integer: exact ?? Int(truncating: number.doubleValue))
    }
    if let number = value as? any BinaryInteger {
        return SettingsNumber(double: Double(number), integer: Int(exactly: number))
    }
    if let number = value as? any BinaryFloatingPoint {
        return SettingsNumber(double: Double(number), integer: Int(truncating: Double(number)))
    }
    return nil
}

extension Int {
    /// Truncates a number; nil for NaN and values out of range.
    fileprivate init?(truncating value: Double) { self.init(exactly: value.rounded(.towardZero)) }
}

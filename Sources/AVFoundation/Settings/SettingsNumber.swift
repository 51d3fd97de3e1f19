import Foundation

/// A number of a settings dictionary, whatever it was when it was put in.
///
/// On Linux a `CGFloat` is no `NSNumber`, in an `Any` or boxed as an object, and nothing else becomes a `CGFloat`; so both
/// are asked for.
struct SettingsNumber: Sendable, Hashable {
    let double: Double
    /// Without what stands behind the point; nil for what is no number and for what an `Int` does not hold.
    let integer: Int?

    var bool: Bool { double != 0 }
}

/// nil for what is not a number.
func settingsNumber(_ value: Any) -> SettingsNumber? {
    if let number = value as? NSNumber {
        // A whole number beyond 2^53 is not the same as a `Double`.
        let exact = NSNumber(value: number.int64Value) == number ? Int(number.int64Value) : nil
        return SettingsNumber(double: number.doubleValue, integer: exact ?? Int(truncating: number.doubleValue))
    }
    if let number = value as? CGFloat {
        return SettingsNumber(double: Double(number), integer: Int(truncating: Double(number)))
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
    /// nil for what is beyond, and for what is no number.
    fileprivate init?(truncating value: Double) { self.init(exactly: value.rounded(.towardZero)) }
}

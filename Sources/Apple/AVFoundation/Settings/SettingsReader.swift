import Foundation

/// Reads values from a settings dictionary, and collects an error for each invalid value. Each function returns nil for
/// an invalid value and for a missing key. A missing key is not an error.
struct SettingsReader {
    private let values: [String: Any]
    private let prefix: String
    private(set) var faults: [SettingsFault] = []

    init(_ values: [String: Any], prefix: String = "") {
        self.values = values
        self.prefix = prefix
    }

    var keys: Dictionary<String, Any>.Keys { values.keys }

    /// Returns the value; nil if it is missing or `NSNull`, which some programs use for “none”.
    func value(_ key: String) -> Any? {
        guard let value = values[key], !(value is NSNull) else { return nil }
        return value
    }

    mutating func fault(_ key: String, _ reason: String) {
        faults.append(SettingsFault(key: prefix + key, reason: reason))
    }

    /// Reads an integer; a fraction is dropped.
    mutating func integer(_ key: String, in range: ClosedRange<Int>, of what: String = "") -> Int? {
        guard let value = value(key) else { return nil }
        guard let number = settingsNumber(value) else {
            fault(key, "it is \(description(value)), not a number")
            return nil
        }
        guard let integer = number.integer, range.contains(integer) else {
            let words = number.integer.map { "\($0)" } ?? "\(number.double)"
            fault(key, "it is \(words)\(what), not \(Self.words(range))")
            return nil
        }
        return integer
    }

    mutating func double(_ key: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = settingsNumber(value) else {
            fault(key, "it is \(description(value)), not a number")
            return nil
        }
        guard range.contains(number.double) else {
            fault(key, "it is \(number.double), not \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number.double
    }

    mutating func bool(_ key: String) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let number = settingsNumber(value) else {
            fault(key, "it is \(description(value)), not a Boolean")
            return nil
        }
        return number.bool
    }

    mutating func string(_ key: String) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = settingsString(value) else {
            fault(key, "it is \(description(value)), not a string")
            return nil
        }
        return text
    }

    mutating func bytes(_ key: String) -> Data? {
        guard let value = value(key) else { return nil }
        guard let data = value as? Data ?? (value as? NSData).map({ Data(referencing: $0) }) else {
            fault(key, "it is \(description(value)), not data")
            return nil
        }
        return data
    }

    /// Reads a nested dictionary; its errors are added to the errors of this reader.
    mutating func dictionary<T>(_ key: String, _ body: (inout SettingsReader) -> T?) -> T? {
        guard let value = value(key) else { return nil }
        guard let inner = value as? [String: Any] else {
            fault(key, "it is \(description(value)), not a dictionary")
            return nil
        }
        var reader = SettingsReader(inner, prefix: "\(prefix)\(key).")
        defer { faults += reader.faults }
        return body(&reader)
    }

    /// Reads a string that must be one of several choices.
    mutating func choice<T>(_ key: String, _ choices: [String: T]) -> T? {
        guard let text = string(key) else { return nil }
        guard let choice = choices[text] else {
            fault(key, "it is “\(text)”, not one of \(choices.keys.sorted().joined(separator: ", "))")
            return nil
        }
        return choice
    }

    private func description(_ value: Any) -> String { "of type \(type(of: value))" }

    private static func words(_ range: ClosedRange<Int>) -> String {
        range.upperBound >= Int(Int32.max)
            ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    }
}

/// Returns a string, or the string of a constant such as `AVVideoCodecType`; nil for other values.
func settingsString(_ value: Any) -> String? {
    if let text = value as? String { return text }
    if let constant = value as? any StringConstant { return constant.rawValue }
    return (value as? NSString).map { String._unconditionallyBridgeFromObjectiveC($0) }
}

import Foundation

/// Conversions of a value to other types. Pure rules.
enum MetadataValueForm {
    static func string(_ value: any NSObjectProtocol) -> String? {
        switch value {
        case let text as NSString: String._unconditionallyBridgeFromObjectiveC(text)
        case let number as NSNumber: number.stringValue
        case let date as NSDate: formatter().string(from: Date._unconditionallyBridgeFromObjectiveC(date))
        default: nil
        }
    }

    /// Returns a number unchanged. For a text, returns the number at its beginning.
    static func number(_ value: any NSObjectProtocol) -> NSNumber? {
        if let number = value as? NSNumber { return number }
        guard let text = value as? NSString else { return nil }
        let words = String._unconditionallyBridgeFromObjectiveC(text).trimmingCharacters(in: .whitespaces)
        if let whole = Int64(words) { return NSNumber(value: whole) }
        if let number = Double(words), number.isFinite { return NSNumber(value: number) }
        // In "3/12", the first number is that of the item, and the second is the total.
        return words.split(separator: "/").first.flatMap { Int64($0) }.map { NSNumber(value: $0) }
    }

    static func date(_ value: any NSObjectProtocol) -> Date? {
        if let date = value as? NSDate { return Date._unconditionallyBridgeFromObjectiveC(date) }
        guard let text = value as? NSString else { return nil }
        let words = String._unconditionallyBridgeFromObjectiveC(text)
        if let date = formatter().date(from: words) { return date }
        let fractional = formatter()
        fractional.formatOptions.insert(.withFractionalSeconds)
        if let date = fractional.date(from: words) { return date }
        // Cameras write `2024-06-01T12:00:00+0200`; music files contain a day, or only a year.
        for format in ["yyyy-MM-dd'T'HH:mm:ssZ", "yyyy-MM-dd", "yyyy"] {
            let reader = DateFormatter()
            reader.locale = Locale(identifier: "en_US_POSIX")
            reader.timeZone = TimeZone(secondsFromGMT: 0)
            reader.dateFormat = format
            if let date = reader.date(from: words) { return date }
        }
        return nil
    }

    static func data(_ value: any NSObjectProtocol) -> Data? {
        if let data = value as? NSData { return Data._unconditionallyBridgeFromObjectiveC(data) }
        return (value as? NSString).map { Data(String._unconditionallyBridgeFromObjectiveC($0).utf8) }
    }

    static func dataType(_ value: any NSObjectProtocol) -> String {
        switch value {
        case is NSString, is NSDate: return kCMMetadataBaseDataType_UTF8
        case let number as NSNumber:
            return number.isFraction ? kCMMetadataBaseDataType_Float64 : kCMMetadataBaseDataType_SInt64
        case let data as NSData:
            switch ImageKind(Data._unconditionallyBridgeFromObjectiveC(data)) {
            case .jpeg: return kCMMetadataBaseDataType_JPEG
            case .png: return kCMMetadataBaseDataType_PNG
            case nil: return kCMMetadataBaseDataType_RawData
            }
        default: return kCMMetadataBaseDataType_RawData
        }
    }

    /// Returns a formatter for ISO 8601, in UTC.
    private static func formatter() -> ISO8601DateFormatter { ISO8601DateFormatter() }
}

/// The type of an image file, from its first bytes.
enum ImageKind {
    case jpeg, png

    init?(_ data: Data) {
        if data.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if data.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            self = .png
        } else {
            return nil
        }
    }
}

extension NSNumber {
    /// True if the number was created from a floating-point number.
    var isFraction: Bool {
        let type = String(cString: objCType)
        return type == "d" || type == "f"
    }
}

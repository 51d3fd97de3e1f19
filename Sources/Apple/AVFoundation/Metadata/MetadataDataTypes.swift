import Foundation
import MediaTypes

/// The data types of timed metadata: Core Media's names, QTFF's numbers (QTFF, "Well-known types"), and the bytes of
/// their values.
enum MetadataDataTypes {
    private static let numbers: [String: UInt32] = [
        kCMMetadataBaseDataType_RawData: 0, kCMMetadataBaseDataType_UTF8: 1, kCMMetadataBaseDataType_UTF16: 2,
        kCMMetadataBaseDataType_JPEG: 13, kCMMetadataBaseDataType_PNG: 14, kCMMetadataBaseDataType_Float32: 23,
        kCMMetadataBaseDataType_Float64: 24, kCMMetadataBaseDataType_SInt8: 65, kCMMetadataBaseDataType_SInt16: 66,
        kCMMetadataBaseDataType_SInt32: 67, kCMMetadataBaseDataType_SInt64: 74, kCMMetadataBaseDataType_UInt8: 75,
        kCMMetadataBaseDataType_UInt16: 76, kCMMetadataBaseDataType_UInt32: 77, kCMMetadataBaseDataType_UInt64: 78,
    ]

    /// Returns the type in the form that files store. A name that Core Media does not define is stored unchanged.
    static func stored(_ name: String) -> MetadataFormat.DataType {
        numbers[name].map { .wellKnown($0) } ?? .named(name)
    }

    /// Returns Core Media's name for a type; nil for a number that is not in the table.
    static func name(_ type: MetadataFormat.DataType) -> String? {
        switch type {
        case .wellKnown(let number): numbers.first { $0.value == number }?.key
        case .named(let name): name
        }
    }

    /// Returns the bytes of a value; nil for a value that does not have this type.
    static func bytes(of value: any NSObjectProtocol, as type: MetadataFormat.DataType) -> [UInt8]? {
        guard case .wellKnown(let number) = type else { return MetadataValueForm.data(value).map { Array($0) } }
        switch number {
        case 1: return MetadataValueForm.string(value).map { Array($0.utf8) }
        case 2: return MetadataValueForm.string(value).map { $0.utf16.flatMap { bigEndian($0) } }
        case 23: return MetadataValueForm.number(value).map { bigEndian($0.floatValue.bitPattern) }
        case 24: return MetadataValueForm.number(value).map { bigEndian($0.doubleValue.bitPattern) }
        case 65: return signed(value).flatMap { Int8(exactly: $0) }.map { bigEndian($0) }
        case 66: return signed(value).flatMap { Int16(exactly: $0) }.map { bigEndian($0) }
        case 67: return signed(value).flatMap { Int32(exactly: $0) }.map { bigEndian($0) }
        case 74: return signed(value).map { bigEndian($0) }
        case 75: return unsigned(value).flatMap { UInt8(exactly: $0) }.map { bigEndian($0) }
        case 76: return unsigned(value).flatMap { UInt16(exactly: $0) }.map { bigEndian($0) }
        case 77: return unsigned(value).flatMap { UInt32(exactly: $0) }.map { bigEndian($0) }
        case 78: return unsigned(value).map { bigEndian($0) }
        default: return MetadataValueForm.data(value).map { Array($0) }
        }
    }

    /// Decodes bytes of a type. Bytes that do not fit the type are returned as data.
    static func value(_ bytes: [UInt8], of type: MetadataFormat.DataType) -> any NSCopying & NSObjectProtocol {
        let data: any NSCopying & NSObjectProtocol = Data(bytes)._bridgeToObjectiveC()
        switch type {
        case .named(kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709), .wellKnown(1):
            return text(String(validating: bytes, as: UTF8.self)) ?? data
        case .wellKnown(2):
            return text(String(data: Data(bytes), encoding: .utf16BigEndian)) ?? data
        case .named: return data
        case .wellKnown(23) where bytes.count == 4:
            return NSNumber(value: Float(bitPattern: UInt32(truncatingIfNeeded: number(bytes))))
        case .wellKnown(24) where bytes.count == 8: return NSNumber(value: Double(bitPattern: number(bytes)))
        case .wellKnown(21) where (1...8).contains(bytes.count): return NSNumber(value: extended(bytes))
        case .wellKnown(65) where bytes.count == 1, .wellKnown(66) where bytes.count == 2,
            .wellKnown(67) where bytes.count == 4, .wellKnown(74) where bytes.count == 8:
            return NSNumber(value: extended(bytes))
        case .wellKnown(22) where (1...8).contains(bytes.count): return NSNumber(value: number(bytes))
        case .wellKnown(75) where bytes.count == 1, .wellKnown(76) where bytes.count == 2,
            .wellKnown(77) where bytes.count == 4, .wellKnown(78) where bytes.count == 8:
            return NSNumber(value: number(bytes))
        case .wellKnown: return data
        }
    }

    private static func text(_ text: String?) -> (any NSCopying & NSObjectProtocol)? {
        text.map { NSString(string: $0) }
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func extended(_ bytes: [UInt8]) -> Int64 {
        bytes.reduce(bytes.first ?? 0 >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    private static func signed(_ value: any NSObjectProtocol) -> Int64? {
        guard let number = value as? NSNumber else { return nil }
        if number.isFraction { return Int64(exactly: number.doubleValue) }
        return isUnsigned(number) ? Int64(exactly: number.uint64Value) : number.int64Value
    }

    private static func unsigned(_ value: any NSObjectProtocol) -> UInt64? {
        guard let number = value as? NSNumber else { return nil }
        return isUnsigned(number) ? number.uint64Value : signed(number).flatMap { UInt64(exactly: $0) }
    }

    private static func isUnsigned(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "Q" }
}

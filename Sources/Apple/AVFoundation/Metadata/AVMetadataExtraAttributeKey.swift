import Foundation

/// The key of an additional attribute of a metadata item.
public struct AVMetadataExtraAttributeKey: StringConstant {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let valueURI = Self("URIString")
    public static let baseURI = Self("baseURIString")
    public static let info = Self("info")
}

/// Data types for `AVMetadataItem.dataType` (QTFF, "Well-known types").
public let kCMMetadataBaseDataType_RawData: String = "com.apple.metadata.datatype.raw-data"
public let kCMMetadataBaseDataType_UTF8: String = "com.apple.metadata.datatype.UTF-8"
public let kCMMetadataBaseDataType_UTF16: String = "com.apple.metadata.datatype.UTF-16"
public let kCMMetadataBaseDataType_JPEG: String = "com.apple.metadata.datatype.JPEG"
public let kCMMetadataBaseDataType_PNG: String = "com.apple.metadata.datatype.PNG"
public let kCMMetadataBaseDataType_Float32: String = "com.apple.metadata.datatype.float32"
public let kCMMetadataBaseDataType_Float64: String = "com.apple.metadata.datatype.float64"
public let kCMMetadataBaseDataType_SInt8: String = "com.apple.metadata.datatype.int8"
public let kCMMetadataBaseDataType_SInt16: String = "com.apple.metadata.datatype.int16"
public let kCMMetadataBaseDataType_SInt32: String = "com.apple.metadata.datatype.int32"
public let kCMMetadataBaseDataType_SInt64: String = "com.apple.metadata.datatype.int64"
public let kCMMetadataBaseDataType_UInt8: String = "com.apple.metadata.datatype.uint8"
public let kCMMetadataBaseDataType_UInt16: String = "com.apple.metadata.datatype.uint16"
public let kCMMetadataBaseDataType_UInt32: String = "com.apple.metadata.datatype.uint32"
public let kCMMetadataBaseDataType_UInt64: String = "com.apple.metadata.datatype.uint64"
public let kCMMetadataDataType_QuickTimeMetadataLocation_ISO6709: String =
    "com.apple.quicktime.location.ISO6709"

/// The kind of a metadata format, such as `kCMMetadataFormatType_Boxed`.
public typealias CMMetadataFormatType = FourCharCode

// Keys of a specification, which describes one kind of metadata that a track of timed metadata may contain.
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: String = "MetadataIdentifier"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: String = "MetadataDataType"
public let kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag: String =
    "MetadataExtendedLanguageTag"

public let kCMMetadataIdentifier_QuickTimeMetadataLocation_ISO6709: String = "mdta/com.apple.quicktime.location.ISO6709"

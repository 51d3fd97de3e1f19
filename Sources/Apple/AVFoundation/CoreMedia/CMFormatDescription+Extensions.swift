public import Foundation
import MediaTypes

extension CMFormatDescription {
    /// The extensions of a description by key: everything in addition to the codec and the size.
    public struct Extensions {
        var all: [String: Any]

        public init() { all = [:] }
        public init(base: [CFString: CFPropertyList]?) { all = base ?? [:] }

        var dictionary: CFDictionary? { all.isEmpty ? nil : all as NSDictionary }

        public struct Key: RawRepresentable, Hashable, Sendable {
            public let rawValue: CFString
            public init(rawValue: CFString) { self.rawValue = rawValue }
            public static let sampleDescriptionExtensionAtoms = Key(
                rawValue: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms)
            public static let verbatimSampleDescription = Key(
                rawValue: kCMFormatDescriptionExtension_VerbatimSampleDescription)
            public static let formatName = Key(rawValue: kCMFormatDescriptionExtension_FormatName)
            public static let depth = Key(rawValue: kCMFormatDescriptionExtension_Depth)
            public static let cleanAperture = Key(rawValue: kCMFormatDescriptionExtension_CleanAperture)
            public static let fieldCount = Key(rawValue: kCMFormatDescriptionExtension_FieldCount)
            public static let fieldDetail = Key(rawValue: kCMFormatDescriptionExtension_FieldDetail)
            public static let pixelAspectRatio = Key(rawValue: kCMFormatDescriptionExtension_PixelAspectRatio)
            public static let colorPrimaries = Key(rawValue: kCMFormatDescriptionExtension_ColorPrimaries)
            public static let transferFunction = Key(rawValue: kCMFormatDescriptionExtension_TransferFunction)
            public static let gammaLevel = Key(rawValue: kCMFormatDescriptionExtension_GammaLevel)
            public static let yCbCrMatrix = Key(rawValue: kCMFormatDescriptionExtension_YCbCrMatrix)
            public static let fullRangeVideo = Key(rawValue: kCMFormatDescriptionExtension_FullRangeVideo)
            public static let iccProfile = Key(rawValue: kCMFormatDescriptionExtension_ICCProfile)
            public static let bytesPerRow = Key(rawValue: kCMFormatDescriptionExtension_BytesPerRow)
            public static let chromaLocationTopField = Key(
                rawValue: kCMFormatDescriptionExtension_ChromaLocationTopField)
            public static let chromaLocationBottomField = Key(
                rawValue: kCMFormatDescriptionExtension_ChromaLocationBottomField)
            public static let masteringDisplayColorVolume = Key(
                rawValue: kCMFormatDescriptionExtension_MasteringDisplayColorVolume)
            public static let contentLightLevelInfo = Key(rawValue: kCMFormatDescriptionExtension_ContentLightLevelInfo)
            public static let alphaChannelMode = Key(rawValue: kCMFormatDescriptionExtension_AlphaChannelMode)
            public static let containsAlphaChannel = Key(rawValue: kCMFormatDescriptionExtension_ContainsAlphaChannel)
        }

        public struct Value {
            public var propertyListRepresentation: CFPropertyList
            public init(_ plist: CFPropertyList) { propertyListRepresentation = plist }
            public static func number<Number: Numeric>(_ value: Number) -> Value { Value(value as AnyObject) }
            public static func string(_ value: String) -> Value { Value(value as AnyObject) }
        }

        public subscript(key: Key) -> Value? {
            get { self[key.rawValue].map { Value($0) } }
            set { self[key.rawValue] = newValue?.propertyListRepresentation }
        }
        public subscript(key: CFString) -> CFPropertyList? {
            get { all[key].map { $0 as AnyObject } }
            set { all[key] = newValue }
        }
    }

    public struct Error {
        public static let invalidParameter = CoreMediaError.of(kCMFormatDescriptionError_InvalidParameter)
        public static let allocationFailed = CoreMediaError.of(kCMFormatDescriptionError_AllocationFailed)
        public static let valueNotAvailable = CoreMediaError.of(kCMFormatDescriptionError_ValueNotAvailable)
    }

    public static var typeID: CFTypeID { CMFormatDescriptionGetTypeID() }
    public var extensions: Extensions { Extensions(base: extensionValues.mapValues { $0 as AnyObject }) }

    /// - Throws: an error for all media except text, because they need more information.
    public convenience init(mediaType: MediaType, mediaSubType: MediaSubType, extensions: Extensions? = nil) throws {
        self.init(
            like: try Self.made { out in
                CMFormatDescriptionCreate(
                    allocator: nil, mediaType: mediaType.rawValue, mediaSubType: mediaSubType.rawValue,
                    extensions: extensions?.dictionary, formatDescriptionOut: out)
            })
    }

    /// Returns the description that `make` creates. If `make` returns an error code, throws that error.
    static func made(_ make: (UnsafeMutablePointer<CMFormatDescription?>) -> OSStatus) throws -> CMFormatDescription {
        var made: CMFormatDescription?
        try CoreMediaError.check(make(&made))
        guard let made else { throw Error.invalidParameter }
        return made
    }

    public func equalTo(
        _ otherFormatDescription: CMFormatDescription, extensionKeysToIgnore: [Extensions.Key] = [],
        sampleDescriptionExtensionAtomKeysToIgnore atoms: [String] = []
    ) -> Bool {
        func rest(_ description: CMFormatDescription) -> NSDictionary {
            var all = description.extensionValues
            for key in extensionKeysToIgnore { all[key.rawValue] = nil }
            let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
            if var kept = all[key] as? [String: Any] {
                for atom in atoms { kept[atom] = nil }
                all[key] = kept
            }
            return all as NSDictionary
        }
        let other = otherFormatDescription
        return mediaTypeCode == other.mediaTypeCode && subTypeCode == other.subTypeCode
            && dimensions == other.dimensions
            && audioStreamBasicDescription == other.audioStreamBasicDescription && rest(self) == rest(other)
    }
}

public func CMFormatDescriptionEqualIgnoringExtensionKeys(
    _ description: CMFormatDescription?, otherFormatDescription: CMFormatDescription?,
    extensionKeysToIgnore: CFTypeRef?,
    sampleDescriptionExtensionAtomKeysToIgnore: CFTypeRef?
) -> Bool {
    guard let description, let otherFormatDescription else { return description === otherFormatDescription }
    func words(_ list: CFTypeRef?) -> [String] { list as? [String] ?? (list as? String).map { [$0] } ?? [] }
    return description.equalTo(
        otherFormatDescription, extensionKeysToIgnore: words(extensionKeysToIgnore).map { .init(rawValue: $0) },
        sampleDescriptionExtensionAtomKeysToIgnore: words(sampleDescriptionExtensionAtomKeysToIgnore))
}

public import Foundation
import MediaTypes

/// Creates the format of a track of timed metadata.
///
/// - Parameter metadataSpecifications: a dictionary for each kind of metadata. It contains the identifier, the data
///   type and optionally the language.
@discardableResult
public func CMMetadataFormatDescriptionCreateWithMetadataSpecifications(
    allocator: CFAllocator?, metadataType: CMMetadataFormatType, metadataSpecifications: CFArray,
    formatDescriptionOut: UnsafeMutablePointer<CMMetadataFormatDescription?>
) -> OSStatus {
    guard metadataType == kCMMetadataFormatType_Boxed,
        let specifications = metadataSpecifications as? [[String: Any]], !specifications.isEmpty
    else { return kCMFormatDescriptionError_InvalidParameter }
    var keys: [MetadataFormat.Key] = []
    for specification in specifications {
        guard let key = MetadataFormat.Key(specification, id: UInt32(keys.count + 1)) else {
            return kCMFormatDescriptionError_InvalidParameter
        }
        keys.append(key)
    }
    formatDescriptionOut.pointee = CMFormatDescription(.metadata(MetadataFormat(keys: keys)))
    return noErr
}

/// Returns the identifiers of the metadata that a track may contain; nil if the format is not one of metadata.
public func CMMetadataFormatDescriptionGetIdentifiers(_ description: CMMetadataFormatDescription) -> CFArray? {
    description.engine.metadata == nil ? nil : description.identifiers as NSArray
}

extension CMFormatDescription {
    /// The identifiers of the metadata that a track of timed metadata may contain; empty for other formats.
    public var identifiers: [String] { engine.metadata?.keys.compactMap { $0.identifier?.rawValue } ?? [] }
}

extension MetadataFormat.Key {
    /// Creates the key of a specification; nil if the identifier or the data type is missing, or if the name of the key
    /// space does not have four characters.
    init?(_ specification: [String: Any], id: UInt32) {
        func word(_ key: String) -> String? {
            switch specification[key] {
            case let text as String: text
            case let text as NSString: String._unconditionallyBridgeFromObjectiveC(text)
            case let identifier as AVMetadataIdentifier: identifier.rawValue
            default: nil
            }
        }
        guard
            let identifier = word(kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier)
                .map({ AVMetadataIdentifier(rawValue: $0) }),
            let type = word(kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType), !type.isEmpty,
            let space = Self.space(of: identifier)
        else { return nil }
        let name = AVMetadataItem.keyBytes(ofIdentifier: identifier)
        guard !name.isEmpty else { return nil }
        self.init(
            id: id, keySpace: space, name: name, dataType: MetadataDataTypes.stored(type),
            language: word(kCMMetadataFormatDescriptionMetadataSpecificationKey_ExtendedLanguageTag))
    }

    /// Returns the code of an identifier's key space; nil for a key space that has no code.
    static func space(of identifier: AVMetadataIdentifier) -> MediaTypes.FourCharCode? {
        guard let space = AVMetadataItem.keySpace(forIdentifier: identifier)?.rawValue, space.utf8.count == 4 else {
            return nil
        }
        return MediaTypes.FourCharCode(space)
    }

    var identifier: AVMetadataIdentifier? {
        AVMetadataItem.identifier(forKey: Data(name), keySpace: AVMetadataKeySpace(rawValue: keySpace.description))
    }

    /// Returns true if an item has this key, and a value of its type. An item without a data type matches every type
    /// that fits its value.
    func describes(_ item: AVMetadataItem) -> Bool {
        guard let identifier = item.identifier, Self.space(of: identifier) == keySpace,
            AVMetadataItem.keyBytes(ofIdentifier: identifier) == name, item.extendedLanguageTag == language
        else { return false }
        return item.storage.dataType.map { MetadataDataTypes.stored($0) == dataType } ?? true
    }
}

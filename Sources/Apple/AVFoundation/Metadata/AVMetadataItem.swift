public import Foundation
import MediaTypes

/// One item of metadata of a movie, a track or a time range: a key, a value, and attributes.
///
/// An asset's item is complete: no part of it is loaded later, and no member blocks. Any thread may read an item. A
/// mutable item may be used by only one thread at a time.
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: only `AVMutableMetadataItem` changes this, and it belongs to one thread.
    var storage = Storage()

    struct Storage {
        var identifier: AVMetadataIdentifier?
        var value: (any NSCopying & NSObjectProtocol)?
        var extendedLanguageTag: String?
        var locale: Locale?
        var time = CMTime.invalid
        var duration = CMTime.invalid
        var dataType: String?
        var extraAttributes: [AVMetadataExtraAttributeKey: Any]?
        var startDate: Date?
        /// The key, stored unchanged. It forms an identifier only together with a key space.
        var key: (any NSCopying & NSObjectProtocol)?
        var keySpace: AVMetadataKeySpace?
    }

    /// The request for a value that is provided on demand.
    var request: AVMetadataItemValueRequest?

    public override init() {}

    /// Creates an item with the properties of another item. The new item's value is requested when it is needed.
    ///
    /// - Parameter handler: called once, on the first thread that needs the value. That thread blocks until the request
    ///   is answered.
    @preconcurrency
    public init(
        propertiesOf metadataItem: AVMetadataItem,
        valueLoadingHandler handler: @escaping @Sendable (AVMetadataItemValueRequest) -> Void
    ) {
        super.init()
        storage = metadataItem.storage
        storage.value = nil
        request = AVMetadataItemValueRequest(metadataItem, handler)
    }

    open var identifier: AVMetadataIdentifier? { storage.identifier }
    /// The BCP 47 language tag.
    open var extendedLanguageTag: String? { storage.extendedLanguageTag }
    open var locale: Locale? { storage.locale ?? storage.extendedLanguageTag.map(Locale.init(identifier:)) }
    /// The time of the metadata; invalid if it applies to the entire duration.
    open var time: CMTime { storage.time }
    open var duration: CMTime { storage.duration }
    /// The data type of the value, such as `kCMMetadataBaseDataType_UTF8`.
    open var dataType: String? {
        storage.dataType ?? (try? loadedValue()).flatMap { $0.map(MetadataValueForm.dataType) }
    }
    open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? { storage.extraAttributes }
    open var startDate: Date? { storage.startDate }

    /// The value: an `NSString`, `NSNumber`, `NSDate` or `NSData`; nil if it could not be loaded.
    open var value: (any NSCopying & NSObjectProtocol)? { try? loadedValue() }
    open var stringValue: String? { value.flatMap(MetadataValueForm.string) }
    open var numberValue: NSNumber? { value.flatMap(MetadataValueForm.number) }
    open var dateValue: Date? { value.flatMap(MetadataValueForm.date) }
    open var dataValue: Data? { value.flatMap(MetadataValueForm.data) }

    open var keySpace: AVMetadataKeySpace? { storage.keySpace }
    open var key: (any NSCopying & NSObjectProtocol)? { storage.key }
    /// The common key for the item's identifier; nil if there is none.
    open var commonKey: AVMetadataKey? { storage.identifier.flatMap(CommonMetadata.key(of:)) }

    /// Returns the value, and requests it if necessary.
    ///
    /// - Throws: the error that answered the request.
    func loadedValue() throws -> (any NSCopying & NSObjectProtocol)? {
        guard let request else { return storage.value }
        return try request.answer()
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVMetadataItem()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableMetadataItem()) }

    private func replica(_ other: AVMetadataItem) -> AVMetadataItem {
        (other.storage, other.request) = (storage, request)
        return other
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVMetadataItem else { return false }
        if other === self { return true }
        guard request == nil, other.request == nil else { return request === other.request }
        let (mine, theirs) = (storage, other.storage)
        guard mine.identifier == theirs.identifier, mine.extendedLanguageTag == theirs.extendedLanguageTag,
            mine.time == theirs.time, mine.duration == theirs.duration, mine.keySpace == theirs.keySpace,
            mine.startDate == theirs.startDate
        else { return false }
        return mine.value.map { one in theirs.value.map { one.isEqual($0) } ?? false } ?? (theirs.value == nil)
    }

    open override var hash: Int { storage.identifier?.hashValue ?? 0 }

    open override var description: String {
        "\(storage.identifier?.rawValue ?? "no identifier") = \(stringValue ?? "data")"
    }
}

/// A mutable metadata item. May be used by only one thread at a time.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    /// The identifier; setting it also sets key space and key.
    open override var identifier: AVMetadataIdentifier? {
        get { storage.identifier }
        set {
            storage.identifier = newValue
            storage.keySpace = newValue.flatMap(Self.keySpace(forIdentifier:))
            storage.key = newValue.flatMap(Self.key(forIdentifier:)) as? any NSCopying & NSObjectProtocol
        }
    }
    open override var extendedLanguageTag: String? {
        get { storage.extendedLanguageTag }
        set { storage.extendedLanguageTag = newValue }
    }
    open override var locale: Locale? {
        get { super.locale }
        set { storage.locale = newValue }
    }
    open override var time: CMTime {
        get { storage.time }
        set { storage.time = newValue }
    }
    open override var duration: CMTime {
        get { storage.duration }
        set { storage.duration = newValue }
    }
    open override var dataType: String? {
        get { super.dataType }
        set { storage.dataType = newValue }
    }
    open override var value: (any NSCopying & NSObjectProtocol)? {
        get { super.value }
        set { (storage.value, request) = (newValue, nil) }
    }
    open override var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
        get { storage.extraAttributes }
        set { storage.extraAttributes = newValue }
    }
    open override var startDate: Date? {
        get { storage.startDate }
        set { storage.startDate = newValue }
    }
    open override var keySpace: AVMetadataKeySpace? {
        get { storage.keySpace }
        set {
            storage.keySpace = newValue
            identify()
        }
    }
    open override var key: (any NSCopying & NSObjectProtocol)? {
        get { storage.key }
        set {
            storage.key = newValue
            identify()
        }
    }

    private func identify() {
        storage.identifier =
            if let key = storage.key, let space = storage.keySpace {
                Self.identifier(forKey: key, keySpace: space)
            } else {
                nil
            }
    }
}

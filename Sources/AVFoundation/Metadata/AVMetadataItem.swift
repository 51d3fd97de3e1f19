public import Foundation
import MediaTypes

/// One fact about a film, a track or a stretch of time: a key, a value, and what is said about them.
///
/// What an asset gives is complete: nothing is loaded later, and nothing waits. Any thread may read an item; a mutable one
/// belongs to one thread at a time.
open class AVMetadataItem: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: only `AVMutableMetadataItem` changes what is here, and says that it is one thread's.
    var facts = Facts()

    struct Facts {
        var identifier: AVMetadataIdentifier?
        var value: (any NSCopying & NSObjectProtocol)?
        var extendedLanguageTag: String?
        var locale: Locale?
        var time = CMTime.invalid
        var duration = CMTime.invalid
        var dataType: String?
        var extraAttributes: [AVMetadataExtraAttributeKey: Any]?
        var startDate: Date?
        /// Without a key space a key makes no identifier, and is kept as it is.
        var key: (any NSCopying & NSObjectProtocol)?
        var keySpace: AVMetadataKeySpace?
    }

    /// Where the value is somebody's to give who has not been asked yet.
    var request: AVMetadataItemValueRequest?

    public override init() {}

    /// An item like another one, whose value is asked for when it is needed.
    ///
    /// - Parameter handler: called once, on the thread that needs the value first, which waits until it was answered.
    @preconcurrency
    public init(
        propertiesOf metadataItem: AVMetadataItem,
        valueLoadingHandler handler: @escaping @Sendable (AVMetadataItemValueRequest) -> Void
    ) {
        super.init()
        facts = metadataItem.facts
        facts.value = nil
        request = AVMetadataItemValueRequest(metadataItem, handler)
    }

    open var identifier: AVMetadataIdentifier? { facts.identifier }
    /// BCP 47.
    open var extendedLanguageTag: String? { facts.extendedLanguageTag }
    open var locale: Locale? { facts.locale ?? facts.extendedLanguageTag.map(Locale.init(identifier:)) }
    /// When the fact holds; invalid for all of the time.
    open var time: CMTime { facts.time }
    open var duration: CMTime { facts.duration }
    /// What kind of value it is, as `kCMMetadataBaseDataType_UTF8`.
    open var dataType: String? { facts.dataType ?? (try? loadedValue()).flatMap { $0.map(MetadataValueForm.dataType) } }
    open var extraAttributes: [AVMetadataExtraAttributeKey: Any]? { facts.extraAttributes }
    open var startDate: Date? { facts.startDate }

    /// An `NSString`, `NSNumber`, `NSDate` or `NSData`; nil for one that could not be had.
    open var value: (any NSCopying & NSObjectProtocol)? { try? loadedValue() }
    open var stringValue: String? { value.flatMap(MetadataValueForm.string) }
    open var numberValue: NSNumber? { value.flatMap(MetadataValueForm.number) }
    open var dateValue: Date? { value.flatMap(MetadataValueForm.date) }
    open var dataValue: Data? { value.flatMap(MetadataValueForm.data) }

    open var keySpace: AVMetadataKeySpace? { facts.keySpace }
    open var key: (any NSCopying & NSObjectProtocol)? { facts.key }
    /// What the key says in the words that all key spaces share; nil where they have none for it.
    open var commonKey: AVMetadataKey? { facts.identifier.flatMap(CommonMetadata.key(of:)) }

    /// The value, asked for where it must be.
    ///
    /// - Throws: the error that the value's owner answered with.
    func loadedValue() throws -> (any NSCopying & NSObjectProtocol)? {
        guard let request else { return facts.value }
        return try request.answer()
    }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { replica(AVMetadataItem()) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { replica(AVMutableMetadataItem()) }

    private func replica(_ other: AVMetadataItem) -> AVMetadataItem {
        (other.facts, other.request) = (facts, request)
        return other
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVMetadataItem else { return false }
        if other === self { return true }
        guard request == nil, other.request == nil else { return request === other.request }
        let (mine, theirs) = (facts, other.facts)
        guard mine.identifier == theirs.identifier, mine.extendedLanguageTag == theirs.extendedLanguageTag,
            mine.time == theirs.time, mine.duration == theirs.duration, mine.keySpace == theirs.keySpace,
            mine.startDate == theirs.startDate
        else { return false }
        return mine.value.map { one in theirs.value.map { one.isEqual($0) } ?? false } ?? (theirs.value == nil)
    }

    open override var hash: Int { facts.identifier?.hashValue ?? 0 }

    open override var description: String {
        "\(facts.identifier?.rawValue ?? "no identifier") = \(stringValue ?? "data")"
    }
}

/// A metadata item to be made. One thread at a time.
open class AVMutableMetadataItem: AVMetadataItem, @unchecked Sendable {
    // Unchecked: as what it inherits from: one thread's at a time.
    /// What a key stands for; its key space and key are set with it.
    open override var identifier: AVMetadataIdentifier? {
        get { facts.identifier }
        set {
            facts.identifier = newValue
            facts.keySpace = newValue.flatMap(Self.keySpace(forIdentifier:))
            facts.key = newValue.flatMap(Self.key(forIdentifier:)) as? any NSCopying & NSObjectProtocol
        }
    }
    open override var extendedLanguageTag: String? {
        get { facts.extendedLanguageTag }
        set { facts.extendedLanguageTag = newValue }
    }
    open override var locale: Locale? {
        get { super.locale }
        set { facts.locale = newValue }
    }
    open override var time: CMTime {
        get { facts.time }
        set { facts.time = newValue }
    }
    open override var duration: CMTime {
        get { facts.duration }
        set { facts.duration = newValue }
    }
    open override var dataType: String? {
        get { super.dataType }
        set { facts.dataType = newValue }
    }
    open override var value: (any NSCopying & NSObjectProtocol)? {
        get { super.value }
        set { (facts.value, request) = (newValue, nil) }
    }
    open override var extraAttributes: [AVMetadataExtraAttributeKey: Any]? {
        get { facts.extraAttributes }
        set { facts.extraAttributes = newValue }
    }
    open override var startDate: Date? {
        get { facts.startDate }
        set { facts.startDate = newValue }
    }
    open override var keySpace: AVMetadataKeySpace? {
        get { facts.keySpace }
        set {
            facts.keySpace = newValue
            identify()
        }
    }
    open override var key: (any NSCopying & NSObjectProtocol)? {
        get { facts.key }
        set {
            facts.key = newValue
            identify()
        }
    }

    private func identify() {
        facts.identifier =
            if let key = facts.key, let space = facts.keySpace { Self.identifier(forKey: key, keySpace: space) } else {
                nil
            }
    }
}

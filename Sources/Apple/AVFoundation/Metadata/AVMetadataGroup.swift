public import Foundation

/// A group of related metadata items.
open class AVMetadataGroup: NSObject, @unchecked Sendable {
    // Unchecked: only mutable subclasses change this, and they belong to one thread.
    var storedItems: [AVMetadataItem]

    public override init() { storedItems = [] }
    init(items: [AVMetadataItem]) { storedItems = items }

    open var items: [AVMetadataItem] { storedItems }
    open var classifyingLabel: String? { nil }
    open var uniqueID: String? { nil }
}

/// Metadata of a time range, such as a chapter's title.
open class AVTimedMetadataGroup: AVMetadataGroup, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    var storedRange: CMTimeRange

    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        storedRange = timeRange
        super.init(items: items)
    }

    /// Creates an empty group with an invalid time range.
    public override convenience init() { self.init(items: [], timeRange: .invalid) }

    open var timeRange: CMTimeRange { storedRange }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { AVTimedMetadataGroup(items: items, timeRange: timeRange) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any { AVMutableTimedMetadataGroup(items: items, timeRange: timeRange) }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVTimedMetadataGroup else { return false }
        return other.items == items && other.timeRange == timeRange
    }
    open override var hash: Int { timeRange.hashValue }
}

open class AVMutableTimedMetadataGroup: AVTimedMetadataGroup, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    open override var timeRange: CMTimeRange {
        get { storedRange }
        set { storedRange = newValue }
    }
    open override var items: [AVMetadataItem] {
        get { storedItems }
        set { storedItems = newValue }
    }
}

/// Metadata of a range of calendar dates.
open class AVDateRangeMetadataGroup: AVMetadataGroup, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    var storedStart: Date
    var storedEnd: Date?

    public init(items: [AVMetadataItem], start startDate: Date, end endDate: Date?) {
        (storedStart, storedEnd) = (startDate, endDate)
        super.init(items: items)
    }

    open var startDate: Date { storedStart }
    open var endDate: Date? { storedEnd }

    open override func copy() -> Any { copy(with: nil) }
    open func copy(with zone: NSZone?) -> Any { AVDateRangeMetadataGroup(items: items, start: startDate, end: endDate) }
    open override func mutableCopy() -> Any { mutableCopy(with: nil) }
    open func mutableCopy(with zone: NSZone?) -> Any {
        AVMutableDateRangeMetadataGroup(items: items, start: startDate, end: endDate)
    }
}

open class AVMutableDateRangeMetadataGroup: AVDateRangeMetadataGroup, @unchecked Sendable {
    // Unchecked: like its superclass, used by one thread at a time.
    open override var startDate: Date {
        get { storedStart }
        set { storedStart = newValue }
    }
    open override var endDate: Date? {
        get { storedEnd }
        set { storedEnd = newValue }
    }
    open override var items: [AVMetadataItem] {
        get { storedItems }
        set { storedItems = newValue }
    }
}

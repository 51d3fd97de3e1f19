public import Foundation

public let kCMTimeRangeStartKey: CFString = "start"
public let kCMTimeRangeDurationKey: CFString = "duration"
public let kCMTimeMappingSourceKey: CFString = "source"
public let kCMTimeMappingTargetKey: CFString = "target"

public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: CFAllocator?) -> CFDictionary? {
    guard let start = CMTimeCopyAsDictionary(range.start, allocator: allocator),
        let duration = CMTimeCopyAsDictionary(range.duration, allocator: allocator)
    else { return nil }
    return [kCMTimeRangeStartKey: start, kCMTimeRangeDurationKey: duration] as NSDictionary
}

/// Creates a range from a dictionary; invalid if the dictionary does not contain one.
public func CMTimeRangeMakeFromDictionary(_ dictionary: CFDictionary) -> CMTimeRange {
    CMTimeRange(
        start: CMTimeMakeFromDictionary(dictionary.object(forKey: kCMTimeRangeStartKey) as? NSDictionary),
        duration: CMTimeMakeFromDictionary(dictionary.object(forKey: kCMTimeRangeDurationKey) as? NSDictionary))
}

public func CMTimeMappingCopyAsDictionary(_ mapping: CMTimeMapping, allocator: CFAllocator?) -> CFDictionary? {
    guard let source = CMTimeRangeCopyAsDictionary(mapping.source, allocator: allocator),
        let target = CMTimeRangeCopyAsDictionary(mapping.target, allocator: allocator)
    else { return nil }
    return [kCMTimeMappingSourceKey: source, kCMTimeMappingTargetKey: target] as NSDictionary
}

public func CMTimeMappingMakeFromDictionary(_ dictionary: CFDictionary) -> CMTimeMapping {
    func range(_ key: CFString) -> CMTimeRange {
        (dictionary.object(forKey: key) as? NSDictionary).map { CMTimeRangeMakeFromDictionary($0) } ?? .invalid
    }
    return CMTimeMapping(source: range(kCMTimeMappingSourceKey), target: range(kCMTimeMappingTargetKey))
}

public func CMTimeMappingCopyDescription(allocator: CFAllocator?, mapping: CMTimeMapping) -> CFString? {
    mapping.description
}
public func CMTimeMappingShow(_ mapping: CMTimeMapping) { print(mapping.description) }

extension CMTimeMapping: CustomStringConvertible {
    public var description: String { "{\(source) -> \(target)}" }
}

extension NSValue {
    private static let mappingType = "[96c]"

    public convenience init(timeMapping: CMTimeMapping) {
        var mapping = timeMapping
        self.init(bytes: &mapping, objCType: Self.mappingType)
    }

    /// The wrapped mapping; invalid if the object contains a different value.
    public var timeMappingValue: CMTimeMapping {
        var mapping = CMTimeMapping()
        if String(cString: objCType) == Self.mappingType { getValue(&mapping) }
        return mapping
    }
}

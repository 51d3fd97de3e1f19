public import Foundation

public let kCMTimeValueKey: CFString = "value"
public let kCMTimeScaleKey: CFString = "timescale"
public let kCMTimeEpochKey: CFString = "epoch"
public let kCMTimeFlagsKey: CFString = "flags"

public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: CFAllocator?) -> CFDictionary? {
    [
        kCMTimeValueKey: NSNumber(value: time.value), kCMTimeScaleKey: NSNumber(value: time.timescale),
        kCMTimeEpochKey: NSNumber(value: time.epoch), kCMTimeFlagsKey: NSNumber(value: time.flags.rawValue),
    ] as NSDictionary
}

/// Creates a time from a dictionary; invalid if the dictionary does not contain one.
public func CMTimeMakeFromDictionary(_ dictionary: CFDictionary?) -> CMTime {
    guard let dictionary, let value = dictionary.object(forKey: kCMTimeValueKey) as? NSNumber,
        let scale = dictionary.object(forKey: kCMTimeScaleKey) as? NSNumber,
        let flags = dictionary.object(forKey: kCMTimeFlagsKey) as? NSNumber
    else { return .invalid }
    let epoch = dictionary.object(forKey: kCMTimeEpochKey) as? NSNumber
    return CMTime(
        value: value.int64Value, timescale: scale.int32Value, flags: CMTimeFlags(rawValue: flags.uint32Value),
        epoch: epoch?.int64Value ?? 0)
}

public func CMTimeCopyDescription(allocator: CFAllocator?, time: CMTime) -> CFString? { time.description }
public func CMTimeShow(_ time: CMTime) { print("{\(time.description)}") }

extension NSValue {
    // NSValue on Linux supports only bytes, not structs.
    private static let timeType = "[24c]"
    private static let rangeType = "[48c]"

    /// Wraps a time in an object, for example for an image generator's array of times.
    public convenience init(time: CMTime) {
        var time = time
        self.init(bytes: &time, objCType: Self.timeType)
    }

    public convenience init(timeRange: CMTimeRange) {
        var range = timeRange
        self.init(bytes: &range, objCType: Self.rangeType)
    }

    /// The wrapped time; invalid if the object contains a different value.
    public var timeValue: CMTime {
        var time = CMTime.invalid
        if String(cString: objCType) == Self.timeType { getValue(&time) }
        return time
    }

    public var timeRangeValue: CMTimeRange {
        var range = CMTimeRange.invalid
        if String(cString: objCType) == Self.rangeType { getValue(&range) }
        return range
    }
}

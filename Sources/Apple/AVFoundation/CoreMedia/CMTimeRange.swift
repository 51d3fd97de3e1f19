import Foundation
import MediaTypes

/// A time range. It begins at `start` and lasts for `duration`; the end is not included.
public struct CMTimeRange: Sendable, Hashable, Codable {
    public var start: CMTime
    public var duration: CMTime

    /// Creates an invalid range.
    public init() { self.init(start: .invalid, duration: .invalid) }

    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    public static let invalid = CMTimeRange()

    public var end: CMTime { start + duration }
    public var isValid: Bool {
        start.isValid && duration.isValid && duration.epoch == 0 && (!duration.isNumeric || duration.value >= 0)
    }
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    public var isEmpty: Bool { isValid && duration == .zero }

    public func containsTime(_ time: CMTime) -> Bool {
        isValid && time.isValid && !time.isIndefinite && time >= start && time < end
    }

    /// Returns true if the other range is entirely inside this one.
    public func containsTimeRange(_ other: CMTimeRange) -> Bool {
        isValid && other.isValid && other.start >= start && other.end <= end
    }

    /// Returns the overlap of both ranges; empty if the ranges do not overlap.
    public func intersection(_ other: CMTimeRange) -> CMTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let first = CMTimeMaximum(start, other.start)
        let last = CMTimeMinimum(end, other.end)
        return last > first ? CMTimeRange(start: first, end: last) : .zero
    }

    /// Returns the smallest range that contains both ranges and any time between them.
    public func union(_ other: CMTimeRange) -> CMTimeRange {
        guard isValid, other.isValid else { return .invalid }
        return CMTimeRange(start: CMTimeMinimum(start, other.start), end: CMTimeMaximum(end, other.end))
    }
}

extension CMTimeRange: CustomStringConvertible {
    public var description: String { "{\(start), \(duration)}" }
}

extension CMTimeRange {
    init(_ range: TimeRange) { self.init(start: CMTime(range.start), duration: CMTime(range.duration)) }
    var media: TimeRange { TimeRange(start: start.media, duration: duration.media) }
}

/// A mapping of a source range to a target range.
public struct CMTimeMapping: Sendable, Hashable {
    public var source: CMTimeRange
    public var target: CMTimeRange

    public init() { self.init(source: .invalid, target: .invalid) }
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }
}

public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }
public func CMTimeRangeEqual(_ a: CMTimeRange, _ b: CMTimeRange) -> Bool { a == b }
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}
public func CMTimeRangeGetIntersection(_ a: CMTimeRange, otherRange b: CMTimeRange) -> CMTimeRange { a.intersection(b) }
public func CMTimeRangeGetUnion(_ a: CMTimeRange, otherRange b: CMTimeRange) -> CMTimeRange { a.union(b) }
public func CMTimeRangeCopyDescription(allocator: CFAllocator?, range: CMTimeRange) -> CFString? { range.description }
public func CMTimeRangeShow(_ range: CMTimeRange) { print(range.description) }
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    CMTimeMapping(source: source, target: target)
}
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    CMTimeMapping(source: .invalid, target: target)
}

/// Returns the nearest time inside the range.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid else { return .invalid }
    return CMTime(time.media.clamped(to: range.media))
}

/// Maps a time linearly from one range to another.
public func CMTimeMapTimeFromRangeToRange(_ time: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    guard time.isValid, fromRange.isValid, toRange.isValid else { return .invalid }
    return CMTime(time.media.mapped(from: fromRange.media, to: toRange.media))
}

/// Scales a duration in proportion to the lengths of the two ranges.
public func CMTimeMapDurationFromRangeToRange(
    _ duration: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange
) -> CMTime {
    guard duration.isValid, fromRange.isValid, toRange.isValid else { return .invalid }
    return CMTime(duration.media.mappedDuration(from: fromRange.media, to: toRange.media))
}

/// Maps a time into a range as if the range repeated endlessly.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
    guard time.isValid, foldRange.isValid else { return .invalid }
    return CMTime(time.media.folded(into: foldRange.media))
}

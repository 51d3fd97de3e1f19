import AssetIO
import Foundation
package import MediaTypes

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMTimeEpoch = Int64

public let kCMTimeMaxTimescale: Int = 0x7fff_ffff

public struct CMTimeFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let valid = CMTimeFlags(rawValue: 1)
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    public static let indefinite = CMTimeFlags(rawValue: 16)
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A point in time or a duration: `value / timescale` seconds, or one of the times that are not numbers.
///
/// The memory layout is Apple's: value, scale, flags, epoch. `MediaTime` does the arithmetic.
public struct CMTime: Sendable {
    public var value: CMTimeValue
    public var timescale: CMTimeScale
    public var flags: CMTimeFlags
    public var epoch: CMTimeEpoch

    /// Creates an invalid time, like zeroed memory.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Creates a time; it is invalid if the scale is not positive.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [], epoch: 0)
    }

    /// Creates the nearest multiple of `1 / preferredTimescale`, or a multiple of a coarser fraction if the value would
    /// overflow.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard preferredTimescale > 0, !seconds.isNaN else { self.init(); return }
        guard seconds.isFinite else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        var scale = preferredTimescale
        var ticks = (seconds * Double(scale)).rounded()
        while ticks.magnitude >= 9.2e18, scale > 1 {
            scale /= 2
            ticks = (seconds * Double(scale)).rounded()
        }
        guard ticks.magnitude < 9.2e18 else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        self.init(value: CMTimeValue(ticks), timescale: scale)
        if Double(value) / Double(scale) != seconds { flags.insert(.hasBeenRounded) }
    }

    public static let invalid = CMTime()
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
    public static let zero = CMTime(value: 0, timescale: 1)

    public var isValid: Bool { flags.contains(.valid) }
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) && timescale > 0 }
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    public var seconds: Double {
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return isNumeric ? Double(value) / Double(timescale) : .nan
    }
}

extension CMTime: Comparable, Hashable {
    /// Orders times by epoch, then by value. The order of the different kinds is −∞, numbers, indefinite, +∞, invalid.
    public static func < (a: CMTime, b: CMTime) -> Bool { CMTimeCompare(a, b) < 0 }
    public static func == (a: CMTime, b: CMTime) -> Bool { CMTimeCompare(a, b) == 0 }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(rank)
        guard isNumeric else { return }
        hasher.combine(epoch)
        hasher.combine(media)
    }

    var rank: Int {
        if isNumeric { return 0 }
        if isNegativeInfinity { return -1 }
        if isPositiveInfinity { return 2 }
        return isIndefinite ? 1 : Self.invalidRank
    }
    static let invalidRank = 3
}

extension CMTime: CustomStringConvertible {
    public var description: String {
        if isNumeric { return "\(value)/\(timescale) = \(seconds)" }
        if isPositiveInfinity { return "+infinity" }
        if isNegativeInfinity { return "-infinity" }
        return isIndefinite ? "indefinite" : "invalid"
    }
}

extension CMTime: Codable {
    private enum CodingKeys: String, CodingKey { case value, timescale, flags, epoch }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            value: try fields.decode(CMTimeValue.self, forKey: .value),
            timescale: try fields.decode(CMTimeScale.self, forKey: .timescale),
            flags: CMTimeFlags(rawValue: try fields.decode(UInt32.self, forKey: .flags)),
            epoch: try fields.decode(CMTimeEpoch.self, forKey: .epoch))
    }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(value, forKey: .value)
        try fields.encode(timescale, forKey: .timescale)
        try fields.encode(flags.rawValue, forKey: .flags)
        try fields.encode(epoch, forKey: .epoch)
    }
}

extension CMTime {
    /// Creates a time from a time of the library, which has no epochs.
    package init(_ time: MediaTime) {
        if time.isNumeric {
            self.init(value: time.value, timescale: time.timescale)
        } else if time.isValid {
            self = time.value > 0 ? .positiveInfinity : .negativeInfinity
        } else {
            self = .invalid
        }
    }

    package var media: MediaTime {
        if isNumeric { return MediaTime(value: value, timescale: timescale) }
        if isPositiveInfinity { return .positiveInfinity }
        return isNegativeInfinity ? .negativeInfinity : .invalid
    }
}

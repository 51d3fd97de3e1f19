public import Foundation
import MediaTypes

public typealias CMTimeCodeFormatType = FourCharCode

/// Creates the description of 32-bit timecodes.
///
/// - Parameters:
///   - frameQuanta: the number of frames that the timecode counts in each second, 1 to 255.
@discardableResult
public func CMTimeCodeFormatDescriptionCreate(
    allocator: CFAllocator?, timeCodeFormatType: CMTimeCodeFormatType, frameDuration: CMTime, frameQuanta: UInt32,
    flags: UInt32, extensions: CFDictionary?, formatDescriptionOut: UnsafeMutablePointer<CMTimeCodeFormatDescription?>
) -> OSStatus {
    guard timeCodeFormatType == kCMTimeCodeFormatType_TimeCode32, frameDuration.isNumeric, frameDuration > .zero,
        (1...255).contains(frameQuanta)
    else { return kCMFormatDescriptionError_InvalidParameter }
    formatDescriptionOut.pointee = CMFormatDescription(
        .timecode(
            TimecodeFormat(
                frameDuration: frameDuration.media, framesPerSecond: Int(frameQuanta),
                dropsFrames: flags & kCMTimeCodeFlag_DropFrame != 0,
                wrapsAt24Hours: flags & kCMTimeCodeFlag_24HourMax != 0)),
        extra: extensions as? [String: Any] ?? [:])
    return noErr
}

public func CMTimeCodeFormatDescriptionGetFrameDuration(_ description: CMTimeCodeFormatDescription) -> CMTime {
    description.frameDuration
}
public func CMTimeCodeFormatDescriptionGetFrameQuanta(_ description: CMTimeCodeFormatDescription) -> UInt32 {
    description.frameQuanta
}
public func CMTimeCodeFormatDescriptionGetTimeCodeFlags(_ description: CMTimeCodeFormatDescription) -> UInt32 {
    description.timeCodeFlags.rawValue
}

extension CMFormatDescription {
    public struct TimeCode {
        public struct Flag: OptionSet, Sendable {
            public let rawValue: UInt32
            public init(rawValue: UInt32) { self.rawValue = rawValue }
            public static let dropFrame = Flag(rawValue: kCMTimeCodeFlag_DropFrame)
            public static let twentyFourHourMax = Flag(rawValue: kCMTimeCodeFlag_24HourMax)
            public static let negTimesOK = Flag(rawValue: kCMTimeCodeFlag_NegTimesOK)
        }
    }

    public convenience init(
        timeCodeFormatType: MediaSubType, frameDuration: CMTime, frameQuanta: Int, flags: TimeCode.Flag,
        extensions: Extensions? = nil
    ) throws {
        self.init(
            like: try Self.made { out in
                CMTimeCodeFormatDescriptionCreate(
                    allocator: nil, timeCodeFormatType: timeCodeFormatType.rawValue, frameDuration: frameDuration,
                    frameQuanta: UInt32(clamping: frameQuanta), flags: flags.rawValue,
                    extensions: extensions?.dictionary, formatDescriptionOut: out)
            })
    }

    private var timecode: TimecodeFormat? {
        if case .timecode(let format) = engine { format } else { nil }
    }

    /// The duration of a frame; invalid for descriptions other than timecode.
    public var frameDuration: CMTime { timecode.map { CMTime($0.frameDuration) } ?? .invalid }
    public var frameQuanta: UInt32 { UInt32(clamping: timecode?.framesPerSecond ?? 0) }
    public var timeCodeFlags: TimeCode.Flag {
        guard let timecode else { return [] }
        var flags: TimeCode.Flag = []
        if timecode.dropsFrames { flags.insert(.dropFrame) }
        if timecode.wrapsAt24Hours { flags.insert(.twentyFourHourMax) }
        return flags
    }
}

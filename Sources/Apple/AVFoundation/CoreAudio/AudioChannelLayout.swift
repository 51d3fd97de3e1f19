/// The coordinate system of a channel's position. Empty if the channel has no position.
public struct AudioChannelFlags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let rectangularCoordinates = AudioChannelFlags(rawValue: 1 << 0)
    public static let sphericalCoordinates = AudioChannelFlags(rawValue: 1 << 1)
    public static let meters = AudioChannelFlags(rawValue: 1 << 2)
}

/// One channel in a layout that describes each channel.
public struct AudioChannelDescription: Sendable {
    public var mChannelLabel: AudioChannelLabel
    public var mChannelFlags: AudioChannelFlags
    /// The position of the loudspeaker, as defined by the flags.
    public var mCoordinates: (Float32, Float32, Float32)

    public init() { self.init(mChannelLabel: 0, mChannelFlags: [], mCoordinates: (0, 0, 0)) }
    public init(
        mChannelLabel: AudioChannelLabel, mChannelFlags: AudioChannelFlags, mCoordinates: (Float32, Float32, Float32)
    ) {
        self.mChannelLabel = mChannelLabel
        self.mChannelFlags = mChannelFlags
        self.mCoordinates = mCoordinates
    }
}

/// The loudspeakers of the channels, given as a tag, a bitmap, or one description for each channel.
///
/// Settings contain the structure as bytes (`AVChannelLayoutKey`), so its memory layout is Apple's. It has 32 bytes
/// with the first description. Any further descriptions follow immediately. `Data(bytes: &layout, count:
/// MemoryLayout<AudioChannelLayout>.size)` creates the bytes.
public struct AudioChannelLayout: Sendable {
    public var mChannelLayoutTag: AudioChannelLayoutTag
    /// The bitmap; used with the tag `kAudioChannelLayoutTag_UseChannelBitmap`.
    public var mChannelBitmap: AudioChannelBitmap
    /// The number of descriptions; used with the tag `kAudioChannelLayoutTag_UseChannelDescriptions`.
    public var mNumberChannelDescriptions: UInt32
    /// The first description.
    public var mChannelDescriptions: AudioChannelDescription

    public init() {
        self.init(
            mChannelLayoutTag: 0, mChannelBitmap: [], mNumberChannelDescriptions: 0, mChannelDescriptions: .init())
    }

    public init(
        mChannelLayoutTag: AudioChannelLayoutTag, mChannelBitmap: AudioChannelBitmap,
        mNumberChannelDescriptions: UInt32, mChannelDescriptions: AudioChannelDescription
    ) {
        self.mChannelLayoutTag = mChannelLayoutTag
        self.mChannelBitmap = mChannelBitmap
        self.mNumberChannelDescriptions = mNumberChannelDescriptions
        self.mChannelDescriptions = mChannelDescriptions
    }
}

extension AudioChannelLayout {
    /// Returns the size in bytes of a layout with space for this number of descriptions. A layout always has space for
    /// one description.
    public static func sizeInBytes(maximumDescriptions: Int) -> Int {
        MemoryLayout<AudioChannelLayout>.size
            + max(0, maximumDescriptions - 1) * MemoryLayout<AudioChannelDescription>.stride
    }
}

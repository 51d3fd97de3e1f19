/// How a channel's place is given, and whether it is given at all.
public struct AudioChannelFlags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let rectangularCoordinates = AudioChannelFlags(rawValue: 1 << 0)
    public static let sphericalCoordinates = AudioChannelFlags(rawValue: 1 << 1)
    public static let meters = AudioChannelFlags(rawValue: 1 << 2)
}

/// One channel of a layout that names each.
public struct AudioChannelDescription: Sendable {
    public var mChannelLabel: AudioChannelLabel
    public var mChannelFlags: AudioChannelFlags
    /// Where the loudspeaker stands, by the flags.
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

/// Which loudspeakers the channels belong to: by a tag, by a set, or one by one.
///
/// Settings carry it as bytes (`AVChannelLayoutKey`), so that its memory is Apple's: 32 bytes with one description, and each
/// further one follows at once. `Data(bytes: &layout, count: MemoryLayout<AudioChannelLayout>.size)` makes them.
public struct AudioChannelLayout: Sendable {
    public var mChannelLayoutTag: AudioChannelLayoutTag
    /// For `kAudioChannelLayoutTag_UseChannelBitmap`.
    public var mChannelBitmap: AudioChannelBitmap
    /// For `kAudioChannelLayoutTag_UseChannelDescriptions`.
    public var mNumberChannelDescriptions: UInt32
    /// The first of them.
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
    /// Bytes of a layout with room for this many descriptions, one at least.
    public static func sizeInBytes(maximumDescriptions: Int) -> Int {
        MemoryLayout<AudioChannelLayout>.size
            + max(0, maximumDescriptions - 1) * MemoryLayout<AudioChannelDescription>.stride
    }
}

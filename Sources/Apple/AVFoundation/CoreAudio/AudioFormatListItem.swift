/// One of the formats to which audio can be decoded. On Linux, there is always only one.
public struct AudioFormatListItem: Sendable, Hashable {
    public var mASBD: AudioStreamBasicDescription
    public var mChannelLayoutTag: AudioChannelLayoutTag

    public init() { self.init(mASBD: .init(), mChannelLayoutTag: kAudioChannelLayoutTag_Unknown) }
    public init(mASBD: AudioStreamBasicDescription, mChannelLayoutTag: AudioChannelLayoutTag) {
        self.mASBD = mASBD
        self.mChannelLayoutTag = mChannelLayoutTag
    }
}

/// A channel layout that manages its own memory.
public struct ManagedAudioChannelLayout: Sendable {
    /// The fields of the layout and of the descriptions after it.
    private let words: [UInt32]

    public init(tag: AudioChannelLayoutTag) { words = [tag, 0, 0, 0, 0, 0, 0, 0] }

    /// Copies a layout, with all of its descriptions.
    public init(audioChannelLayoutPointer pointer: UnsafePointer<AudioChannelLayout>) {
        let isDescribed = pointer.pointee.mChannelLayoutTag == kAudioChannelLayoutTag_UseChannelDescriptions
        // No supported format has more channels.
        let count = isDescribed ? min(Int(pointer.pointee.mNumberChannelDescriptions), 64) : 0
        let bytes = UnsafeRawPointer(pointer)
        // A description is a label, flags and three coordinates.
        var words = (0..<(3 + 5 * count)).map { index in
            bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<UInt32>.size, as: UInt32.self)
        }
        words[2] = UInt32(count)
        // The structure always contains one description.
        while words.count < 8 { words.append(0) }
        self.words = words
    }

    public var tag: AudioChannelLayoutTag { words[0] }

    /// The number of channels that the layout describes.
    public var numberOfChannels: Int {
        switch tag {
        case kAudioChannelLayoutTag_UseChannelDescriptions: Int(words[2])
        case kAudioChannelLayoutTag_UseChannelBitmap: words[1].nonzeroBitCount
        default: Int(AudioChannelLayoutTag_GetNumberOfChannels(tag))
        }
    }

    /// The size of the layout and its descriptions in bytes.
    var byteCount: Int { words.count * MemoryLayout<UInt32>.size }

    public func withUnsafePointer<Result>(
        _ body: (UnsafePointer<AudioChannelLayout>) throws -> Result
    ) rethrows -> Result {
        try words.withUnsafeBytes { bytes in
            try body(bytes.baseAddress!.assumingMemoryBound(to: AudioChannelLayout.self))
        }
    }
}

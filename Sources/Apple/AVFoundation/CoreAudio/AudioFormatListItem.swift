/// One of the formats to which audio can be decoded; here there is only one.
public struct AudioFormatListItem: Sendable, Hashable {
    public var mASBD: AudioStreamBasicDescription
    public var mChannelLayoutTag: AudioChannelLayoutTag

    public init() { self.init(mASBD: .init(), mChannelLayoutTag: kAudioChannelLayoutTag_Unknown) }
    public init(mASBD: AudioStreamBasicDescription, mChannelLayoutTag: AudioChannelLayoutTag) {
        self.mASBD = mASBD
        self.mChannelLayoutTag = mChannelLayoutTag
    }
}

/// A channel layout that manages its own memory; supports only layouts with a tag.
public struct ManagedAudioChannelLayout: Sendable {
    private let layout: AudioChannelLayout

    public init(tag: AudioChannelLayoutTag) {
        var layout = AudioChannelLayout()
        layout.mChannelLayoutTag = tag
        self.layout = layout
    }
    public init(audioChannelLayoutPointer pointer: UnsafePointer<AudioChannelLayout>) { layout = pointer.pointee }

    public var tag: AudioChannelLayoutTag { layout.mChannelLayoutTag }

    public func withUnsafePointer<Result>(
        _ body: (UnsafePointer<AudioChannelLayout>) throws -> Result
    ) rethrows -> Result {
        try Swift.withUnsafePointer(to: layout, body)
    }
}

public import Foundation
import MediaTypes

// Returned pointers are valid while the description exists.

/// Returns the channel layout; nil if it is unspecified and there are more than two channels.
public func CMAudioFormatDescriptionGetChannelLayout(
    _ description: CMAudioFormatDescription, sizeOut: UnsafeMutablePointer<Int>?
) -> UnsafePointer<AudioChannelLayout>? {
    guard let audio = description.audio, audio.pointee.layout.mChannelLayoutTag != 0,
        let offset = MemoryLayout<CMFormatDescription.Audio>.offset(of: \.layout)
    else {
        sizeOut?.pointee = 0
        return nil
    }
    sizeOut?.pointee = MemoryLayout<AudioChannelLayout>.size
    return (UnsafeRawPointer(audio) + offset).assumingMemoryBound(to: AudioChannelLayout.self)
}

/// Returns the codec's configuration bytes as a file stores them, without QuickTime's surrounding atoms.
public func CMAudioFormatDescriptionGetMagicCookie(
    _ description: CMAudioFormatDescription, sizeOut: UnsafeMutablePointer<Int>?
) -> UnsafeRawPointer? {
    let cookie = description.engine.audio == nil ? nil : description.configuration
    sizeOut?.pointee = cookie?.count ?? 0
    return cookie?.bytes.baseAddress
}

/// Returns a list with one item.
public func CMAudioFormatDescriptionGetFormatList(
    _ description: CMAudioFormatDescription, sizeOut: UnsafeMutablePointer<Int>?
) -> UnsafePointer<AudioFormatListItem>? {
    guard let audio = description.audio, let offset = MemoryLayout<CMFormatDescription.Audio>.offset(of: \.item) else {
        sizeOut?.pointee = 0
        return nil
    }
    sizeOut?.pointee = MemoryLayout<AudioFormatListItem>.size
    return (UnsafeRawPointer(audio) + offset).assumingMemoryBound(to: AudioFormatListItem.self)
}
public func CMAudioFormatDescriptionGetRichestDecodableFormat(
    _ description: CMAudioFormatDescription
) -> UnsafePointer<AudioFormatListItem>? {
    CMAudioFormatDescriptionGetFormatList(description, sizeOut: nil)
}
public func CMAudioFormatDescriptionGetMostCompatibleFormat(
    _ description: CMAudioFormatDescription
) -> UnsafePointer<AudioFormatListItem>? {
    CMAudioFormatDescriptionGetFormatList(description, sizeOut: nil)
}

public typealias CMAudioFormatDescriptionMask = UInt32
public let kCMAudioFormatDescriptionMask_StreamBasicDescription: CMAudioFormatDescriptionMask = 1
public let kCMAudioFormatDescriptionMask_MagicCookie: CMAudioFormatDescriptionMask = 2
public let kCMAudioFormatDescriptionMask_ChannelLayout: CMAudioFormatDescriptionMask = 4
public let kCMAudioFormatDescriptionMask_Extensions: CMAudioFormatDescriptionMask = 8
public let kCMAudioFormatDescriptionMask_All: CMAudioFormatDescriptionMask = 15

/// - Parameter equalityMaskOut: on return, the parts that were requested and are equal.
public func CMAudioFormatDescriptionEqual(
    _ description: CMAudioFormatDescription, otherFormatDescription: CMAudioFormatDescription,
    equalityMask: CMAudioFormatDescriptionMask, equalityMaskOut: UnsafeMutablePointer<CMAudioFormatDescriptionMask>?
) -> Bool {
    let (isEqual, mask) = description.equalTo(
        otherFormatDescription, equalityMask: CMFormatDescription.EqualityMask(rawValue: equalityMask))
    equalityMaskOut?.pointee = mask.rawValue
    return isEqual
}

extension CMFormatDescription {
    public convenience init(
        audioStreamBasicDescription: AudioStreamBasicDescription, layout: ManagedAudioChannelLayout? = nil,
        magicCookie: Data? = nil, extensions: Extensions? = nil
    ) throws {
        let made =
            if let layout {
                try layout.withUnsafePointer {
                    try Self.made(audioStreamBasicDescription, layout.byteCount, $0, magicCookie, extensions)
                }
            } else {
                try Self.made(audioStreamBasicDescription, 0, nil, magicCookie, extensions)
            }
        self.init(like: made)
    }

    public convenience init(
        audioStreamBasicDescription: AudioStreamBasicDescription, layoutSize: Int,
        layout: UnsafePointer<AudioChannelLayout>?, magicCookie: Data?, extensions: Extensions? = nil
    ) throws {
        self.init(like: try Self.made(audioStreamBasicDescription, layoutSize, layout, magicCookie, extensions))
    }

    private static func made(
        _ stream: AudioStreamBasicDescription, _ layoutSize: Int, _ layout: UnsafePointer<AudioChannelLayout>?,
        _ magicCookie: Data?, _ extensions: Extensions?
    ) throws -> CMFormatDescription {
        let cookie = [UInt8](magicCookie ?? Data())
        return try made { out in
            withUnsafePointer(to: stream) { stream in
                cookie.withUnsafeBytes { bytes in
                    CMAudioFormatDescriptionCreate(
                        allocator: nil, asbd: stream, layoutSize: layoutSize, layout: layout,
                        magicCookieSize: bytes.count, magicCookie: bytes.baseAddress,
                        extensions: extensions?.dictionary, formatDescriptionOut: out)
                }
            }
        }
    }

    public func withMagicCookie<Result>(_ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result {
        try body(engine.audio == nil ? nil : configuration?.bytes)
    }

    public var audioChannelLayout: ManagedAudioChannelLayout? {
        CMAudioFormatDescriptionGetChannelLayout(self, sizeOut: nil).map {
            ManagedAudioChannelLayout(audioChannelLayoutPointer: $0)
        }
    }
    public var audioFormatList: [AudioFormatListItem] { audio.map { [$0.pointee.item] } ?? [] }
    public var richestDecodableFormat: AudioFormatListItem? { audioFormatList.first }
    public var mostCompatibleFormat: AudioFormatListItem? { audioFormatList.first }

    /// Parts of an audio format description.
    public struct EqualityMask: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let streamBasicDescription = EqualityMask(
            rawValue: kCMAudioFormatDescriptionMask_StreamBasicDescription)
        public static let magicCookie = EqualityMask(rawValue: kCMAudioFormatDescriptionMask_MagicCookie)
        public static let channelLayout = EqualityMask(rawValue: kCMAudioFormatDescriptionMask_ChannelLayout)
        public static let extensions = EqualityMask(rawValue: kCMAudioFormatDescriptionMask_Extensions)
        public static let all = EqualityMask(rawValue: kCMAudioFormatDescriptionMask_All)
    }

    public func equalTo(
        _ otherFormatDescription: CMAudioFormatDescription, equalityMask: EqualityMask = .all
    ) -> (Bool, equalityMask: EqualityMask) {
        let other = otherFormatDescription
        var equal: EqualityMask = []
        if audioStreamBasicDescription == other.audioStreamBasicDescription { equal.insert(.streamBasicDescription) }
        if magicCookie == other.magicCookie { equal.insert(.magicCookie) }
        if audioChannelLayout?.tag == other.audioChannelLayout?.tag { equal.insert(.channelLayout) }
        if NSDictionary(dictionary: extensionValues) == NSDictionary(dictionary: other.extensionValues) {
            equal.insert(.extensions)
        }
        equal.formIntersection(equalityMask)
        return (equal == equalityMask, equal)
    }
}

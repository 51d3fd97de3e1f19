public import Foundation
import MediaTypes
import MovieFile

/// The layout of an audio format: which loudspeaker each channel is for. Immutable.
open class AVAudioChannelLayout: NSObject, @unchecked Sendable {
    // Unchecked: the memory is not written after initialization.
    private let memory: UnsafeMutableRawPointer
    private let size: Int

    /// Creates a layout from the 32-bit words of an `AudioChannelLayout` and the descriptions after it.
    private init(words: [UInt32]) {
        size = max(MemoryLayout<AudioChannelLayout>.size, words.count * MemoryLayout<UInt32>.size)
        memory = .allocate(byteCount: size, alignment: MemoryLayout<UInt64>.alignment)
        _ = memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        for (index, word) in words.enumerated() {
            memory.storeBytes(of: word, toByteOffset: index * MemoryLayout<UInt32>.size, as: UInt32.self)
        }
        super.init()
    }

    /// Creates the layout of a tag. Returns nil for the two tags that mean "use the descriptions" and "use the bitmap".
    public convenience init?(layoutTag: AudioChannelLayoutTag) {
        guard layoutTag != kAudioChannelLayoutTag_UseChannelDescriptions,
            layoutTag != kAudioChannelLayoutTag_UseChannelBitmap
        else { return nil }
        self.init(words: [layoutTag, 0, 0])
    }

    /// Copies a layout, with all of its descriptions.
    public convenience init(layout: UnsafePointer<AudioChannelLayout>) {
        let isDescribed = layout.pointee.mChannelLayoutTag == kAudioChannelLayoutTag_UseChannelDescriptions
        // No supported format has more channels.
        let count = isDescribed ? min(Int(layout.pointee.mNumberChannelDescriptions), 64) : 0
        let bytes = UnsafeRawPointer(layout)
        // A description is a label, flags and three coordinates.
        var words = (0..<(3 + 5 * count)).map { index in
            bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<UInt32>.size, as: UInt32.self)
        }
        words[2] = UInt32(count)
        self.init(words: words)
    }

    /// Creates the equivalent of a layout of the library. The channels keep their order.
    convenience init(_ layout: ChannelLayout) {
        let plain = AudioChannelLayout(layout)
        if plain.mChannelLayoutTag & 0xFFFF_0000 != kAudioChannelLayoutTag_Unknown {
            self.init(words: [plain.mChannelLayoutTag, plain.mChannelBitmap.rawValue, 0])
        } else {
            let bytes = ChannelLayoutAtom.plain(layout)
            self.init(
                words: stride(from: 0, to: bytes.count - 3, by: 4).map { place in
                    bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) }
                })
        }
    }

    deinit { memory.deallocate() }

    /// The layout, with its descriptions after it; valid while the object lives.
    open var layout: UnsafePointer<AudioChannelLayout> {
        UnsafeRawPointer(memory).assumingMemoryBound(to: AudioChannelLayout.self)
    }
    open var layoutTag: AudioChannelLayoutTag { layout.pointee.mChannelLayoutTag }

    open var channelCount: AVAudioChannelCount {
        switch layoutTag {
        case kAudioChannelLayoutTag_UseChannelDescriptions: layout.pointee.mNumberChannelDescriptions
        case kAudioChannelLayoutTag_UseChannelBitmap: UInt32(layout.pointee.mChannelBitmap.rawValue.nonzeroBitCount)
        default: layoutTag & 0xFFFF
        }
    }

    /// The bytes of the layout, as settings contain them.
    var bytes: Data { Data(bytes: memory, count: size) }

    /// Returns the library's layout, in the order of the channels. If there is no equivalent, returns a layout of
    /// independent channels for linear PCM, and nil for other formats.
    func engine(isPCM: Bool) -> ChannelLayout? {
        if let known = ChannelLayout(coreAudio: bytes, isPCM: isPCM), known.channelCount == Int(channelCount) {
            return known
        }
        guard isPCM, (1...64).contains(channelCount) else { return nil }
        let payload = stride(from: 0, to: size - 3, by: 4).flatMap { place in
            withUnsafeBytes(of: memory.load(fromByteOffset: place, as: UInt32.self).bigEndian) { Array($0) }
        }
        return ChannelLayoutAtom.layout(payload, codec: .linearPCM, channelCount: Int(channelCount))
            ?? .discrete(Int(channelCount))
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioChannelLayout else { return false }
        return bytes == other.bytes
    }
    override open var hash: Int { bytes.hashValue }
}

import Foundation
import MediaTypes

/// Conversions between the library's layouts and Core Audio's tags.
extension ChannelLayout {
    /// The tags with the channel order of linear PCM, which is the order of the bits in a WAVE file's mask.
    private static let pcmTags: [ChannelLayout: AudioChannelLayoutTag] = [
        .mono: kAudioChannelLayoutTag_Mono, .stereo: kAudioChannelLayoutTag_Stereo,
        .surround3: kAudioChannelLayoutTag_MPEG_3_0_A, .quad: kAudioChannelLayoutTag_MPEG_4_0_A,
        .surround5: kAudioChannelLayoutTag_MPEG_5_0_A, .surround51: kAudioChannelLayoutTag_MPEG_5_1_A,
        .surround61: kAudioChannelLayoutTag_WAVE_6_1, .surround71: kAudioChannelLayoutTag_WAVE_7_1,
    ]

    /// Tags for the same loudspeakers in other orders. They are accepted for compressed audio, because it always has
    /// the order of its codec.
    private static let otherTags: [AudioChannelLayoutTag: ChannelLayout] = [
        kAudioChannelLayoutTag_MPEG_3_0_B: .surround3, kAudioChannelLayoutTag_AC3_3_0: .surround3,
        kAudioChannelLayoutTag_MPEG_4_0_B: .quad, kAudioChannelLayoutTag_AC3_3_1: .quad,
        kAudioChannelLayoutTag_MPEG_5_0_B: .surround5, kAudioChannelLayoutTag_MPEG_5_0_C: .surround5,
        kAudioChannelLayoutTag_MPEG_5_0_D: .surround5, kAudioChannelLayoutTag_WAVE_5_0_B: .surround5,
        kAudioChannelLayoutTag_MPEG_5_1_B: .surround51, kAudioChannelLayoutTag_MPEG_5_1_C: .surround51,
        kAudioChannelLayoutTag_MPEG_5_1_D: .surround51, kAudioChannelLayoutTag_WAVE_5_1_B: .surround51,
        kAudioChannelLayoutTag_MPEG_6_1_A: .surround61, kAudioChannelLayoutTag_AAC_6_1: .surround61,
        kAudioChannelLayoutTag_MPEG_7_1_C: .surround71, kAudioChannelLayoutTag_AAC_7_1_B: .surround71,
    ]

    /// The layout for each set of loudspeakers. In a layout with one surround pair, side and rear loudspeakers are
    /// equivalent.
    private static let bitmaps: [AudioChannelBitmap: ChannelLayout] = {
        let front: AudioChannelBitmap = [.bit_Left, .bit_Right, .bit_Center]
        let surround: AudioChannelBitmap = [.bit_LeftSurround, .bit_RightSurround]
        let side: AudioChannelBitmap = [.bit_LeftSurroundDirect, .bit_RightSurroundDirect]
        return [
            [.bit_Center]: .mono, [.bit_Left, .bit_Right]: .stereo, front: .surround3,
            front.union(.bit_CenterSurround): .quad, front.union(surround): .surround5, front.union(side): .surround5,
            front.union(surround).union(.bit_LFEScreen): .surround51,
            front.union(side).union(.bit_LFEScreen): .surround51,
            front.union(surround).union([.bit_LFEScreen, .bit_CenterSurround]): .surround61,
            front.union(side).union([.bit_LFEScreen, .bit_CenterSurround]): .surround61,
            front.union(surround).union(side).union(.bit_LFEScreen): .surround71,
        ]
    }()

    /// - Parameter isPCM: true if the order of the channels matters.
    /// - Returns: nil for other loudspeakers, and for PCM in a different order.
    init?(_ tag: AudioChannelLayoutTag, isPCM: Bool) {
        let stereo = [
            kAudioChannelLayoutTag_StereoHeadphones, kAudioChannelLayoutTag_Binaural,
            kAudioChannelLayoutTag_MatrixStereo,
        ]
        if let layout = Self.pcmTags.first(where: { $0.value == tag })?.key {
            self = layout
        } else if stereo.contains(tag) {
            self = .stereo
        } else if [kAudioChannelLayoutTag_DiscreteInOrder, kAudioChannelLayoutTag_Unknown].contains(tag & 0xFFFF_0000),
            (1...64).contains(tag & 0xFFFF)
        {
            self = .discrete(Int(tag & 0xFFFF))
        } else if !isPCM, let layout = Self.otherTags[tag] {
            self = layout
        } else {
            return nil
        }
    }

    init?(_ bitmap: AudioChannelBitmap) {
        guard bitmap.rawValue != 0, bitmap.rawValue < 1 << 18 else { return nil }
        // The bits are those of a WAVE file's mask.
        self = Self.bitmaps[bitmap] ?? ChannelLayout(mask: UInt64(bitmap.rawValue))
    }

    /// The tag for linear PCM, which codecs also accept.
    var coreAudioTag: AudioChannelLayoutTag {
        let count = AudioChannelLayoutTag(channelCount)
        return Self.pcmTags[self]
            ?? (isDiscrete ? kAudioChannelLayoutTag_DiscreteInOrder | count : kAudioChannelLayoutTag_Unknown | count)
    }

    /// The loudspeakers as bits; nil for a layout that has a tag, and for a layout that a bitmap cannot represent.
    var coreAudioBitmap: AudioChannelBitmap? {
        guard Self.pcmTags[self] == nil, let mask, mask < 1 << 18 else { return nil }
        return AudioChannelBitmap(rawValue: UInt32(mask))
    }

    /// Creates the layout from the bytes of an `AudioChannelLayout`.
    ///
    /// - Returns: nil for too few bytes, for loudspeakers without an equivalent layout, and for PCM in a different
    ///   order.
    init?(coreAudio bytes: Data, isPCM: Bool) {
        func word(_ offset: Int) -> UInt32 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
        guard bytes.count >= 12 else { return nil }
        switch word(0) {
        case kAudioChannelLayoutTag_UseChannelBitmap:
            self.init(AudioChannelBitmap(rawValue: word(4)))
        case kAudioChannelLayoutTag_UseChannelDescriptions:
            let count = Int(word(8))
            let size = MemoryLayout<AudioChannelDescription>.stride
            guard count <= 64, bytes.count >= 12 + count * size else { return nil }
            self.init(labels: (0..<count).map { word(12 + $0 * size) }, isPCM: isPCM)
        case let tag:
            self.init(tag, isPCM: isPCM)
        }
    }

    private init?(labels: [AudioChannelLabel], isPCM: Bool) {
        if labels == [kAudioChannelLabel_Mono] {
            self = .mono
            return
        }
        let isDiscrete = { (label: AudioChannelLabel) in label == kAudioChannelLabel_Discrete || label >> 16 == 1 }
        if !labels.isEmpty, labels.allSatisfy(isDiscrete) {
            self = .discrete(labels.count)
            return
        }
        // The values of the first 18 labels are the numbers of the mask's bits plus one. The later labels for the rear
        // surround pair of 7.1 are replaced by labels within these 18.
        let usual = labels.map { label in
            switch label {
            case kAudioChannelLabel_RearSurroundLeft: kAudioChannelLabel_LeftSurroundDirect
            case kAudioChannelLabel_RearSurroundRight: kAudioChannelLabel_RightSurroundDirect
            default: label
            }
        }
        guard usual.allSatisfy({ (1...18).contains($0) }), Set(usual).count == usual.count else { return nil }
        if isPCM, usual != usual.sorted() { return nil }
        self.init(usual.reduce(into: AudioChannelBitmap()) { $0.insert(.init(rawValue: 1 << ($1 - 1))) })
    }
}

extension AudioChannelLayout {
    init(_ layout: ChannelLayout) {
        self.init()
        mChannelLayoutTag = layout.coreAudioTag
        if let bitmap = layout.coreAudioBitmap {
            (mChannelLayoutTag, mChannelBitmap) = (kAudioChannelLayoutTag_UseChannelBitmap, bitmap)
        }
    }

    /// The layout in the form that settings contain.
    var bytes: Data {
        var layout = self
        return Data(bytes: &layout, count: MemoryLayout<AudioChannelLayout>.size)
    }
}

/// The layout and the order in which a codec stores the channels of a track.
///
/// Each codec has a fixed meaning for each channel count. Channels with other loudspeakers, or without loudspeakers,
/// use a layout of the same count that codes each of them in full. The container then describes the meaning of the
/// channels.
package struct CodecChannelOrder: Sendable, Hashable {
    /// The codec's layout, in libavcodec's order; nil if the codec does not describe its channels.
    package let layout: ChannelLayout?
    /// The channel of the track for each channel of the codec's layout.
    package let order: [Int]
    /// The actual loudspeakers of the channels, in the codec's order.
    package let stored: ChannelLayout
    /// True if the codec's own layout describes the channels correctly.
    package let isNamedByCodec: Bool

    /// The maximum number of channels that this library stores with a codec.
    package static func greatestCount(_ codec: AudioCodec) -> Int {
        switch codec {
        case .linearPCM, .opus: 64
        default: 8
        }
    }

    /// - Parameter layout: the loudspeakers; nil means mono for one channel, stereo for two channels, and discrete for
    ///   more.
    /// - Returns: nil if there are more channels than the codec can store.
    package init?(_ codec: AudioCodec, layout: ChannelLayout?, channelCount: Int) {
        guard (1...Self.greatestCount(codec)).contains(channelCount) else { return nil }
        let wanted =
            layout ?? (channelCount == 1 ? .mono : channelCount == 2 ? .stereo : .discrete(channelCount))
        guard wanted.channelCount == channelCount else { return nil }
        let known = Self.layouts(codec)
        if let known = known.first(where: { $0 == wanted }) ?? known.first(where: { wanted.order(for: $0) != nil }),
            let order = wanted.order(for: known)
        {
            (self.layout, self.order, isNamedByCodec) = (known, order, true)
            stored = ChannelLayout(order.map { wanted.positions[$0] })
            return
        }
        self.layout = Self.carrier(codec, channelCount)
        order = Array(0..<channelCount)
        stored = wanted
        // Two microphones may be called left and right, because these names are enough to tell them apart.
        isNamedByCodec = channelCount <= 2
    }

    /// The layouts that the codec signals to its decoder.
    private static func layouts(_ codec: AudioCodec) -> [ChannelLayout] {
        switch codec {
        case .aac: aac
        case .alac: alac
        case .flac: xiph
        // libavcodec 5.1 stores Opus' seven channels in the wrong order. 6.1 is therefore stored without names.
        case .opus: xiph.filter { $0 != .surround61 }
        default: []
        }
    }

    /// Returns a layout that codes each of `count` channels in full; nil if the codec does not describe its channels.
    /// The layouts for AAC have no low-frequency channel, because AAC codes a low-frequency channel with reduced
    /// bandwidth.
    private static func carrier(_ codec: AudioCodec, _ count: Int) -> ChannelLayout? {
        switch codec {
        case .aac: aacCarriers[count - 1]
        case .alac: alac[count - 1]
        case .flac: xiph[count - 1]
        case .opus: count == 1 ? .mono : count == 2 ? .stereo : nil
        default: nil
        }
    }

    private static let quad = ChannelLayout(mask: 0x33)
    private static let back61 = ChannelLayout(mask: 0x13F)
    private static let wide71 = ChannelLayout(mask: 0xFF)
    private static let hexagonal = ChannelLayout(mask: 0x137)
    private static let seven = ChannelLayout(mask: 0x637)
    private static let octagonal = ChannelLayout(mask: 0x737)

    /// The channel configurations (ISO/IEC 14496-3, table 1.19; 7.1 as all encoders write it).
    private static let configurations: [ChannelLayout] = [
        .mono, .stereo, .surround3, .quad, .surround5, .surround51, .surround71,
    ]

    /// The configurations, then the layouts for which libavcodec writes a program config element that codes each
    /// channel in full. 2.1 and 3.1 are excluded, because libavcodec codes their low-frequency channel with reduced
    /// bandwidth.
    private static let aac: [ChannelLayout] =
        configurations
        + [
            0x103, 0x10F, 0x603, 0x33, 0x707, 0x6C3, 0x137, 0x70F, 0x13F, 0x6CB, 0x637, 0x6C7, 0xFF, 0x6CF,
            0x737,
        ].map { ChannelLayout(mask: $0) }

    private static let aacCarriers: [ChannelLayout] = [
        .mono, .stereo, .surround3, .quad, .surround5, hexagonal, seven, octagonal,
    ]

    /// The layout for each count (Apple, ALACMagicCookieDescription).
    private static let alac: [ChannelLayout] = [
        .mono, .stereo, .surround3, .quad, .surround5, .surround51, back61, wide71,
    ]

    /// The layouts of FLAC and Vorbis (RFC 9639, 9.1.3; RFC 7845, 5.1.1.2), in libavcodec's order.
    private static let xiph: [ChannelLayout] = [
        .mono, .stereo, .surround3, quad, .surround5, .surround51, .surround61, .surround71,
    ]

    // MARK: Losses

    /// Describes what is lost in coding or playback, and how to avoid the loss; nil if nothing is lost.
    package static func loss(_ codec: AudioCodec, layout: ChannelLayout?, channelCount: Int) -> String? {
        guard codec == .aac, let held = CodecChannelOrder(codec, layout: layout, channelCount: channelCount),
            let carrier = held.layout
        else { return nil }
        // Layouts that are not channel configurations code the low-frequency channel in full.
        if carrier == .surround51 || carrier == .surround71 {
            return "the low-frequency channel above 300 Hz: AAC does not encode it; "
                + "use --audio-codec alac, flac or pcm to keep it"
        }
        guard !configurations.contains(carrier) else { return nil }
        return "a standard channel configuration, which browsers need to play the audio: "
            + "AAC has none for \(held.stored.rawValue) channels; use --audio-codec alac, flac or pcm"
    }

    // MARK: Stream order

    /// Returns libavcodec's channel for each channel of the coded stream; nil if the order is the same, or unknown.
    package static func streamOrder(_ codec: AudioCodec, _ layout: ChannelLayout?) -> [Int]? {
        switch (codec, layout) {
        case (.aac, .surround3), (.alac, .surround3): [2, 0, 1]
        case (.aac, .quad), (.alac, .quad): [2, 0, 1, 3]
        case (.aac, .surround5), (.alac, .surround5): [2, 0, 1, 3, 4]
        case (.aac, .surround51), (.alac, .surround51): [2, 0, 1, 4, 5, 3]
        case (.aac, hexagonal): [2, 0, 1, 3, 4, 5]
        case (.aac, seven): [2, 0, 1, 3, 4, 5, 6]
        case (.aac, octagonal): [2, 0, 1, 6, 7, 3, 4, 5]
        case (.alac, back61): [2, 0, 1, 4, 5, 6, 3]
        case (.alac, wide71): [2, 6, 7, 0, 1, 4, 5, 3]
        default: nil
        }
    }
}

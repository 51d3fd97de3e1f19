/// How a codec holds the channels of a track: by which of its own layouts, and in which order.
///
/// Each codec has a fixed meaning for each count. Channels with other loudspeakers, or none, take a layout of the same count
/// that codes each of them in full, and the container says what they are.
package struct CodecChannelOrder: Sendable, Hashable {
    /// The codec's layout, in libavcodec's order. nil: the codec says nothing of its channels.
    package let layout: ChannelLayout?
    /// For each channel of the codec's layout the channel of the track.
    package let order: [Int]
    /// What the channels are, in the codec's order.
    package let stored: ChannelLayout
    /// The codec's own layout says what the channels are.
    package let isNamedByCodec: Bool

    /// The most channels that a codec holds here.
    package static func greatestCount(_ codec: AudioCodec) -> Int {
        switch codec {
        case .linearPCM, .opus: 64
        default: 8
        }
    }

    /// - Parameter layout: nil: mono or stereo by the count, discrete for more.
    /// - Returns: nil for more channels than the codec holds.
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
        // Two microphones may be called left and right; nobody needs more to find them again.
        isNamedByCodec = channelCount <= 2
    }

    /// The layouts of which the codec tells its decoder.
    private static func layouts(_ codec: AudioCodec) -> [ChannelLayout] {
        switch codec {
        case .aac: aac
        case .alac: alac
        case .flac: xiph
        // libavcodec 5.1 puts Opus' seven channels into each other's places. 6.1 is stored without names then.
        case .opus: xiph.filter { $0 != .surround61 }
        default: []
        }
    }

    /// A layout without a low-frequency channel, where the codec would code that one in part.
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

    /// The configurations, then the layouts of which libavcodec writes a program config element that codes each channel in
    /// full. Not 2.1 and 3.1: there it codes the low-frequency channel in part.
    private static let aac: [ChannelLayout] =
        configurations
        + [
            0x103, 0x10F, 0x603, 0x33, 0x707, 0x6C3, 0x137, 0x70F, 0x13F, 0x6CB, 0x637, 0x6C7, 0xFF, 0x6CF,
            0x737,
        ].map { ChannelLayout(mask: $0) }

    private static let aacCarriers: [ChannelLayout] = [
        .mono, .stereo, .surround3, .quad, .surround5, hexagonal, seven, octagonal,
    ]

    /// One for each count (Apple, ALACMagicCookieDescription).
    private static let alac: [ChannelLayout] = [
        .mono, .stereo, .surround3, .quad, .surround5, .surround51, back61, wide71,
    ]

    /// FLAC's and Vorbis' (RFC 9639, 9.1.3; RFC 7845, 5.1.1.2), in libavcodec's order.
    private static let xiph: [ChannelLayout] = [
        .mono, .stereo, .surround3, quad, .surround5, .surround51, .surround61, .surround71,
    ]

    // MARK: What is lost

    /// What a listener or a player does not get of the channels, with the way out; nil for nothing.
    package static func loss(_ codec: AudioCodec, layout: ChannelLayout?, channelCount: Int) -> String? {
        guard codec == .aac, let held = CodecChannelOrder(codec, layout: layout, channelCount: channelCount),
            let carrier = held.layout
        else { return nil }
        // In the layouts beside the configurations that channel is coded in full.
        if carrier == .surround51 || carrier == .surround71 {
            return "what the low-frequency channel has above 300 Hz: AAC codes no more of it; "
                + "--audio-codec alac, flac or pcm keeps all"
        }
        guard !configurations.contains(carrier) else { return nil }
        return "a channel configuration that every player knows: AAC has none for \(held.stored.rawValue) channels, "
            + "and browsers do not play it; --audio-codec alac, flac or pcm needs none"
    }

    // MARK: The order in the stream

    /// For each channel of the coded stream libavcodec's channel; nil where they are the same, or nobody knows.
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

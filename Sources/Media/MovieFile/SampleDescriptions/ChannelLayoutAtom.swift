package import MediaTypes

/// `chan`: the loudspeaker of each channel (QTFF, "Audio Channel Layout Atom"; the numbers are Core Audio's,
/// CoreAudioBaseTypes.h). The channels are in the order of the coded stream.
package enum ChannelLayoutAtom {
    private static let useDescriptions: UInt32 = 0
    private static let useBitmap: UInt32 = 1 << 16
    private static let discreteInOrder: UInt32 = 147 << 16
    private static let unknown: UInt32 = 0xFFFF << 16
    /// The label of the first channel without a loudspeaker.
    private static let firstDiscrete: UInt32 = 1 << 16

    /// Writes the atom. Writes nothing if the layout is unknown, or if the codec's own configuration contains it.
    static func write(_ audio: AudioFormat, dialect: MovieDialect, into entry: inout AtomWriter) {
        if !audio.storedChannelLayout.isEmpty, dialect == .quickTime || audio.channelCount > 2 {
            entry.fullAtom("chan") { $0.raw(audio.storedChannelLayout) }
            return
        }
        guard let payload = payload(audio, isQuickTime: dialect == .quickTime) else { return }
        entry.fullAtom("chan") { $0.raw(payload) }
    }

    /// Returns the payload for a file of another kind, such as CAF, with the channels in the order of the coded stream;
    /// nil if the layout is unknown, or if the codec's own configuration contains it.
    package static func payload(_ audio: AudioFormat) -> [UInt8]? { payload(audio, isQuickTime: true) }

    private static func payload(_ audio: AudioFormat, isQuickTime: Bool) -> [UInt8]? {
        // A tag stores its channel count in 16 bits.
        guard (1...0xFFFF).contains(audio.channelCount),
            let layout = audio.statedLayout ?? (audio.pcm == nil ? nil : .discrete(audio.channelCount))
        else {
            return nil
        }
        let count = UInt32(layout.channelCount)
        guard audio.codec != .linearPCM else { return plain(layout) }
        let held = CodecChannelOrder(audio.codec, layout: layout, channelCount: audio.channelCount)
        if held?.isNamedByCodec ?? true {
            guard isQuickTime else { return nil }
            if layout == .mono || layout == .stereo { return plain(layout) }
            return tag(held?.layout, codec: audio.codec).map { bytes([$0 << 16 | count, 0, 0]) }
        }
        guard let order = CodecChannelOrder.streamOrder(audio.codec, held?.layout) else {
            // If the codec's order is unknown here, its own data describes the channels.
            return audio.codec == .flac || audio.codec == .opus ? plain(layout) : nil
        }
        return descriptions(layout, order: order)
    }

    /// Returns the payload for linear PCM, whose channels are in the order of the layout.
    package static func plain(_ layout: ChannelLayout) -> [UInt8] {
        let count = UInt32(layout.channelCount)
        if layout == .mono { return bytes([100 << 16 | count, 0, 0]) }
        if layout == .stereo { return bytes([101 << 16 | count, 0, 0]) }
        if layout.isDiscrete { return bytes([discreteInOrder | count, 0, 0]) }
        // L R C LFE Ls Rs Lc Rc Cs Lsd Rsd …: the order of the bits.
        if let mask = layout.mask, mask < 1 << 18 { return bytes([useBitmap, UInt32(mask), 0]) }
        return descriptions(layout, order: Array(layout.positions.indices))
    }

    private static func descriptions(_ layout: ChannelLayout, order: [Int]) -> [UInt8] {
        var words = [useDescriptions, 0, UInt32(layout.channelCount)]
        for channel in order {
            let label = label(layout.positions[channel]) ?? firstDiscrete | UInt32(channel)
            // Flags and three coordinates.
            words += [label, 0, 0, 0, 0]
        }
        return bytes(words)
    }

    private static func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    /// Returns the label of a loudspeaker: for the first 18, the bit of the mask plus one.
    private static func label(_ position: ChannelPosition) -> UInt32? {
        position.rawValue < 18 ? UInt32(position.rawValue) + 1 : furtherLabels[position.rawValue]
    }

    /// Left and right total, wide left and right, the second low-frequency channel.
    private static let furtherLabels: [UInt8: UInt32] = [29: 38, 30: 39, 31: 35, 32: 36, 35: 37]

    /// Returns the tag of a layout. AAC and ALAC put the center first. AAC's other layouts need no tag, because its own
    /// configuration contains them.
    private static func tag(_ layout: ChannelLayout?, codec: AudioCodec) -> UInt32? {
        guard codec == .aac || codec == .alac else { return nil }
        return switch layout?.rawValue {
        case "3.0": 114  // MPEG 3.0 B: C L R
        case "4.0": 116  // MPEG 4.0 B: C L R Cs
        case "5.0": 120  // MPEG 5.0 D: C L R Ls Rs
        case "5.1": 124  // MPEG 5.1 D: C L R Ls Rs LFE
        case "6.1(back)" where codec == .alac: 142  // AAC 6.1: C L R Ls Rs Cs LFE
        default: nil
        }
    }

    // MARK: Reading

    /// Returns the layout of an atom in libavcodec's order; nil for an unknown tag, and if the number of channels is
    /// not `channelCount`.
    ///
    /// - Parameter payload: the payload after version and flags.
    package static func layout(_ payload: [UInt8], codec: AudioCodec, channelCount: Int) -> ChannelLayout? {
        var reader = ByteReader(payload)
        guard let tag = reader.u32(), let bitmap = reader.u32(), let count = reader.u32() else { return nil }
        let positions: [ChannelPosition]
        switch tag {
        case useDescriptions:
            guard count == channelCount else { return nil }
            var labels: [UInt32] = []
            while labels.count < channelCount, let label = reader.u32(), reader.skip(16) { labels.append(label) }
            positions = labels.map(position)
        case useBitmap:
            positions = ChannelLayout(mask: UInt64(bitmap)).positions
            // The bits have one order, and the codec's channels have another.
            guard CodecChannelOrder.streamOrder(codec, carrier(codec, channelCount)) == nil else { return nil }
        default:
            if tag & unknown == discreteInOrder || tag & unknown == unknown {
                return tag & 0xFFFF == channelCount && channelCount > 2 ? .discrete(channelCount) : nil
            }
            positions = (tags[tag >> 16] ?? []).map { ChannelPosition(rawValue: $0) }
        }
        guard positions.count == channelCount else { return nil }
        guard let order = CodecChannelOrder.streamOrder(codec, carrier(codec, channelCount)),
            order.count == channelCount
        else { return ChannelLayout(positions) }
        var ordered = positions
        for (place, channel) in order.enumerated() { ordered[channel] = positions[place] }
        return ChannelLayout(ordered)
    }

    private static func carrier(_ codec: AudioCodec, _ count: Int) -> ChannelLayout? {
        // A file may claim any count.
        guard (1...CodecChannelOrder.greatestCount(codec)).contains(count) else { return nil }
        return CodecChannelOrder(codec, layout: .discrete(count), channelCount: count)?.layout
    }

    private static func position(_ label: UInt32) -> ChannelPosition {
        if (1...18).contains(label) { return ChannelPosition(rawValue: UInt8(label - 1)) }
        switch label {
        case 33: return .backLeft  // rear surround, beside the side surround
        case 34: return .backRight
        case 42: return .frontCenter  // mono
        default:
            let known = furtherLabels.first { $0.value == label }?.key
            return known.map { ChannelPosition(rawValue: $0) } ?? .discrete
        }
    }

    /// The loudspeakers of each tag, by the upper half of the tag.
    private static let tags: [UInt32: [UInt8]] = [
        100: [2], 101: [0, 1], 108: [0, 1, 4, 5], 113: [0, 1, 2], 114: [2, 0, 1], 115: [0, 1, 2, 8],
        116: [2, 0, 1, 8], 117: [0, 1, 2, 4, 5], 118: [0, 1, 4, 5, 2], 119: [0, 2, 1, 4, 5], 120: [2, 0, 1, 4, 5],
        121: [0, 1, 2, 3, 4, 5], 122: [0, 1, 4, 5, 2, 3], 123: [0, 2, 1, 4, 5, 3], 124: [2, 0, 1, 4, 5, 3],
        125: [0, 1, 2, 3, 4, 5, 8], 142: [2, 0, 1, 4, 5, 8, 3],
    ]
}

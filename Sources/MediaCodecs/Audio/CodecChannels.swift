import CFFmpeg
import MediaTypes

/// How a codec of libavcodec's names and orders the channels of a track.
struct CodecChannels {
    let layout: AVChannelLayout
    /// For each channel of `layout` the channel of the track; empty when they agree.
    let order: [Int]
    /// The codec's layout, where it names the loudspeakers of the track.
    let named: ChannelLayout?
    /// What the channels are, in the codec's order.
    let stored: ChannelLayout

    /// - Throws: `invalidSettings` for more channels than the codec holds.
    init(_ format: AudioFormat) throws(MediaError) {
        guard
            let held = CodecChannelOrder(format.codec, layout: format.layout, channelCount: format.channelCount)
        else {
            throw AudioSettingsRules.tooMany(format.channelCount, format.codec)
        }
        layout = held.layout?.libavLayout ?? .unnamed(format.channelCount)
        order = held.order == Array(held.order.indices) ? [] : held.order
        named = held.isNamedByCodec ? held.layout : nil
        stored = held.stored
    }
}

extension ChannelLayout {
    /// libavutil's layout with the same loudspeakers; one without names where it has none in this order.
    var libavLayout: AVChannelLayout {
        guard let mask else { return .unnamed(channelCount) }
        var result = AVChannelLayout()
        _ = av_channel_layout_from_mask(&result, mask)
        return result
    }
}

extension AVChannelLayout {
    /// Channels of which nothing is known but their count: libswresample copies each.
    static func unnamed(_ count: Int) -> AVChannelLayout {
        var result = AVChannelLayout()
        result.order = AV_CHANNEL_ORDER_UNSPEC
        result.nb_channels = Int32(clamping: count)
        return result
    }
}

extension AudioFormat {
    var libavLayout: AVChannelLayout { statedLayout?.libavLayout ?? .unnamed(channelCount) }
}

import CFFmpeg
import MediaTypes

/// The channel names and order that a libavcodec codec uses for a track.
struct CodecChannels {
    let layout: AVChannelLayout
    /// The channel of the track for each channel of `layout`; empty if the order is the same.
    let order: [Int]
    /// The codec's layout if that layout names the loudspeakers of the track; otherwise nil.
    let named: ChannelLayout?
    /// The actual loudspeakers of the channels, in the codec's order.
    let stored: ChannelLayout

    /// - Throws: `invalidSettings` for more channels than the codec supports.
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
    /// libavutil's layout with the same loudspeakers. If libavutil has no layout with this order, the result has no
    /// names.
    var libavLayout: AVChannelLayout {
        guard let mask else { return .unnamed(channelCount) }
        var result = AVChannelLayout()
        _ = av_channel_layout_from_mask(&result, mask)
        return result
    }
}

extension AVChannelLayout {
    /// Returns a layout that has only a channel count. With such layouts, libswresample copies each channel.
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

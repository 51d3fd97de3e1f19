import CFFmpeg
import MediaTypes

/// How a codec of libavcodec's names and orders the channels of one of our layouts.
struct CodecChannels {
    let layout: AVChannelLayout
    /// For each channel of `layout` the place of the same one in our order; empty when they agree.
    let order: [Int32]

    /// - Throws: `invalidSettings` for a layout that the codec cannot tell its decoder.
    init(_ format: AudioFormat) throws(MediaError) {
        switch (format.codec, format.layout) {
        case (.alac, .surround61):
            // ALAC's seven channels are C L R Ls Rs Cs Lfe (Apple, ALACMagicCookieDescription): libavcodec calls the
            // surrounds "back" and puts the centre one behind them.
            var layout = AVChannelLayout()
            _ = av_channel_layout_from_string(&layout, "6.1(back)")
            self.layout = layout
            order = [0, 1, 2, 3, 5, 6, 4]
        case (.alac, .surround71):
            throw Self.refusal(format, "ALAC's eight channels have two in front instead of the back ones")
        case (.flac, .quad), (.opus, .quad):
            throw Self.refusal(format, "four channels of \(format.codec) have two behind instead of one")
        case (.aac, .surround61):
            throw Self.refusal(format, "AAC has no channel configuration for it (ISO/IEC 14496-3, table 1.19)")
        default:
            layout = format.libavLayout
            order = []
        }
    }

    private static func refusal(_ format: AudioFormat, _ reason: String) -> MediaError {
        MediaError(
            .invalidSettings, "cannot encode \(format.layout?.rawValue ?? "") as \(format.codec)", reason: reason,
            wayOut: "5.1 or pcm can be stored")
    }
}

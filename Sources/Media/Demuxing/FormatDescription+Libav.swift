import CFFmpeg
import MediaTypes
import MovieFile

extension FormatDescription {
    /// Creates the format of a track that libavformat found; nil for a track that is neither video, audio nor timecode.
    ///
    /// - Parameter isQuickTime: true if the codec's tag is the code of a sample description. Other containers have
    ///   their own tags.
    init?(_ parameters: AVCodecParameters, stream: AVStream, isQuickTime: Bool) {
        switch parameters.codec_type {
        case AVMEDIA_TYPE_VIDEO:
            self = .video(VideoFormat(parameters, stream: stream, tag: parameters.videoTag(isQuickTime: isQuickTime)))
        case AVMEDIA_TYPE_AUDIO:
            guard let format = AudioFormat(parameters) else { return nil }
            self = .audio(format)
        case AVMEDIA_TYPE_DATA:
            guard parameters.tag == "tmcd", let format = TimecodeFormat(description: parameters.setUp) else {
                return nil
            }
            self = .timecode(format)
        default: return nil
        }
    }
}

extension AVCodecParameters {
    fileprivate var setUp: [UInt8] {
        guard let extradata, extradata_size > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: extradata, count: Int(extradata_size)))
    }

    fileprivate var codecName: String { String(cString: avcodec_get_name(codec_id)) }

    /// The code of the sample description. libavformat stores the bytes in file order, lowest first.
    fileprivate var tag: FourCharCode? { codec_tag == 0 ? nil : FourCharCode(rawValue: codec_tag.byteSwapped) }
}

extension AVCodecParameters {
    /// Returns the code of the sample description that QuickTime files have for this video; nil if the code does not
    /// identify the codec. For example, `mp4v` with an `esds` may be any of two dozen codecs. Other containers have
    /// their own codes.
    fileprivate func videoTag(isQuickTime: Bool) -> FourCharCode? {
        // Only the code shows the variant of Hap and of ProRes. Matroska stores it, too.
        guard isQuickTime || codec_id == AV_CODEC_ID_HAP || codec_id == AV_CODEC_ID_PRORES else { return nil }
        var lists: [OpaquePointer?] = [avformat_get_mov_video_tags(), avformat_get_riff_video_tags(), nil]
        return av_codec_get_id(&lists, codec_tag) == codec_id ? tag : nil
    }
}

extension VideoFormat {
    fileprivate init(_ parameters: AVCodecParameters, stream: AVStream, tag: FourCharCode?) {
        let aspect =
            stream.sample_aspect_ratio.num > 0 ? stream.sample_aspect_ratio : parameters.sample_aspect_ratio
        self.init(
            codec: VideoCodec(rawValue: parameters.codecName), width: Int(parameters.width),
            height: Int(parameters.height),
            color: ColorDescription(
                primaries: UInt8(clamping: parameters.color_primaries.rawValue),
                transfer: UInt8(clamping: parameters.color_trc.rawValue),
                matrix: UInt8(clamping: parameters.color_space.rawValue),
                isFullRange: parameters.color_range == AVCOL_RANGE_JPEG),
            pixelAspectRatio: aspect.num > 0 && aspect.den > 0 ? Ratio(aspect.num, aspect.den) : .one,
            decoderConfiguration: parameters.setUp, codecTag: tag,
            fieldOrder: FieldOrder(parameters.field_order), storedPixels: StoredPixels(parameters.format))
        masteringDisplay = MasteringDisplay(stream)
        contentLight = ContentLightLevel(stream)
        // libavutil's numbers are greater by one, because its 0 means "unspecified".
        let place = parameters.chroma_location.rawValue
        if place > 0 { chromaPosition = ChromaPosition(rawValue: UInt8(clamping: place - 1)) }
    }
}

extension AudioFormat {
    fileprivate init?(_ parameters: AVCodecParameters) {
        let channels = Int(parameters.ch_layout.nb_channels)
        guard channels > 0, parameters.sample_rate > 0 else { return nil }
        if let (pcm, isBigEndian) = Self.pcm(parameters.codec_id) {
            self.init(
                pcm: pcm, sampleRate: Int(parameters.sample_rate), channelCount: channels,
                layout: Self.layout(parameters), isBigEndian: isBigEndian)
            return
        }
        var configuration = parameters.setUp
        // libavformat returns the complete `alac` atom; the format needs its payload after version and flags.
        if parameters.codec_id == AV_CODEC_ID_ALAC { configuration.removeFirst(min(12, configuration.count)) }
        self.init(
            codec: AudioCodec(rawValue: parameters.codecName), sampleRate: Int(parameters.sample_rate),
            channelCount: channels, layout: Self.layout(parameters), decoderConfiguration: configuration,
            framesPerPacket: Int(max(0, parameters.frame_size)))
    }

    /// Returns the layout of the channels; nil for one or two channels without names.
    private static func layout(_ parameters: AVCodecParameters) -> ChannelLayout? {
        let (channels, count) = (parameters.ch_layout, Int(parameters.ch_layout.nb_channels))
        switch channels.order {
        case AV_CHANNEL_ORDER_NATIVE: return ChannelLayout(mask: channels.u.mask)
        case AV_CHANNEL_ORDER_CUSTOM:
            guard let map = channels.u.map else { return .discrete(count) }
            return ChannelLayout(
                (0..<count).map { index in
                    UInt8(exactly: map[index].id.rawValue).flatMap { $0 < 64 ? ChannelPosition(rawValue: $0) : nil }
                        ?? .discrete
                })
        default: return count > 2 ? .discrete(count) : nil
        }
    }

    private static func pcm(_ codec: AVCodecID) -> (PCMSampleFormat, isBigEndian: Bool)? {
        switch codec {
        case AV_CODEC_ID_PCM_S8: (.s8, false)
        case AV_CODEC_ID_PCM_S16LE: (.s16, false)
        case AV_CODEC_ID_PCM_S16BE: (.s16, true)
        case AV_CODEC_ID_PCM_S24LE: (.s24, false)
        case AV_CODEC_ID_PCM_S24BE: (.s24, true)
        case AV_CODEC_ID_PCM_S32LE: (.s32, false)
        case AV_CODEC_ID_PCM_S32BE: (.s32, true)
        case AV_CODEC_ID_PCM_F32LE: (.float32, false)
        case AV_CODEC_ID_PCM_F32BE: (.float32, true)
        case AV_CODEC_ID_PCM_F64LE: (.float64, false)
        case AV_CODEC_ID_PCM_F64BE: (.float64, true)
        default: nil
        }
    }
}

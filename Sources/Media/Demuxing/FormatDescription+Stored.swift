import CFFmpeg
package import MediaTypes
package import MovieFile

extension FormatDescription {
    /// Returns the format of a further entry of a track's sample description table. Values that the entry does not
    /// contain, or that this function does not read, are copied from the track's first entry.
    package func described(by stored: StoredDescription) -> FormatDescription {
        switch self {
        case .video(var video):
            // If the code is the same, the codec of the first entry is kept: a code with an `esds` does not identify
            // the codec.
            if stored.code != video.storedEntry?.code,
                let codec = Self.codecName(avformat_get_mov_video_tags(), stored.code)
            {
                video.codec = VideoCodec(rawValue: codec)
            }
            if stored.width > 0, stored.height > 0 { (video.width, video.height) = (stored.width, stored.height) }
            video.codecTag = stored.code
            (video.decoderConfiguration, video.storedEntry) = (stored.configuration, nil)
            return .video(video)
        case .audio(var audio):
            if let codec = Self.codecName(avformat_get_mov_audio_tags(), stored.code), audio.pcm == nil,
                codec != audio.codec.rawValue
            {
                audio.codec = AudioCodec(rawValue: codec)
                audio.framesPerPacket = 0
            }
            if stored.sampleRate > 0 { audio.sampleRate = stored.sampleRate }
            if stored.channelCount > 0, stored.channelCount != audio.channelCount {
                (audio.channelCount, audio.layout) = (stored.channelCount, nil)
            }
            (audio.decoderConfiguration, audio.storedEntry) = (stored.configuration, nil)
            audio.setChannels(from: stored)
            return .audio(audio)
        case .timecode, .text, .metadata: return self
        }
    }

    /// Returns libavcodec's name of the codec for a sample description's code; nil for a code that libavformat does not
    /// know.
    private static func codecName(_ tags: OpaquePointer?, _ code: FourCharCode) -> String? {
        var list: [OpaquePointer?] = [tags, nil]
        let id = av_codec_get_id(&list, code.rawValue.byteSwapped)
        return id == AV_CODEC_ID_NONE ? nil : String(cString: avcodec_get_name(id))
    }
}

extension AudioFormat {
    /// Sets the names of the channels from a sample description. libavformat reads the names but not their order, and
    /// decoders replace the names from the file with their own.
    mutating func setChannels(from stored: StoredDescription) {
        storedChannelLayout = stored.channelLayout
        let named = ChannelLayoutAtom.layout(stored.channelLayout, codec: codec, channelCount: channelCount)
        if let named { layout = named }
    }
}

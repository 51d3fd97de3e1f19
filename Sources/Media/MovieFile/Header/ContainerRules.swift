package import MediaTypes

/// The formats that each file type supports.
package enum ContainerRules {
    /// Returns true if a track of this format can be in a file of this type.
    package static func isPermitted(_ format: FormatDescription, in fileType: FileType) -> Bool {
        refusal(of: format, in: fileType) == nil
    }

    /// Returns the reason why a format is refused, and how to fix it; nil if it is permitted.
    ///
    /// `.mov` accepts every format for which QuickTime has a code. MPEG-4 files accept the codecs for which a standard
    /// defines the mapping. PCM, MJPEG and ProRes have no such mapping. MPEG-4 files do not accept timecode either,
    /// because that media type exists only in QuickTime. Timed metadata is written only in QuickTime's form. Both
    /// families accept a track whose description has a registered code and comes from a file of the same family. `.m4a`
    /// accepts only audio and chapters.
    package static func refusal(of format: FormatDescription, in fileType: FileType) -> MediaError? {
        if fileType.isQuickTime { return quickTimeRefusal(format) }
        let acceptsVideo = fileType != .m4a
        switch format {
        case .video where !acceptsVideo:
            return refusal("video", fileType, reason: "an .m4a file stores only audio", wayOut: "write .mp4 or .mov")
        case .video(let video) where Self.video.contains(video.codec): return nil
        case .video where format.entry(for: .mpeg4) != nil: return nil
        case .video(let video):
            return refusal(
                video.codec.rawValue, fileType, reason: "MPEG-4 does not support it",
                wayOut: wayOut(["encode to h264"], for: format))
        case .audio(let audio):
            let permitted = acceptsVideo ? audioCodecs : musicCodecs
            if permitted.contains(audio.codec.rawValue) { return nil }
            if acceptsVideo, format.entry(for: .mpeg4) != nil { return nil }
            if !acceptsVideo, audioCodecs.contains(audio.codec.rawValue) {
                let ways = audio.channelCount <= 8 ? ", or encode to aac or alac" : ""
                return refusal(
                    audio.codec.rawValue, fileType, reason: "players expect aac or alac there",
                    wayOut: "write .mp4 or .mov" + ways)
            }
            // AAC and ALAC support at most eight channels.
            let opus = acceptsVideo ? ["encode to opus"] : []
            let others = audio.channelCount <= 8 ? ["encode to aac or alac"] : opus
            let reason =
                acceptsVideo && audio.codec.rawValue == "truehd"
                ? "it needs the description of an MPEG-4 file, and the source has none" : "MPEG-4 does not support it"
            return refusal(
                audio.codec.rawValue, fileType, reason: reason, wayOut: wayOut(others, for: format))
        case .timecode:
            return refusal("timecode", fileType, reason: "only QuickTime has timecode tracks", wayOut: "write .mov")
        case .text(let text):
            guard let stored = text.stored else { return nil }
            if acceptsVideo, self.text.contains(stored.code) { return nil }
            return refusal(
                "\(stored.code)", fileType,
                reason: acceptsVideo ? "MPEG-4 does not support it" : "an .m4a file stores only audio",
                wayOut: "write .mov")
        case .metadata:
            return refusal(
                "timed metadata", fileType, reason: "it is written only in QuickTime's form", wayOut: "write .mov")
        }
    }

    /// Returns what to do with a format that an MPEG-4 file cannot hold. Suggests `.mov` only if `.mov` can hold it.
    private static func wayOut(_ others: [String], for format: FormatDescription) -> String {
        let ways = (quickTimeRefusal(format) == nil ? ["write .mov"] : []) + others
        return ways.isEmpty ? "write .mov, and encode to pcm" : ways.joined(separator: ", or ")
    }

    private static func quickTimeRefusal(_ format: FormatDescription) -> MediaError? {
        if format.entry(for: .quickTime) != nil { return nil }
        switch format {
        case .video(let video):
            if video.codec == .raw, video.codecTag == nil {
                guard let pixels = video.pixelFormat, !RawFrameForm.isStored(pixels) else { return nil }
                return refusal(
                    "raw \(pixels.rawValue)", .mov, reason: "QuickTime has no code for this pixel format",
                    wayOut: "convert to uyvy, yuyv, argb or rgb24, or encode to h264")
            }
            guard VideoDescription.knownCode(video, .quickTime) == nil else { return nil }
            // DVCPRO HD, see `CodecCodes`.
            let reason =
                video.codec.rawValue == "dvvideo"
                ? "QuickTime has several codes for this size, and the source does not state which"
                : "QuickTime has no code for it"
            return refusal(video.codec.rawValue, .mov, reason: reason, wayOut: "encode to h264")
        case .audio(let audio):
            guard audio.codec != .linearPCM, SoundDescription.codes[audio.codec.rawValue] == nil else { return nil }
            return refusal(
                audio.codec.rawValue, .mov, reason: "QuickTime has no code for it",
                wayOut: "encode to aac, alac or pcm")
        case .timecode, .text, .metadata: return nil
        }
    }

    private static let video: Set<VideoCodec> = [
        .h264, .hevc, .mpeg4, .av1, .vp9, VideoCodec(rawValue: "mpeg1video"), VideoCodec(rawValue: "mpeg2video"),
    ]
    /// 3GPP timed text (3GPP TS 26.245), WebVTT and TTML (ISO/IEC 14496-30).
    private static let text: Set<FourCharCode> = ["tx3g", "wvtt", "stpp"]
    private static let audioCodecs: Set<String> = ["aac", "alac", "mp3", "mp2", "ac3", "eac3", "opus", "flac", "dts"]
    private static let musicCodecs: Set<String> = ["aac", "alac"]

    private static func refusal(
        _ codec: String, _ fileType: FileType, reason: String, wayOut: String
    ) -> MediaError {
        MediaError(.unsupported, "cannot put \(codec) into .\(fileType.rawValue)", reason: reason, wayOut: wayOut)
    }
}

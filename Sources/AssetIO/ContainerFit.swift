import MediaTypes

/// Whether a container holds what an input writes.
enum ContainerFit {
    /// nil: it does.
    static func fault(_ input: AssetWriterInput, in fileType: FileType) -> MediaError? {
        let action = "cannot add a \(input.mediaType) input to a .\(fileType.rawValue) file"
        if fileType != .mov, input.outputSettings == nil, input.sourceFormatHint == nil {
            return MediaError(
                .unsupported, action, reason: "it stores packets as they come, and nobody said of which format",
                wayOut: "give the input a source format hint, or write .mov, which holds any")
        }
        guard let reason = refusal(input, in: fileType) else { return nil }
        return MediaError(.unsupported, action, reason: reason, wayOut: "write .mov, which holds any")
    }

    private static func refusal(_ input: AssetWriterInput, in fileType: FileType) -> String? {
        guard fileType != .mov else { return nil }
        if fileType == .m4a, input.mediaType != .audio { return "it holds sound alone" }
        if input.mediaType == .timecode { return "timecode tracks are QuickTime's" }
        switch input.outputSettings {
        case .video(let settings): return refusal(settings.codec)
        case .audio(let settings): return refusal(settings.codec)
        case nil: return input.sourceFormatHint.flatMap { refusal($0) }
        }
    }

    private static func refusal(_ format: FormatDescription) -> String? {
        switch format {
        case .video(let format): refusal(format.codec)
        case .audio(let format): refusal(format.codec)
        case .timecode, .text: nil
        }
    }

    private static func refusal(_ codec: VideoCodec) -> String? {
        [.h264, .hevc].contains(codec) ? nil : "it holds H.264 and HEVC, not \(codec)"
    }

    private static func refusal(_ codec: AudioCodec) -> String? {
        [.aac, .alac].contains(codec) ? nil : "it holds AAC and ALAC, not \(codec)"
    }
}

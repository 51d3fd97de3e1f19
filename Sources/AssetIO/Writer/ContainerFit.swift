import MediaTypes
import MovieFile

/// Whether a container holds what an input writes.
enum ContainerFit {
    /// nil: it does.
    static func fault(_ input: AssetWriterInput, in fileType: FileType) -> MediaError? {
        guard let format = format(of: input) else {
            if fileType == .mov { return nil }
            return MediaError(
                .unsupported, "cannot add a \(input.mediaType) input to a .\(fileType.rawValue) file",
                reason: "it stores packets as they come, and nobody said of which format",
                wayOut: "give the input a source format hint, or write .mov, which holds any")
        }
        return ContainerRules.refusal(of: format, in: fileType)
    }

    /// What will be stored; nil where only the first packet tells.
    private static func format(of input: AssetWriterInput) -> FormatDescription? {
        switch input.outputSettings {
        case .video(let settings): .video(VideoFormat(codec: settings.codec, width: 0, height: 0))
        case .audio(let settings): .audio(AudioFormat(codec: settings.codec, sampleRate: 0, channelCount: 0))
        case nil: input.sourceFormatHint
        }
    }
}

package import MediaTypes

/// A kind of audio file that can be written.
package enum AudioFileKind: String, Sendable, CaseIterable {
    case wave = "wav"
    case aiff
    case aifc
    case caf
    case flac
    case m4a

    /// Returns the kind for a file name extension, in upper or lower case; nil for a kind that cannot be written.
    package init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "wav", "wave", "rf64": self = .wave
        case "aif", "aiff": self = .aiff
        case "aifc": self = .aifc
        case "caf": self = .caf
        case "flac": self = .flac
        case "m4a": self = .m4a
        default: return nil
        }
    }

    /// The codec that such a file has if the settings name none.
    package var usualCodec: AudioCodec {
        switch self {
        case .wave, .aiff, .aifc, .caf: .linearPCM
        case .flac: .flac
        case .m4a: .aac
        }
    }

    /// Returns the layout of the bytes around the audio; nil for a movie file.
    ///
    /// - Throws: `invalidSettings` for a format that such a file cannot store.
    func container(of format: AudioFormat) throws(MediaError) -> (any AudioContainer)? {
        switch self {
        case .wave: try WaveContainer(format)
        case .aiff: try AIFFContainer(format, isCompressedForm: false)
        case .aifc: try AIFFContainer(format, isCompressedForm: true)
        case .caf: try CAFContainer(format)
        case .flac: try FLACContainer(format)
        case .m4a: nil
        }
    }
}

import AudioFiles
import Foundation
import MediaTypes

/// The kind of a new audio file and its storage settings, read from Apple's dictionary.
struct AudioFileTarget {
    let kind: AudioFileKind
    let settings: AudioSettings
    let sampleRate: Int
    let channelCount: Int
    let layout: ChannelLayout?

    /// - Throws: `unsupported` for a kind of file that cannot be written; `invalidSettings` that names the invalid
    ///   keys.
    init(_ url: URL, _ dictionary: [String: Any]) throws(MediaError) {
        let action = "cannot write \(url.path)"
        var values = dictionary
        // Files are interleaved, even if the buffers are not.
        values[AVLinearPCMIsNonInterleaved] = nil
        guard var kind = try Self.kind(url, &values) else {
            throw MediaError(
                .unsupported, action, reason: "files of this kind cannot be written",
                wayOut: "use .wav, .aiff, .aifc, .caf, .flac or .m4a")
        }
        if values[AVFormatIDKey] == nil { values[AVFormatIDKey] = Int(CodecCode.code(of: kind.usualCodec)) }
        let isFLAC = values[AVFormatIDKey].flatMap { settingsNumber($0)?.integer } == Int(kAudioFormatFLAC)
        // FLAC and Apple Lossless, the other lossless codec, have the same settings.
        if isFLAC { values[AVFormatIDKey] = Int(kAudioFormatAppleLossless) }
        var settings: AudioSettings
        do throws(SettingsFaults) { settings = try AudioSettings(values) } catch {
            throw MediaError(.invalidSettings, action, reason: error.description)
        }
        if isFLAC { settings.codec = .flac }
        guard let rate = settings.sampleRate, let channels = settings.channelCount else {
            throw MediaError(
                .invalidSettings, action,
                reason: "\(settings.sampleRate == nil ? AVSampleRateKey : AVNumberOfChannelsKey) is missing")
        }
        if channels > 2, settings.layout == nil { settings.layout = .discrete(channels) }
        if kind == .aiff || kind == .aifc {
            if settings.pcm?.isFloatingPoint == true { kind = .aifc }
            // Big-endian is the usual byte order of AIFF.
            if values[AVLinearPCMIsBigEndianKey] == nil { settings.isBigEndian = settings.codec == .linearPCM }
        }
        self.kind = kind
        self.settings = settings
        sampleRate = rate
        channelCount = channels
        layout = settings.layout
    }

    /// Returns the kind of file in the settings. Without one, returns the kind for the file name's extension.
    private static func kind(_ url: URL, _ values: inout [String: Any]) throws(MediaError) -> AudioFileKind? {
        guard let value = values.removeValue(forKey: AVAudioFileTypeKey) else {
            return AudioFileKind(fileExtension: url.pathExtension)
        }
        guard let number = settingsNumber(value)?.integer else {
            throw MediaError(
                .invalidSettings, "cannot write \(url.path)", reason: "\(AVAudioFileTypeKey) is not a number")
        }
        return AudioFileTypeID(exactly: number).flatMap { AudioFileKind($0) }
    }
}

extension AudioFileKind {
    /// Returns nil for a kind that cannot be written.
    init?(_ type: AudioFileTypeID) {
        switch type {
        case kAudioFileWAVEType, kAudioFileRF64Type: self = .wave
        case kAudioFileAIFFType: self = .aiff
        case kAudioFileAIFCType: self = .aifc
        case kAudioFileCAFType: self = .caf
        case kAudioFileFLACType: self = .flac
        case kAudioFileM4AType: self = .m4a
        default: return nil
        }
    }
}

package import AssetIO
package import MediaTypes

/// Reads the settings of decoded samples from a dictionary.
package enum ReaderSettings {
    /// Reads the settings of a reader's output.
    ///
    /// - Throws: `invalidSettings` naming every invalid key.
    static func settings(_ words: [String: Any], for type: AVMediaType) throws(MediaError) -> TrackOutput.Settings {
        if type == .audio { return .pcm(try pcm(words)) }
        do {
            try UnsuitableKeys.check(words, for: type, isReading: true)
            return .pixels(try PixelAttributes(words).format)
        } catch { throw fault(error) }
    }

    /// Reads the settings of linear PCM, which are the same for a reader's output and a microphone's output.
    ///
    /// - Throws: `invalidSettings` naming every invalid key.
    package static func pcm(_ words: [String: Any]) throws(MediaError) -> TrackOutput.PCM {
        do {
            try UnsuitableKeys.check(words, for: .audio, isReading: true)
            return try TrackOutput.PCM(words)
        } catch { throw fault(error) }
    }

    private static func fault(_ error: any Error) -> MediaError {
        MediaError(.invalidSettings, "cannot create an output", reason: "\(error)")
    }
}

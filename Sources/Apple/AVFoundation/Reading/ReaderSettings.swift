import AssetIO
import MediaTypes

/// The settings of a reader's output, from a dictionary.
enum ReaderSettings {
    /// - Throws: `invalidSettings` naming every invalid key.
    static func settings(_ words: [String: Any], for type: AVMediaType) throws(MediaError) -> TrackOutput.Settings {
        do {
            try UnsuitableKeys.check(words, for: type, isReading: true)
            if type == .audio { return .pcm(try TrackOutput.PCM(words)) }
            return .pixels(try PixelAttributes(words).format)
        } catch {
            throw MediaError(.invalidSettings, "cannot create an output", reason: "\(error)")
        }
    }
}

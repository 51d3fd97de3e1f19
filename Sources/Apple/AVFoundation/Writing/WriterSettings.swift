import AssetIO
package import MediaTypes

/// Reads the settings of a writer's input from a dictionary.
package enum WriterSettings {
    /// - Throws: `invalidSettings` naming every invalid key.
    package static func settings(_ words: [String: Any], for type: AVMediaType) throws(MediaError) -> OutputSettings {
        do {
            try UnsuitableKeys.check(words, for: type, isReading: false)
            switch type {
            case .video: return .video(try VideoSettings(words))
            case .audio: return .audio(try AudioSettings(words))
            default: break
            }
        } catch {
            throw MediaError(.invalidSettings, "cannot create the \(type.rawValue) input", reason: "\(error)")
        }
        throw MediaError(
            .invalidSettings, "cannot create the \(type.rawValue) input", reason: "its samples are stored unchanged",
            wayOut: "omit the output settings")
    }
}

/// What a track carries.
public enum MediaType: String, Sendable, Hashable, Codable, CaseIterable {
    case video, audio, timecode, text, metadata
}

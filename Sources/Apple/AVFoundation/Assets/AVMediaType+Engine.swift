import MediaTypes

extension AVMediaType {
    init(_ type: MediaTypes.MediaType) {
        switch type {
        case .video: self = .video
        case .audio: self = .audio
        case .timecode: self = .timecode
        case .text: self = .text
        case .metadata: self = .metadata
        }
    }

    /// The library's media type; nil for types that the library does not support.
    var engine: MediaTypes.MediaType? {
        switch self {
        case .video: .video
        case .audio: .audio
        case .timecode: .timecode
        case .text: .text
        case .metadata: .metadata
        default: nil
        }
    }
}

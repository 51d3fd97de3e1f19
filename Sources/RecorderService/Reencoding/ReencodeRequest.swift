public import AssetIO
public import Foundation
public import MediaTypes

/// What `recorder reencode` was asked for: inputs that are joined, and how the copy is to be.
public struct ReencodeRequest: Sendable {
    public var inputs: [URL]
    /// nil: the first input's name with `-reencoded`.
    public var output: URL?
    /// In the joined film.
    public var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
    public var preset = ExportPreset.highQuality
    public var video: Video = .standard
    public var audio: Audio = .standard
    /// The box that the picture fits into, in pixels.
    public var size: (width: Int, height: Int)?
    public var frameRate: Double?
    /// Clockwise.
    public var quarterTurns = 0
    public var deinterlaces = false
    public var tracks: [TrackSelector] = []
    /// Amplitude, 1 for as it is.
    public var volume: Float = 1
    public var largestSize: Int64 = 0
    public var optimizesForNetworkUse = false
    /// Takes the place of the input's facts of the same key.
    public var metadata: [MetadataItem] = []
    /// Damage ends it; otherwise it is left out and told.
    public var isStrict = false
    public var overwrites = false

    public enum Video: Sendable, Hashable {
        /// As the preset says.
        case standard
        case none
        case passthrough
        case encode(VideoSettings, twoPass: Bool)
    }

    public enum Audio: Sendable, Hashable {
        case standard
        case none
        case passthrough
        case encode(AudioSettings)
    }

    public init(inputs: [URL]) { self.inputs = inputs }

    /// Beside the first input, as `.mov` where its own container is not written.
    public var outputURL: URL {
        if let output { return output }
        let input = inputs.first ?? URL(fileURLWithPath: "film")
        let own = FileType(fileExtension: input.pathExtension)
        let isSound = ["wav", "mp3", "flac", "ogg", "opus", "aac", "m4a"].contains(input.pathExtension.lowercased())
        let type: FileType = own ?? (isSound ? .m4a : .mov)
        let name = input.deletingPathExtension().lastPathComponent + "-reencoded." + type.rawValue
        return input.deletingLastPathComponent().appendingPathComponent(name)
    }
}

/// A track as people name it: `video`, `audio`, `audio:2`, or its number in the file.
public struct TrackSelector: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case id(Int)
        /// The n-th of its kind, from 1; nil: all of them.
        case kind(MediaType, Int?)
    }

    public let kind: Kind
    /// As it was typed.
    public let text: String

    public init(parsing text: String) throws(OptionError) {
        self.text = text
        if let id = Int(text), id > 0 {
            kind = .id(id)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let type: MediaType? =
            switch parts.first {
            case "video": .video
            case "audio": .audio
            default: nil
            }
        if let type, parts.count == 1 {
            kind = .kind(type, nil)
        } else if let type, parts.count == 2, let number = Int(parts[1]), number > 0 {
            kind = .kind(type, number)
        } else {
            throw OptionError(text, isNot: "a track", write: "video, audio, audio:2 or its number in the file")
        }
    }

    /// `video,audio:2`
    public static func parseList(_ text: String) throws(OptionError) -> [TrackSelector] {
        var selectors: [TrackSelector] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            selectors.append(try TrackSelector(parsing: String(part)))
        }
        return selectors
    }

    /// The ids of the tracks that it means; empty when there is none.
    func ids(_ tracks: [AssetTrack]) -> [Int] {
        switch kind {
        case .id(let id): return tracks.filter { $0.id == id }.map(\.id)
        case .kind(let type, let number):
            let ids = tracks.filter { $0.mediaType == type }.map(\.id)
            guard let number else { return ids }
            return ids.indices.contains(number - 1) ? [ids[number - 1]] : []
        }
    }
}

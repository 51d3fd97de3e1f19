package import AssetIO
package import CommandInterface
package import Foundation
package import MediaTypes

/// What `recorder reencode` was asked for: inputs that are joined, and how the copy is to be.
package struct ReencodeRequest: Sendable {
    package var inputs: [URL]
    /// nil: the first input's name with `-reencoded`.
    package var output: URL?
    /// In the joined film.
    package var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
    package var preset = ExportPreset.highQuality
    package var video: Video = .standard
    package var audio: Audio = .standard
    /// The box that the picture fits into, in pixels.
    package var size: (width: Int, height: Int)?
    /// The same of a preset, where pictures are encoded in another way than it says.
    package var presetBox: (width: Int, height: Int)?
    package var frameRate: Double?
    /// Clockwise.
    package var quarterTurns = 0
    package var deinterlaces = false
    /// High dynamic range becomes BT.709.
    package var mapsTones = false
    package var tracks: [TrackSelector] = []
    /// Amplitude, 1 for as it is.
    package var volume: Float = 1
    package var largestSize: Int64 = 0
    package var optimizesForNetworkUse = false
    /// Takes the place of the input's facts of the same key.
    package var metadata: [MetadataItem] = []
    /// Damage ends it; otherwise it is left out and told.
    package var isStrict = false
    package var overwrites = false
    /// When the film was made, where no input says so; nil: now.
    package var undatedCreationDate: Date?
    /// nil: one encoder does it all.
    package var stretches: StretchCount?

    package enum Video: Sendable, Hashable {
        /// As the preset says.
        case standard
        case none
        case passthrough
        case encode(VideoSettings, twoPass: Bool)
    }

    package enum Audio: Sendable, Hashable {
        case standard
        case none
        case passthrough
        case encode(AudioSettings)
    }

    package init(inputs: [URL]) { self.inputs = inputs }

    /// Samples stay what they are, and are shown as they were.
    var passesEverythingThrough: Bool {
        let keeps =
            preset == .passthrough && video.keepsSamples && audio.keepsSamples
            || video == .passthrough && (audio == .passthrough || audio == .none)
            || audio == .passthrough && video == .none
        return keeps && volume == 1
    }

    /// Pictures of more than eight bits that become H.264 of eight: those of high dynamic range keep ten.
    func losesDepth(of tracks: [AssetTrack]) -> Bool {
        switch video {
        case .none, .passthrough: return false
        case .standard where preset == .passthrough: return false
        // Who chose eight knows.
        case .encode(let settings, _) where settings.codec != .h264 || settings.bitDepth != nil: return false
        case .standard, .encode: break
        }
        guard let pictures = tracks.first(where: { $0.mediaType == .video })?.formatDescription?.video else {
            return false
        }
        return (pictures.bitDepth ?? 8) > 8 && !pictures.color.isHighDynamicRange
    }

    /// Eight bits for pictures that keep their high dynamic range.
    func showsSteps(of tracks: [AssetTrack]) -> Bool {
        guard case .encode(let settings, _) = video, settings.bitDepth == 8, !mapsTones else { return false }
        let pictures = tracks.first { $0.mediaType == .video }?.formatDescription?.video
        return pictures?.color.isHighDynamicRange == true
    }

    /// Beside the first input, as `.mov` where its own container is not written.
    package var outputURL: URL {
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
package struct TrackSelector: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case id(Int)
        /// The n-th of its kind, from 1; nil: all of them.
        case kind(MediaType, Int?)
    }

    package let kind: Kind
    /// As it was typed.
    package let text: String

    package init(parsing text: String) throws(OptionError) {
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
    package static func parseList(_ text: String) throws(OptionError) -> [TrackSelector] {
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

extension ReencodeRequest.Video {
    fileprivate var keepsSamples: Bool { if case .encode = self { false } else { true } }
}

extension ReencodeRequest.Audio {
    fileprivate var keepsSamples: Bool { if case .encode = self { false } else { true } }
}

package import AssetIO
package import CommandInterface
package import Foundation
package import MediaTypes

/// The request of `recorder reencode`: inputs to join, and the properties of the copy.
package struct ReencodeRequest: Sendable {
    package var inputs: [URL]
    /// The output; nil for the first input's name with `-reencoded`.
    package var output: URL?
    /// The time range in the joined movie.
    package var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
    package var preset = ExportPreset.highQuality
    package var video: Video = .standard
    package var audio: Audio = .standard
    /// The box that the frame fits into, in pixels.
    package var size: (width: Int, height: Int)?
    /// The preset's box for the frame, in pixels. It is needed only if `video` replaces the preset's settings.
    package var presetBox: (width: Int, height: Int)?
    package var frameRate: Double?
    /// How much faster the frames are shown, without audio; nil to show them at their own speed.
    package var speed: Double?
    /// The clockwise rotation in quarter turns.
    package var quarterTurns = 0
    /// The crop, the flip and the masks of the frames, as players show them. `quarterTurns` is applied between crop and
    /// flip.
    package var frameStage = FrameStageSettings()
    package var deinterlaces = false
    /// True if high dynamic range is converted to BT.709.
    package var mapsTones = false
    package var tracks: [TrackSelector] = []
    /// The amplitude factor; 1 leaves it unchanged.
    package var volume: Float = 1
    package var largestSize: Int64 = 0
    package var optimizesForNetworkUse = false
    /// Metadata for the copy. It replaces the input's metadata with the same keys.
    package var metadata: [MetadataItem] = []
    /// True if damage ends the export; otherwise damaged media is left out and reported.
    package var isStrict = false
    package var overwrites = false
    /// The creation date if no input has one; nil means the current time.
    package var undatedCreationDate: Date?
    /// The number of chunks; nil for a single encoder.
    package var chunks: ChunkCount?

    package enum Video: Sendable, Hashable {
        /// The encoding of the preset.
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

    /// True if samples and their presentation are unchanged.
    var passesEverythingThrough: Bool {
        let keeps =
            preset == .passthrough && video.keepsSamples && audio.keepsSamples
            || video == .passthrough && (audio == .passthrough || audio == .none)
            || audio == .passthrough && video == .none
        return keeps && volume == 1
    }

    /// True if the copy may have video.
    var storesVideo: Bool {
        video != .none && preset != .audioOnly && FileType(fileExtension: outputURL.pathExtension) != .m4a
    }

    /// True if video is not decoded.
    var copiesVideo: Bool { video == .passthrough || preset == .passthrough && video == .standard }

    /// Returns the bit depth of frames that become eight-bit H.264; nil if no bits are lost. High dynamic range keeps
    /// ten bits.
    func lostDepth(of tracks: [AssetTrack]) -> Int? {
        switch video {
        case .none, .passthrough: return nil
        case .standard where preset == .passthrough: return nil
        // An explicit choice of eight bits is intended.
        case .encode(let settings, _) where settings.codec != .h264 || settings.bitDepth != nil: return nil
        case .standard, .encode: break
        }
        guard let frames = tracks.presented(.video)?.formatDescription?.video,
            let depth = frames.bitDepth, depth > 8, !frames.color.isHighDynamicRange
        else { return nil }
        return depth
    }

    /// Returns true if high dynamic range would be encoded with eight bits and show banding.
    func showsSteps(of tracks: [AssetTrack]) -> Bool {
        guard case .encode(let settings, _) = video, settings.bitDepth == 8, !mapsTones else { return false }
        let frames = tracks.presented(.video)?.formatDescription?.video
        return frames?.color.isHighDynamicRange == true
    }

    /// The output, or by default a file beside the first input. It has the input's extension; if that container cannot
    /// be written, it is `.m4a` for audio and `.mov` for everything else.
    package var outputURL: URL {
        if let output { return output }
        let input = inputs.first ?? URL(fileURLWithPath: "movie")
        let own = FileType(fileExtension: input.pathExtension)
        let isAudio = ["wav", "mp3", "flac", "ogg", "opus", "aac", "m4a"].contains(input.pathExtension.lowercased())
        let type: FileType = own ?? (isAudio ? .m4a : .mov)
        let name = input.deletingPathExtension().lastPathComponent + "-reencoded." + type.rawValue
        return input.deletingLastPathComponent().appendingPathComponent(name)
    }
}

/// A track as users name it: `video`, `audio`, `audio:2`, or its number in the file.
package struct TrackSelector: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case id(Int)
        /// The n-th track of a kind, from 1; nil for all tracks of that kind.
        case kind(MediaType, Int?)
    }

    package let kind: Kind
    /// The text as typed.
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

    /// Parses a list such as `video,audio:2`.
    package static func parseList(_ text: String) throws(OptionError) -> [TrackSelector] {
        var selectors: [TrackSelector] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            selectors.append(try TrackSelector(parsing: String(part)))
        }
        return selectors
    }

    /// Returns the ids of the matching tracks; empty if there are none.
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

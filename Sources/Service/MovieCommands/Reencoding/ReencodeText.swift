package import AssetIO
package import CommandInterface
import Foundation
package import MediaTypes

/// The video codecs of a copy.
package enum ReencodeVideoCodec: String, Sendable, CaseIterable { case h264, hevc, av1, prores, passthrough }

/// The value of `--quality`.
package enum ReencodeQuality: Sendable, Hashable {
    /// An export preset.
    case preset(ExportPreset)
    /// A level of `QualityScale`.
    case level(Int)
}

/// The audio codecs of a copy.
package enum ReencodeAudioCodec: String, Sendable, CaseIterable { case aac, alac, flac, opus, pcm, passthrough }

/// Parsers of the re-encoding options, and the rules for combining them.
package enum ReencodeText {
    /// Parses degrees clockwise and returns quarter turns.
    package static func parseRotation(_ text: String) throws(OptionError) -> Int {
        guard let degrees = Int(text), degrees % 90 == 0, (-270...270).contains(degrees) else {
            throw OptionError(text, isNot: "a rotation", write: "90, 180 or 270")
        }
        return (degrees / 90 + 4) % 4
    }

    /// Parses a gain in decibels, and returns the factor for amplitudes.
    package static func parseVolume(_ text: String) throws(OptionError) -> Float {
        var number = text.lowercased()
        if number.hasSuffix("db") { number.removeLast(2) }
        number = number.replacingOccurrences(of: "−", with: "-")
        guard let decibels = Double(number), decibels.isFinite, (-120...40).contains(decibels) else {
            throw OptionError(text, isNot: "a volume", write: "-3dB or 6dB, from −120 to 40")
        }
        return Float(pow(10, decibels / 20))
    }

    /// Parses a factor such as `60x`: more than 1.
    package static func parseSpeed(_ text: String) throws(OptionError) -> Double {
        let digits = text.hasSuffix("x") ? text.dropLast() : text[...]
        guard let number = DecimalText(digits), case let speed = Double(number.digits) / Double(number.divisor),
            speed > 1, speed <= 100_000
        else { throw OptionError(text, isNot: "a speed", write: "60x, more than 1x and at most 100000x") }
        return speed
    }

    /// Parses `title=…`, with a common name or a full key of QuickTime's metadata.
    package static func parseMetadata(_ text: String) throws(OptionError) -> MetadataItem {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw OptionError(text, isNot: "a metadata item", write: "title=\"A day out\"")
        }
        return MetadataItem(key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }

    /// Parses `low` to `highest`, or a number.
    package static func parseQuality(_ text: String) throws(OptionError) -> ReencodeQuality {
        if let preset = QualityScale.words.keys.first(where: { $0.rawValue == text }) { return .preset(preset) }
        guard let level = Int(text), QualityScale.levels.contains(level) else {
            throw OptionError(text, isNot: "a quality", write: "0 to 100, or low, medium, high, highest")
        }
        return .level(level)
    }

    /// Parses a constant rate factor. Its range is checked later, when the codec is known.
    package static func parseFactor(_ text: String) throws(OptionError) -> Double {
        guard let number = DecimalText(text), case let value = Double(number.digits) / Double(number.divisor),
            value <= 63
        else { throw OptionError(text, isNot: "a constant rate factor", write: "0 to 51, or 1 to 63 for av1") }
        return value
    }

    package static func parseThreads(_ text: String) throws(OptionError) -> Int {
        guard let count = Int(text), (1...64).contains(count) else {
            throw OptionError(text, isNot: "a number of threads", write: "1 to 64")
        }
        return count
    }

    package static func parseBitDepth(_ text: String) throws(OptionError) -> Int {
        guard let depth = Int(text), depth == 8 || depth == 10 else {
            throw OptionError(text, isNot: "a bit depth", write: "8 or 10")
        }
        return depth
    }

    /// Returns the box of the preset that `--quality` names.
    package static func box(_ quality: ReencodeQuality?) -> (width: Int, height: Int)? {
        switch quality {
        case .preset(.lowQuality): (640, 360)
        case .preset(.mediumQuality): (1280, 720)
        default: nil
        }
    }

    /// Returns the crop, the flip and the masks of frames.
    package static func frameStage(
        masks: [FrameMask], style: FrameMaskStyle?, crop: FrameStageSettings.Crop?, flip: FrameStageSettings.Flip?
    ) throws(OptionError) -> FrameStageSettings {
        var stage = FrameStageSettings()
        (stage.crop, stage.flip) = (crop, flip)
        for mask in masks { try stage.set(mask) }
        if style != nil, stage.masks.isEmpty { throw OptionError("--mask-style needs --mask") }
        stage.maskStyle = style ?? .black
        return stage
    }

    package static func range(from: MediaTime?, to: MediaTime?) throws(OptionError) -> TimeRange {
        let range = TimeRange(start: from ?? .zero, end: to ?? .positiveInfinity)
        guard !range.isEmpty else { throw OptionError("--to must come after --from") }
        return range
    }

    /// The options about codecs and quality.
    package struct Words: Sendable {
        var codec: ReencodeVideoCodec?
        var threads: Int?
        var preset: String?
        var crf: Double?
        var bitRate: Int?
        var twoPass: Bool
        var maxSize: Int64?
        var quality: ReencodeQuality?
        var bitDepth: Int?
        /// True if the frames change their size, rate, orientation or tones.
        var isReshaped: Bool
        /// True if frames are masked, cropped or flipped.
        var isMasked: Bool
        var noVideo: Bool
        var noAudio: Bool
        var audioCodec: ReencodeAudioCodec?
        var audioBitRate: Int?
        /// The number of channels that the audio is mixed into; nil if each track keeps its channels.
        var channels: Int?
        var volume: Float?

        package init(
            codec: ReencodeVideoCodec?, threads: Int?, preset: String?, crf: Double?, bitRate: Int?, twoPass: Bool,
            maxSize: Int64?, quality: ReencodeQuality?, isReshaped: Bool, noVideo: Bool, noAudio: Bool,
            audioCodec: ReencodeAudioCodec?,
            audioBitRate: Int?, volume: Float?, bitDepth: Int? = nil, channels: Int? = nil, isMasked: Bool = false
        ) {
            self.isMasked = isMasked
            self.channels = channels
            self.bitDepth = bitDepth
            self.codec = codec
            self.threads = threads
            self.preset = preset
            self.crf = crf
            self.bitRate = bitRate
            self.twoPass = twoPass
            self.maxSize = maxSize
            self.quality = quality
            self.isReshaped = isReshaped
            self.noVideo = noVideo
            self.noAudio = noAudio
            self.audioCodec = audioCodec
            self.audioBitRate = audioBitRate
            self.volume = volume
        }
    }

    /// Returns the encoding for the options.
    ///
    /// - Throws: An error that names options that contradict each other.
    package static func encoding(
        _ words: Words
    ) throws(OptionError) -> (ExportPreset, ReencodeRequest.Video, ReencodeRequest.Audio) {
        if words.noVideo, words.noAudio { throw OptionError("--no-video and --no-audio leave no track: omit one") }
        if words.quality != nil, words.preset != nil || words.crf != nil || words.bitRate != nil {
            throw OptionError("--quality sets --preset, --crf and --bit-rate itself: omit it, or omit these")
        }
        if words.maxSize != nil, words.crf != nil || words.bitRate != nil {
            throw OptionError("--max-size sets the bit rate: omit --crf and --bit-rate")
        }
        if words.crf != nil, words.bitRate != nil {
            throw OptionError("--crf and --bit-rate cannot be combined: omit one")
        }
        if words.twoPass, words.bitRate == nil {
            throw OptionError("--two-pass needs --bit-rate")
        }
        try checkCodec(words)
        let video = try video(words)
        let audio = try audio(words)
        let chosen: ExportPreset? = if case .preset(let preset) = words.quality { preset } else { nil }
        let preset =
            chosen ?? (video == .passthrough && audio == .passthrough ? .passthrough : .highQuality)
        return (preset, video, audio)
    }

    /// Rejects options that the codec's encoder cannot use.
    private static func checkCodec(_ words: Words) throws(OptionError) {
        switch words.codec {
        case .prores:
            if words.bitDepth == 8 { throw OptionError("--codec prores always has 10 bits: omit --bit-depth") }
            let isControlled = words.crf != nil || words.bitRate != nil || words.twoPass || words.maxSize != nil
            guard !isControlled, words.preset == nil, words.threads == nil else {
                throw OptionError(
                    "--codec prores has its own bit rates, selected by --quality: omit --preset, --crf, "
                        + "--bit-rate, --two-pass, --max-size and --threads")
            }
        case .av1:
            if words.twoPass { throw OptionError("--two-pass works only with h264 and hevc, not with av1") }
            if let crf = words.crf, crf < 1 { throw OptionError("--crf must be 1 to 63 for av1") }
        default:
            if let crf = words.crf, crf > 51 { throw OptionError("--crf must be 0 to 51 for \(words.codec ?? .h264)") }
        }
    }

    private static func video(_ words: Words) throws(OptionError) -> ReencodeRequest.Video {
        if words.noVideo { return .none }
        let isEncoded =
            words.preset != nil || words.crf != nil || words.bitRate != nil || words.quality != nil
            || words.threads != nil || words.bitDepth != nil
        guard words.codec != .passthrough else {
            if words.isMasked {
                throw OptionError(
                    "--codec passthrough does not decode frames, which --mask, --crop and --flip have to change: "
                        + "choose another --codec, such as h264")
            }
            guard !isEncoded, !words.isReshaped else {
                throw OptionError(
                    "--codec passthrough encodes nothing: omit --preset, --crf, --bit-rate, --quality, --threads, "
                        + "--size, --frame-rate, --speed, --deinterlace, --bit-depth and --tone-map")
            }
            return .passthrough
        }
        let codec = words.codec ?? .h264
        let level: Int
        switch words.quality {
        // The preset's settings, which are for H.264.
        case .preset where codec == .h264 && words.threads == nil && words.bitDepth == nil: return .standard
        case nil where codec == .h264 && !isEncoded: return .standard
        // Without a quality, use the kind that is called ProRes without a suffix.
        case nil where codec == .prores: return .encode(VideoSettings(codec: .proRes422), twoPass: false)
        case .preset(let preset): level = QualityScale.words[preset] ?? QualityScale.usual
        case .level(let number): level = number
        case nil: level = QualityScale.usual
        }
        var settings = QualityScale.settings(codec, level: level)
        if let preset = words.preset { settings.preset = preset }
        if let crf = words.crf { settings.rateControl = .constantQuality(crf) }
        if let bits = words.bitRate { settings.rateControl = .bitRate(bits) }
        settings.threadCount = words.threads
        settings.bitDepth = words.bitDepth
        return .encode(settings, twoPass: words.twoPass)
    }

    private static func audio(_ words: Words) throws(OptionError) -> ReencodeRequest.Audio {
        if words.noAudio { return .none }
        if words.audioBitRate != nil, let codec = words.audioCodec, codec != .aac, codec != .opus {
            throw OptionError("--audio-bit-rate is for aac and opus; \(codec.rawValue) has no bit rate")
        }
        var settings = AudioSettings(channelCount: words.channels, bitRate: words.audioBitRate)
        switch words.audioCodec {
        // Video passthrough implies audio passthrough, unless the audio is to change.
        case nil
        where words.codec == .passthrough && words.audioBitRate == nil && words.volume == nil && words.channels == nil:
            return .passthrough
        case nil: return words.audioBitRate == nil && words.channels == nil ? .standard : .encode(settings)
        case .passthrough:
            guard words.volume == nil else {
                throw OptionError("--audio-codec passthrough changes no sample: omit --volume")
            }
            guard words.channels == nil else {
                throw OptionError("--audio-codec passthrough changes no sample: omit --channels")
            }
            return .passthrough
        case .aac: break
        case .flac: settings.codec = .flac
        case .opus: settings.codec = .opus
        case .alac: settings.codec = .alac
        case .pcm: settings.codec = .linearPCM
        }
        return .encode(settings)
    }
}

package import AssetIO
package import CommandInterface
import Foundation
package import MediaTypes

/// The export presets that people choose by `--quality`.
package enum ReencodeQuality: String, Sendable, CaseIterable {
    case low, medium, high, highest

    var preset: ExportPreset { ExportPreset(rawValue: rawValue) }
}

/// What the sound of a copy can be.
package enum ReencodeAudioCodec: String, Sendable, CaseIterable { case aac, alac, pcm, passthrough }

/// What people write about re-encoding, and which of it goes together.
package enum ReencodeText {
    /// Degrees clockwise as quarter turns.
    package static func parseRotation(_ text: String) throws(OptionError) -> Int {
        guard let degrees = Int(text), degrees % 90 == 0, (-270...270).contains(degrees) else {
            throw OptionError(text, isNot: "a rotation", write: "90, 180 or 270")
        }
        return (degrees / 90 + 4) % 4
    }

    /// Decibels as an amplitude.
    package static func parseVolume(_ text: String) throws(OptionError) -> Float {
        var number = text.lowercased()
        if number.hasSuffix("db") { number.removeLast(2) }
        number = number.replacingOccurrences(of: "−", with: "-")
        guard let decibels = Double(number), decibels.isFinite, (-120...40).contains(decibels) else {
            throw OptionError(text, isNot: "a volume", write: "-3dB or 6dB, from −120 to 40")
        }
        return Float(pow(10, decibels / 20))
    }

    /// `title=…` by the names that people know, or a full key of QuickTime's metadata.
    package static func parseMetadata(_ text: String) throws(OptionError) -> MetadataItem {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw OptionError(text, isNot: "metadata", write: "title=\"A day out\"")
        }
        return MetadataItem(key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }

    package static func range(from: MediaTime?, to: MediaTime?) throws(OptionError) -> TimeRange {
        let range = TimeRange(start: from ?? .zero, end: to ?? .positiveInfinity)
        guard !range.isEmpty else { throw OptionError("--to must come after --from") }
        return range
    }

    /// The words about codecs and quality.
    package struct Words: Sendable {
        var codec: VideoCodecChoice?
        var preset: String?
        var crf: Double?
        var bitRate: Int?
        var twoPass: Bool
        var maxSize: Int64?
        var quality: ReencodeQuality?
        /// The pictures change their size, their rate or their form.
        var isReshaped: Bool
        var noVideo: Bool
        var noAudio: Bool
        var audioCodec: ReencodeAudioCodec?
        var audioBitRate: Int?
        var volume: Float?

        package init(
            codec: VideoCodecChoice?, preset: String?, crf: Double?, bitRate: Int?, twoPass: Bool, maxSize: Int64?,
            quality: ReencodeQuality?, isReshaped: Bool, noVideo: Bool, noAudio: Bool, audioCodec: ReencodeAudioCodec?,
            audioBitRate: Int?, volume: Float?
        ) {
            self.codec = codec
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

    /// - Throws: for words that contradict each other, naming them.
    package static func encoding(
        _ words: Words
    ) throws(OptionError) -> (ExportPreset, ReencodeRequest.Video, ReencodeRequest.Audio) {
        if words.noVideo, words.noAudio { throw OptionError("--no-video and --no-audio leave nothing") }
        if words.quality != nil, words.preset != nil || words.crf != nil || words.bitRate != nil {
            throw OptionError("--quality chooses what --preset, --crf and --bit-rate say: leave one out")
        }
        if words.maxSize != nil, words.crf != nil || words.bitRate != nil {
            throw OptionError("--max-size chooses the bit rate: leave out --crf and --bit-rate")
        }
        if words.crf != nil, words.bitRate != nil {
            throw OptionError("--crf and --bit-rate exclude each other: leave one out")
        }
        if words.twoPass, words.bitRate == nil {
            throw OptionError("--two-pass shares out a bit rate: give --bit-rate")
        }
        let video = try video(words)
        let audio = try audio(words)
        let preset =
            words.quality?.preset ?? (video == .passthrough && audio == .passthrough ? .passthrough : .highQuality)
        return (preset, video, audio)
    }

    private static func video(_ words: Words) throws(OptionError) -> ReencodeRequest.Video {
        if words.noVideo { return .none }
        let isEncoded = words.preset != nil || words.crf != nil || words.bitRate != nil || words.quality != nil
        guard words.codec != .passthrough else {
            guard !isEncoded, !words.isReshaped else {
                throw OptionError(
                    "--codec passthrough encodes nothing: leave out --preset, --crf, --bit-rate, --quality, --size, "
                        + "--frame-rate and --deinterlace")
            }
            return .passthrough
        }
        guard words.quality == nil, isEncoded else { return .standard }
        return .encode(
            VideoSettings(
                rateControl: words.bitRate.map { .bitRate($0) } ?? .constantQuality(words.crf ?? 23),
                preset: words.preset ?? "veryfast"), twoPass: words.twoPass)
    }

    private static func audio(_ words: Words) throws(OptionError) -> ReencodeRequest.Audio {
        if words.noAudio { return .none }
        if words.audioBitRate != nil, let codec = words.audioCodec, codec != .aac {
            throw OptionError("--audio-bit-rate is for aac; \(codec.rawValue) has none")
        }
        switch words.audioCodec {
        // Who leaves the pictures alone leaves the sound alone, unless it is to change.
        case nil where words.codec == .passthrough && words.audioBitRate == nil && words.volume == nil:
            return .passthrough
        case nil: return words.audioBitRate.map { .encode(AudioSettings(bitRate: $0)) } ?? .standard
        case .passthrough:
            guard words.volume == nil else {
                throw OptionError("--audio-codec passthrough changes no sample: leave out --volume")
            }
            return .passthrough
        case .aac: return .encode(AudioSettings(bitRate: words.audioBitRate))
        case .alac: return .encode(AudioSettings(codec: .alac))
        case .pcm: return .encode(AudioSettings(codec: .linearPCM))
        }
    }
}

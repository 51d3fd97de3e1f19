import MediaTypes

/// What an export is to become, in one word. The model is AVFoundation's export presets.
///
/// A size is the box that the picture fits into, upright films in the box turned upright; nothing is ever scaled up.
public struct ExportPreset: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Samples as they are stored; a time range is cut exactly by the edit list.
    public static let passthrough = ExportPreset(rawValue: "passthrough")
    /// For a message: at most 640×360.
    public static let lowQuality = ExportPreset(rawValue: "low")
    /// For the web: at most 1280×720.
    public static let mediumQuality = ExportPreset(rawValue: "medium")
    /// The source's size, nearly free of loss.
    public static let highestQuality = ExportPreset(rawValue: "highest")
    /// The source's size at the recorder's own settings: smaller, and looks the same.
    public static let highQuality = ExportPreset(rawValue: "high")
    public static let size640x480 = ExportPreset(rawValue: "640x480")
    public static let size960x540 = ExportPreset(rawValue: "960x540")
    public static let size1280x720 = ExportPreset(rawValue: "1280x720")
    public static let size1920x1080 = ExportPreset(rawValue: "1920x1080")
    public static let size3840x2160 = ExportPreset(rawValue: "3840x2160")
    /// HEVC of the source's size and depth, nearly free of loss.
    public static let hevcHighestQuality = ExportPreset(rawValue: "hevc-highest")
    /// HEVC at the source's depth, as the next ones: about half the bytes of H.264 that looks the same.
    public static let hevc1920x1080 = ExportPreset(rawValue: "hevc-1920x1080")
    public static let hevc3840x2160 = ExportPreset(rawValue: "hevc-3840x2160")
    public static let hevc4320x2160 = ExportPreset(rawValue: "hevc-4320x2160")
    public static let hevc7680x4320 = ExportPreset(rawValue: "hevc-7680x4320")
    /// For editing: ProRes 422 of the source's size and linear PCM, in `.mov`.
    public static let proRes422 = ExportPreset(rawValue: "prores422")
    /// Sound alone, AAC in `.m4a`.
    public static let audioOnly = ExportPreset(rawValue: "audio")

    public static let allCases: [ExportPreset] = [
        .passthrough, .lowQuality, .mediumQuality, .highQuality, .highestQuality, .size640x480, .size960x540,
        .size1280x720, .size1920x1080, .size3840x2160, .hevcHighestQuality, .hevc1920x1080, .hevc3840x2160,
        .hevc4320x2160, .hevc7680x4320, .proRes422, .audioOnly,
    ]

    /// What a preset says about pictures and sound; nil for a kind that it leaves out or passes through.
    struct Recipe {
        /// The box; nil: as the source.
        var size: (width: Int, height: Int)?
        /// Of no meaning for ProRes.
        var constantQuality: Double
        /// nil: linear PCM.
        var audioBitRatePerChannel: Int?
        var codec = VideoCodec.h264

        /// Pictures of a source, whose size and rate are still to be said.
        func videoSettings(for source: VideoFormat) -> VideoSettings {
            var settings = VideoSettings(codec: codec, rateControl: .constantQuality(constantQuality))
            // Ten bits stay ten: a film of high dynamic range is none in eight.
            if codec == .hevc, let depth = source.bitDepth, depth > 8 { settings.bitDepth = 10 }
            return settings
        }

        /// Sound, with a bit rate for each channel.
        var audioSettings: AudioSettings {
            audioBitRatePerChannel.map { AudioSettings(bitRate: $0) } ?? AudioSettings(codec: .linearPCM)
        }
    }

    /// nil for `passthrough`, and for a name that is no preset.
    var recipe: Recipe? {
        switch self {
        case .lowQuality: Recipe(size: (640, 360), constantQuality: 28, audioBitRatePerChannel: 32_000)
        case .mediumQuality: Recipe(size: (1280, 720), constantQuality: 25, audioBitRatePerChannel: 64_000)
        case .highQuality, .audioOnly: Recipe(size: nil, constantQuality: 23, audioBitRatePerChannel: 64_000)
        case .highestQuality: Recipe(size: nil, constantQuality: 18, audioBitRatePerChannel: 96_000)
        case .size640x480: Recipe(size: (640, 480), constantQuality: 23, audioBitRatePerChannel: 64_000)
        case .size960x540: Recipe(size: (960, 540), constantQuality: 23, audioBitRatePerChannel: 64_000)
        case .size1280x720: Recipe(size: (1280, 720), constantQuality: 23, audioBitRatePerChannel: 64_000)
        case .size1920x1080: Recipe(size: (1920, 1080), constantQuality: 23, audioBitRatePerChannel: 64_000)
        case .size3840x2160: Recipe(size: (3840, 2160), constantQuality: 23, audioBitRatePerChannel: 64_000)
        // x265's scale is another one: 28 looks like x264's 23.
        case .hevcHighestQuality: .hevc(nil, 22, audioBitRatePerChannel: 96_000)
        case .hevc1920x1080: .hevc((1920, 1080), 28)
        case .hevc3840x2160: .hevc((3840, 2160), 28)
        case .hevc4320x2160: .hevc((4320, 2160), 28)
        case .hevc7680x4320: .hevc((7680, 4320), 28)
        case .proRes422: Recipe(size: nil, constantQuality: 23, audioBitRatePerChannel: nil, codec: .proRes422)
        default: nil
        }
    }
}

extension ExportPreset.Recipe {
    fileprivate static func hevc(
        _ size: (width: Int, height: Int)?, _ quality: Double, audioBitRatePerChannel: Int = 64_000
    ) -> Self {
        Self(size: size, constantQuality: quality, audioBitRatePerChannel: audioBitRatePerChannel, codec: .hevc)
    }
}

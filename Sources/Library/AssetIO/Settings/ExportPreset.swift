import MediaTypes

/// A named purpose of an export. Modeled on AVFoundation's export presets.
///
/// A size is the box that frames must fit into; for portrait movies the box is rotated. Frames are never scaled up.
public struct ExportPreset: RawRepresentable, Sendable, Hashable, Codable, CaseIterable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Samples are passed through; a time range is cut exactly by the edit list.
    public static let passthrough = ExportPreset(rawValue: "passthrough")
    /// A size for messages: at most 640×360.
    public static let lowQuality = ExportPreset(rawValue: "low")
    /// A size for the web: at most 1280×720.
    public static let mediumQuality = ExportPreset(rawValue: "medium")
    /// The source's size, nearly lossless.
    public static let highestQuality = ExportPreset(rawValue: "highest")
    /// The source's size with the recorder's default settings. The file is smaller, with the same visual quality.
    public static let highQuality = ExportPreset(rawValue: "high")
    public static let size640x480 = ExportPreset(rawValue: "640x480")
    public static let size960x540 = ExportPreset(rawValue: "960x540")
    public static let size1280x720 = ExportPreset(rawValue: "1280x720")
    public static let size1920x1080 = ExportPreset(rawValue: "1920x1080")
    public static let size3840x2160 = ExportPreset(rawValue: "3840x2160")
    /// HEVC with the source's size and bit depth, nearly lossless.
    public static let hevcHighestQuality = ExportPreset(rawValue: "hevc-highest")
    /// HEVC with the source's bit depth, as in the HEVC presets below. The files have about half the size of H.264
    /// files with the same visual quality.
    public static let hevc1920x1080 = ExportPreset(rawValue: "hevc-1920x1080")
    public static let hevc3840x2160 = ExportPreset(rawValue: "hevc-3840x2160")
    public static let hevc4320x2160 = ExportPreset(rawValue: "hevc-4320x2160")
    public static let hevc7680x4320 = ExportPreset(rawValue: "hevc-7680x4320")
    /// A preset for editing: ProRes 422 with the source's size and linear PCM, in `.mov`.
    public static let proRes422 = ExportPreset(rawValue: "prores422")
    /// Audio only, AAC in `.m4a`.
    public static let audioOnly = ExportPreset(rawValue: "audio")

    public static let allCases: [ExportPreset] = [
        .passthrough, .lowQuality, .mediumQuality, .highQuality, .highestQuality, .size640x480, .size960x540,
        .size1280x720, .size1920x1080, .size3840x2160, .hevcHighestQuality, .hevc1920x1080, .hevc3840x2160,
        .hevc4320x2160, .hevc7680x4320, .proRes422, .audioOnly,
    ]

    /// The video and audio settings of a preset; nil for a media type that it leaves out or passes through.
    struct Recipe {
        /// The box that frames must fit into; nil for the source's size.
        var size: (width: Int, height: Int)?
        /// The constant quality; unused for ProRes.
        var constantQuality: Double
        /// The audio bit rate for each channel; nil for linear PCM.
        var audioBitRatePerChannel: Int?
        var codec = VideoCodec.h264

        /// Returns video settings for a source, without size and frame rate.
        func videoSettings(for source: VideoFormat) -> VideoSettings {
            var settings = VideoSettings(codec: codec, rateControl: .constantQuality(constantQuality))
            // Ten bits are kept, because HDR needs them.
            if codec == .hevc, let depth = source.bitDepth, depth > 8 { settings.bitDepth = 10 }
            return settings
        }

        /// The audio settings, with a bit rate for each channel.
        var audioSettings: AudioSettings {
            audioBitRatePerChannel.map { AudioSettings(bitRate: $0) } ?? AudioSettings(codec: .linearPCM)
        }
    }

    /// The settings of the preset; nil for `passthrough`, and for an unknown name.
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
        // x265 has a different scale: its 28 has the visual quality of x264's 23.
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

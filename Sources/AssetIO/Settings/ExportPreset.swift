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
    /// Sound alone, AAC in `.m4a`.
    public static let audioOnly = ExportPreset(rawValue: "audio")

    public static let allCases: [ExportPreset] = [
        .passthrough, .lowQuality, .mediumQuality, .highQuality, .highestQuality, .size640x480, .size960x540,
        .size1280x720, .size1920x1080, .size3840x2160, .audioOnly,
    ]

    /// What a preset says about pictures and sound; nil for a kind that it leaves out or passes through.
    struct Recipe {
        /// The box; nil: as the source.
        var size: (width: Int, height: Int)?
        var constantQuality: Double
        var audioBitRatePerChannel: Int
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
        default: nil
        }
    }
}

import AssetIO
import MediaTypes

/// Apple's presets that the library supports, with their settings. A pure table.
enum ExportPresetTable {
    struct Entry {
        var name: String
        var preset: ExportPreset
        /// The file types that the preset can write; empty for every type that can store the result.
        var fileTypes: [AVFileType] = []
    }

    static func entry(_ name: String) -> Entry? { all.first { $0.name == name } }

    static let all: [Entry] = [
        Entry(name: AVAssetExportPresetLowQuality, preset: .lowQuality),
        Entry(name: AVAssetExportPresetMediumQuality, preset: .mediumQuality),
        Entry(name: AVAssetExportPresetHighestQuality, preset: .highestQuality),
        Entry(name: AVAssetExportPreset640x480, preset: .size640x480),
        Entry(name: AVAssetExportPreset960x540, preset: .size960x540),
        Entry(name: AVAssetExportPreset1280x720, preset: .size1280x720),
        Entry(name: AVAssetExportPreset1920x1080, preset: .size1920x1080),
        Entry(name: AVAssetExportPreset3840x2160, preset: .size3840x2160),
        Entry(name: AVAssetExportPresetHEVCHighestQuality, preset: .hevcHighestQuality),
        Entry(name: AVAssetExportPresetHEVC1920x1080, preset: .hevc1920x1080),
        Entry(name: AVAssetExportPresetHEVC3840x2160, preset: .hevc3840x2160),
        Entry(name: AVAssetExportPresetHEVC4320x2160, preset: .hevc4320x2160),
        Entry(name: AVAssetExportPresetHEVC7680x4320, preset: .hevc7680x4320),
        Entry(name: AVAssetExportPresetAppleProRes422LPCM, preset: .proRes422, fileTypes: [.mov]),
        Entry(name: AVAssetExportPresetAppleM4A, preset: .audioOnly, fileTypes: [.m4a]),
        Entry(name: AVAssetExportPresetAppleM4VCellular, preset: .lowQuality, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetAppleM4ViPod, preset: .size640x480, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetAppleM4V480pSD, preset: .size640x480, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetAppleM4VAppleTV, preset: .size960x540, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetAppleM4VWiFi, preset: .size640x480, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetAppleM4V720pHD, preset: .size1280x720, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetAppleM4V1080pHD, preset: .size1920x1080, fileTypes: [.m4v]),
        Entry(name: AVAssetExportPresetPassthrough, preset: .passthrough),
    ]
}

extension AVFileType {
    /// Creates the equivalent of a file type of the library; nil if there is none.
    init?(_ type: FileType) {
        switch type {
        case .mov: self = .mov
        case .mp4: self = .mp4
        case .m4v: self = .m4v
        case .m4a: self = .m4a
        default: return nil
        }
    }
}

import AssetIO
import MediaTypes

/// A scale of quality for all codecs: the same level means the same similarity to the source in each codec.
///
/// H.264's constant rate factor (CRF) defines the scale: five levels are one step of CRF, and level 60 is CRF 23, the
/// usual factor. At each level, the factors of the other codecs give a movie the same SSIM as H.264's factor, as
/// measured by `scripts/calibrate-quality` (docs/design/decisions/reencode.md). The numbers are valid for the presets
/// next to them. A pure rule.
package enum QualityScale {
    /// The levels, from 0 (smallest file) to 100 (best quality).
    package static let levels = 0...100
    /// The default level: the copy looks like its source.
    package static let usual = 60

    /// The levels of the export presets.
    static let words: [ExportPreset: Int] = [
        .lowQuality: 35, .mediumQuality: 50, .highQuality: 60, .highestQuality: 85,
    ]

    /// A row of the calibration: a level, and the constant rate factor of each codec.
    struct Row {
        let level: Int
        let h264: Double
        let hevc: Double
        let av1: Double
    }

    /// The rows; factors between them are interpolated linearly.
    static let rows: [Row] = [
        Row(level: 0, h264: 35, hevc: 38.5, av1: 63), Row(level: 20, h264: 31, hevc: 33.5, av1: 59),
        Row(level: 40, h264: 27, hevc: 27.5, av1: 49), Row(level: 60, h264: 23, hevc: 22, av1: 34),
        Row(level: 80, h264: 19, hevc: 17.5, av1: 21.5), Row(level: 100, h264: 15, hevc: 14, av1: 12.5),
    ]

    /// Returns a codec's settings for a level.
    ///
    /// - Parameter level: A level; values outside of `levels` are clamped.
    static func settings(_ codec: ReencodeVideoCodec, level: Int) -> VideoSettings {
        switch codec {
        case .h264, .passthrough:
            VideoSettings(rateControl: .constantQuality(factor(level, \.h264)), preset: "veryfast")
        case .hevc:
            VideoSettings(codec: .hevc, rateControl: .constantQuality(factor(level, \.hevc)), preset: "fast")
        case .av1:
            // The encoder of AV1 accepts only integers.
            VideoSettings(codec: .av1, rateControl: .constantQuality(factor(level, \.av1).rounded()), preset: "fast")
        case .prores: VideoSettings(codec: proRes(level))
        }
    }

    /// Returns the ProRes kind for a level. All four kinds are close to the source. The quality of Proxy is that of
    /// level 60, and even LT is better than level 100. The two kinds for editing are better still. Therefore LT and
    /// these two kinds share the levels above 60.
    private static func proRes(_ level: Int) -> VideoCodec {
        switch level {
        case ...60: .proRes422Proxy
        case ...80: .proRes422LT
        case ..<95: .proRes422
        default: .proRes422HQ
        }
    }

    private static func factor(_ level: Int, _ column: KeyPath<Row, Double>) -> Double {
        let level = min(levels.upperBound, max(levels.lowerBound, level))
        guard let above = rows.firstIndex(where: { $0.level >= level }), above > 0 else {
            return rows[0][keyPath: column]
        }
        let (low, high) = (rows[above - 1], rows[above])
        let part = Double(level - low.level) / Double(high.level - low.level)
        return low[keyPath: column] + (high[keyPath: column] - low[keyPath: column]) * part
    }
}

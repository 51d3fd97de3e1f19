import CFFmpeg
import Glibc
package import MediaTypes

/// A codec that libavcodec encodes, and the values that its encoder accepts.
package struct LibavVideoCodec {
    /// The codec in the settings.
    package let codec: VideoCodec
    /// The name for users.
    package let name: String
    let encoder: UnsafePointer<AVCodec>
    /// libavcodec's name of the encoder.
    let encoderName: String

    /// - Parameter isRealTime: true for a live encoder. Another one may then be the best, with the same limits.
    /// - Throws: `unsupported` for a codec that is not encoded with libavcodec, or for which this libavcodec has no
    ///   encoder.
    package init(_ codec: VideoCodec, isRealTime: Bool = false) throws(MediaError) {
        LibavLog.silenced
        guard let (name, candidates) = Self.known[codec.stored] else {
            throw MediaError(
                .unsupported, "cannot encode \(codec)",
                reason: "this build encodes h264, hevc, av1, mjpeg and the proRes422 codecs")
        }
        let isLiveAV1 = codec == .av1 && isRealTime
        let live = isLiveAV1 ? SVTVersion.loaded.map(Self.liveAV1) : nil
        try self.init(codec, name: name, candidates: live ?? candidates)
    }

    /// Returns the encoders for live AV1, the best first. Where SVT-AV1 is limited to slow presets, libaom needs half
    /// of its time.
    static func liveAV1(_ version: SVTVersion) -> [String] {
        version.fastestOrderedPreset < 8 ? ["libaom-av1", "libsvtav1"] : ["libsvtav1", "libaom-av1"]
    }

    /// - Parameter candidates: libavcodec's names of encoders, the best first.
    init(_ codec: VideoCodec, name: String, candidates: [String]) throws(MediaError) {
        for candidate in candidates {
            guard let encoder = avcodec_find_encoder_by_name(candidate) else { continue }
            self.codec = codec
            self.name = name
            self.encoder = encoder
            encoderName = candidate
            return
        }
        throw MediaError(
            .unsupported, "cannot encode \(codec)",
            reason: "this machine's libavcodec has no \(candidates.joined(separator: " and no "))",
            wayOut: "install a libavcodec that has it, or encode to h264")
    }

    private static let known: [VideoCodec: (String, [String])] = [
        .hevc: ("HEVC", ["libx265"]), .av1: ("AV1", ["libsvtav1", "libaom-av1"]), .mjpeg: ("JPEG", ["mjpeg"]),
        .proRes: ("ProRes", ["prores_ks"]),
    ]

    var isProRes: Bool { codec.proResTag != nil }

    /// True if every frame is coded independently.
    var isIntraOnly: Bool { codec != .hevc && codec != .av1 }

    /// True if a live encoder makes no keyframe on request. SVT-AV1 1.4 makes one on request only if it may reorder
    /// frames.
    var ignoresLiveKeyframes: Bool { encoderName == "libsvtav1" }

    /// The permitted widths and heights of a frame.
    var sizes: ClosedRange<Int> {
        switch codec {
        // libx265's smallest block has 16 pixels, and level 6.2 permits at most 8192 columns.
        case .hevc: 16...8192
        case .av1: 64...8192
        // A JPEG's size has 16 bits (ITU-T T.81, B.2.2); libavcodec's limit is somewhat lower.
        case .mjpeg: 1...65_500
        default: 2...16_384
        }
    }

    /// The width must be a multiple of this number. `rows` is the same for the height.
    var columns: Int { codec == .mjpeg ? 1 : 2 }
    var rows: Int { isIntraOnly ? 1 : 2 }

    /// The permitted factors of `constantQuality`; nil if the codec does not support constant quality.
    var factors: ClosedRange<Double>? {
        switch codec {
        case .hevc, .mjpeg: 0...51
        // libavcodec treats 0 as "not set".
        case .av1: 1...63
        default: nil
        }
    }

    var bitDepths: [Int] { codec.proResTag != nil ? [10] : codec == .mjpeg ? [8] : [8, 10] }

    var profiles: [VideoSettings.Profile] {
        switch codec {
        case .hevc: [.main, .main10]
        case .av1: [.main]
        default: []
        }
    }

    var hasPresets: Bool { !isIntraOnly }

    /// Returns this encoder's equivalent of one of x264's presets; nil for an unknown preset.
    func preset(_ name: String) -> String? {
        guard let index = H264SettingsRules.presets.firstIndex(of: name) else { return nil }
        switch encoderName {
        case "libsvtav1": return String([12, 11, 10, 9, 8, 7, 5, 4, 3, 2][index])
        case "libaom-av1": return String([8, 8, 7, 6, 6, 5, 4, 3, 2, 1][index])
        default: return name
        }
    }
}

extension VideoSettings.RateControl {
    /// The quantizer scale of JPEG, 1 to 31; nil for a bit rate. The quantizer steps are about as large as those of
    /// H.264 at the same constant rate factor. An increase of six doubles the quantizer (libavutil).
    var quantizerScale: Double? {
        let scale: Double
        switch self {
        case .constantQuality(let factor): scale = 0.85 * Self.power((factor - 12) / 6)
        case .quality(let quality): scale = Self.power((1 - quality) * 4.954)  // 31 at quality 0
        case .bitRate: return nil
        }
        return min(31, max(1, scale))
    }

    private static func power(_ exponent: Double) -> Double { exp2(exponent) }
}

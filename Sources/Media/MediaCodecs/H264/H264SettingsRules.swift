package import MediaTypes

/// Validates H.264 settings. Rules that only x264 knows are not checked here.
package enum H264SettingsRules {
    /// x264's presets, fastest first.
    static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]

    /// Returns true if frames may be coded as fields. Each field must have complete chroma lines (ITU-T H.264,
    /// 7.4.2.1.1, CropUnitY), and the profile must support fields.
    static func mayHaveFields(_ settings: VideoSettings) -> Bool {
        (settings.height ?? 0) % 4 == 0 && settings.profile != .baseline
    }

    /// - Throws: `invalidSettings`, which names the first setting that is out of range or contradicts another setting.
    static func check(_ settings: VideoSettings, isRealTime: Bool, pass: EncodingPass) throws(MediaError) {
        try checkFrame(settings)
        try checkShape(settings)
        guard presets.contains(settings.preset) else {
            throw invalid("preset \(settings.preset)", "the presets are \(presets.joined(separator: ", "))")
        }
        try checkProfile(settings)
        try checkTimes(settings)
        try checkRate(settings, pass: pass)
        if let level = settings.level { try H264Level.check(level, settings) }
        if isRealTime, pass != .single {
            throw invalid("two passes in real time", "a live source delivers each frame only once")
        }
    }

    /// Returns the bit depth: that of the settings, or else 10 for profile `high10` and 8 for all others.
    package static func bitDepth(_ settings: VideoSettings) -> Int {
        settings.bitDepth ?? (settings.profile == .high10 ? 10 : 8)
    }

    private static func checkFrame(_ settings: VideoSettings) throws(MediaError) {
        guard let width = settings.width, let height = settings.height else {
            throw invalid("video settings without a size", "set width and height, or a source format hint")
        }
        guard (2...16384).contains(width), (2...16384).contains(height), width % 2 == 0, height % 2 == 0 else {
            throw invalid("\(width)×\(height)", "H.264 with 4:2:0 needs an even width and height from 2 to 16384")
        }
    }

    /// Validates the frame geometry for any codec: the aspect ratio of pixels and the clean aperture.
    static func checkShape(_ settings: VideoSettings) throws(MediaError) {
        guard let width = settings.width, let height = settings.height else { return }
        let ratio = settings.pixelAspectRatio
        // sar_width and sar_height have 16 bits (ITU-T H.264, E.1.1).
        guard (1...65535).contains(ratio.numerator), (1...65535).contains(ratio.denominator) else {
            throw invalid(
                "a pixel aspect ratio of \(ratio.numerator):\(ratio.denominator)", "both numbers must be 1 to 65535")
        }
        if let aperture = settings.cleanAperture {
            let name = "a clean aperture of \(aperture.width)×\(aperture.height)"
            guard aperture.width > 0, aperture.height > 0, aperture.width <= width, aperture.height <= height else {
                throw invalid(name, "it must be larger than 0 and fit into \(width)×\(height)")
            }
            // An offset is the distance of the aperture's center from the frame's center, so its maximum is half of the
            // remaining size.
            guard Int(aperture.horizontalOffset.magnitude) * 2 <= width - Int(aperture.width),
                Int(aperture.verticalOffset.magnitude) * 2 <= height - Int(aperture.height)
            else {
                throw invalid(
                    "\(name), \(aperture.horizontalOffset) right and \(aperture.verticalOffset) down from the center",
                    "it extends beyond the frame of \(width)×\(height)")
            }
        }
        if settings.color?.matrix == 0 {
            throw invalid("an RGB color matrix (0)", "frames are encoded as YUV, not RGB")
        }
    }

    private static func checkProfile(_ settings: VideoSettings) throws(MediaError) {
        let depth = bitDepth(settings)
        guard depth == 8 || depth == 10 else { throw invalid("a bit depth of \(depth)", "it must be 8 or 10") }
        if settings.profile == .main10 {
            throw invalid("profile main10", "it is a profile of HEVC; use high10")
        }
        if let profile = settings.profile, (profile == .high10) != (depth == 10) {
            throw invalid(
                "profile \(profile.rawValue) and a bit depth of \(depth)",
                "high10 has 10 bits, the other profiles have 8")
        }
        // For ten bits, CRF starts at −12. At 0 and below, x264 is lossless, and only profile High 4:4:4 supports
        // lossless coding.
        if let profile = settings.profile, depth == 8, case .constantQuality(..<1) = settings.rateControl {
            throw invalid(
                "profile \(profile.rawValue) and a CRF below 1", "that is lossless, which the profile does not support")
        }
        if let frames = settings.maximumBFrames, frames > 0, settings.profile == .baseline {
            throw invalid("\(frames) B-frames in a row and profile baseline", "baseline has no B-frames")
        }
        if settings.entropyMode == .cabac, settings.profile == .baseline {
            throw invalid("entropy mode cabac and profile baseline", "baseline supports only cavlc")
        }
    }

    /// Validates settings for any codec: rates, intervals, threads, B-frames and look-ahead.
    static func checkTimes(_ settings: VideoSettings) throws(MediaError) {
        if let frames = settings.maximumBFrames, !(0...16).contains(frames) {
            throw invalid("\(frames) B-frames in a row", "the range is 0 to 16")
        }
        if let threads = settings.threadCount, !(1...64).contains(threads) {
            throw invalid("\(threads) threads", "the range is 1 to 64")
        }
        // x264's X264_LOOKAHEAD_MAX.
        if let frames = settings.lookAhead, !(0...250).contains(frames) {
            throw invalid("a look-ahead of \(frames) frames", "the range is 0 to 250")
        }
        // Every frame keeps its own time. The expected rate affects only rate control and look-ahead.
        if let rate = settings.expectedFrameRate {
            guard rate.isFinite, rate >= 0.01, rate <= 1000 else {
                throw invalid("a frame rate of \(rate)", "the range is 0.01 to 1000")
            }
        }
        let interval = settings.keyframeInterval.seconds
        guard interval.isFinite, interval > 0 else {
            throw invalid("a keyframe interval of \(interval) s", "it must be greater than 0")
        }
    }

    private static func checkRate(_ settings: VideoSettings, pass: EncodingPass) throws(MediaError) {
        switch settings.rateControl {
        case .constantQuality(let factor):
            guard (0...51).contains(factor) else { throw invalid("CRF \(factor)", "the range is 0 (lossless) to 51") }
            guard pass == .single else {
                throw invalid("two passes and CRF \(factor)", "two passes need a bit rate; set one instead")
            }
        case .quality(let quality):
            try checkQuality(quality)
            guard pass == .single else {
                throw invalid("two passes and a quality of \(quality)", "two passes need a bit rate; set one instead")
            }
        case .bitRate(let bits): try checkBitRate(bits)
        }
    }

    static func checkQuality(_ quality: Double) throws(MediaError) {
        guard (0...1).contains(quality) else { throw invalid("a quality of \(quality)", "the range is 0 to 1") }
    }

    static func checkBitRate(_ bits: Int) throws(MediaError) {
        guard bits >= 1000, bits <= 2_000_000_000 else {
            throw invalid("a bit rate of \(bits)", "the range is 1k to 2G bit/s")
        }
    }

    static func invalid(_ what: String, _ reason: String) -> MediaError {
        MediaError(.invalidSettings, "cannot encode with \(what)", reason: reason)
    }
}

package import MediaTypes

/// Validates video settings before an encoder is opened, for every codec that this library encodes.
package enum VideoEncoderRules {
    /// Throws the first error in the settings.
    ///
    /// - Parameter settings: the settings, with the size that frames will have.
    /// - Throws: `unsupported` for a codec that this build cannot encode; `invalidSettings`, which names the setting
    ///   that is out of range or contradicts another setting.
    package static func check(
        _ settings: VideoSettings, isRealTime: Bool, pass: EncodingPass = .single
    ) throws(MediaError) {
        if settings.codec == .h264 {
            return try H264SettingsRules.check(settings, isRealTime: isRealTime, pass: pass)
        }
        let codec = try LibavVideoCodec(settings.codec)
        try H264SettingsRules.checkShape(settings)
        try checkSize(settings, codec)
        try H264SettingsRules.checkTimes(settings)
        try checkRate(settings.rateControl, codec)
        try checkProfile(settings, codec)
        guard pass != .single else { return }
        guard codec.codec == .hevc else {
            throw invalid("two passes of \(codec.name)", "only H.264 and HEVC support them")
        }
        guard !isRealTime else {
            throw invalid("two passes in real time", "a live source delivers each frame only once")
        }
        guard case .bitRate = settings.rateControl else {
            throw invalid("two passes and a constant quality", "two passes need a bit rate; set one instead")
        }
    }

    /// Returns the number of bits per stored sample.
    package static func bitDepth(_ settings: VideoSettings) -> Int {
        if settings.codec.proResTag != nil { return 10 }
        return settings.bitDepth ?? (settings.profile == .high10 || settings.profile == .main10 ? 10 : 8)
    }

    /// Returns the reason why the encoder cannot keep the fields of interlaced frames; nil if the encoder can keep
    /// them.
    package static func refusalOfFields(_ settings: VideoSettings) -> String? {
        switch settings.codec {
        case .h264:
            H264SettingsRules.mayHaveFields(settings)
                ? nil
                : "H.264 does not support fields in profile baseline, or in frames of \(settings.height ?? 0) lines"
        case .hevc, .av1: "\(settings.codec == .hevc ? "HEVC" : "AV1") is encoded as progressive frames"
        default: settings.codec.proResTag == nil ? "\(settings.codec.rawValue) does not support fields" : nil
        }
    }

    /// Returns the layout that a decoder should deliver for this encoder, so that nothing is lost and the least work is
    /// needed; nil if any layout is suitable.
    package static func layout(_ settings: VideoSettings) -> PixelFormat? {
        settings.codec.proResTag == nil ? nil : .i210
    }

    private static func checkSize(_ settings: VideoSettings, _ codec: LibavVideoCodec) throws(MediaError) {
        guard let width = settings.width, let height = settings.height else {
            throw invalid("video settings without a size", "set width and height, or a source format hint")
        }
        let size = codec.sizes
        guard size.contains(width), size.contains(height), width % codec.columns == 0, height % codec.rows == 0 else {
            let sides =
                codec.rows == 2
                ? "an even width and height" : codec.columns == 2 ? "an even width and a height" : "a width and height"
            throw invalid(
                "\(width)×\(height)", "\(codec.name) needs \(sides) from \(size.lowerBound) to \(size.upperBound)")
        }
    }

    private static func checkRate(
        _ control: VideoSettings.RateControl, _ codec: LibavVideoCodec
    ) throws(MediaError) {
        switch control {
        case .constantQuality(let factor):
            guard let factors = codec.factors else { return }
            guard factors.contains(factor) else {
                let (least, most) = (Int(factors.lowerBound), Int(factors.upperBound))
                throw invalid("CRF \(factor)", "\(codec.name) supports \(least) to \(most)")
            }
        case .quality(let quality):
            guard codec.factors != nil else { throw noRate("a quality of \(quality)", codec) }
            try H264SettingsRules.checkQuality(quality)
        case .bitRate(let bits):
            guard codec.factors != nil else { throw noRate("a bit rate of \(bits)", codec) }
            try H264SettingsRules.checkBitRate(bits)
        }
    }

    private static func noRate(_ what: String, _ codec: LibavVideoCodec) -> MediaError {
        MediaError(
            .invalidSettings, "cannot encode with \(what)", reason: "each ProRes codec has a fixed bit rate",
            wayOut: "choose proRes422Proxy, proRes422LT, proRes422 or proRes422HQ instead")
    }

    private static func checkProfile(_ settings: VideoSettings, _ codec: LibavVideoCodec) throws(MediaError) {
        let depth = bitDepth(settings)
        guard codec.bitDepths.contains(depth), settings.bitDepth == nil || settings.bitDepth == depth else {
            let depths = codec.bitDepths.map(String.init).joined(separator: " or ")
            throw invalid("a bit depth of \(settings.bitDepth ?? depth)", "\(codec.name) supports \(depths)")
        }
        if let profile = settings.profile {
            guard codec.profiles.contains(profile) else {
                let known = codec.profiles.map(\.rawValue).joined(separator: " and ")
                throw invalid(
                    "profile \(profile.rawValue)",
                    known.isEmpty ? "\(codec.name) has no profile setting" : "\(codec.name) has \(known)")
            }
            if codec.codec == .hevc, (profile == .main10) != (depth == 10) {
                throw invalid(
                    "profile \(profile.rawValue) and a bit depth of \(depth)",
                    "main10 has 10 bits, main has 8")
            }
        }
        if let level = settings.level {
            guard codec.codec == .hevc else { throw invalid("level \(level)", "\(codec.name) has no level setting") }
            try HEVCLevel.check(level, settings)
        }
        if let mode = settings.entropyMode {
            throw invalid("entropy mode \(mode.rawValue)", "only H.264 has this setting, not \(codec.name)")
        }
        if codec.hasPresets, codec.preset(settings.preset) == nil {
            let names = H264SettingsRules.presets.joined(separator: ", ")
            throw invalid("preset \(settings.preset)", "the presets are \(names)")
        }
    }

    private static func invalid(_ what: String, _ reason: String) -> MediaError {
        H264SettingsRules.invalid(what, reason)
    }
}

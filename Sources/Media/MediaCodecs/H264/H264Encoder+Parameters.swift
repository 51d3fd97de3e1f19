import CX264
import MediaTypes

extension H264Encoder {
    /// Returns x264's parameters for the settings.
    ///
    /// - Throws: `invalidSettings` if the settings violate the rules, or x264 refuses the profile.
    static func parameters(
        _ settings: VideoSettings, color: ColorDescription, timeScale: Int32, isRealTime: Bool,
        pass: EncodingPass = .single, threads: EncoderThreads = .usual
    ) throws(MediaError) -> x264_param_t {
        try H264SettingsRules.check(settings, isRealTime: isRealTime, pass: pass)
        var parameters = x264_param_t()
        x264_param_default_preset(&parameters, settings.preset, nil)
        parameters.i_width = Int32(settings.width ?? 0)
        parameters.i_height = Int32(settings.height ?? 0)
        parameters.i_csp = Int32(X264_CSP_NV12)
        parameters.i_bitdepth = Int32(H264SettingsRules.bitDepth(settings))
        parameters.b_repeat_headers = 0
        parameters.b_annexb = 0
        parameters.vui.i_sar_width = settings.pixelAspectRatio.numerator
        parameters.vui.i_sar_height = settings.pixelAspectRatio.denominator
        parameters.vui.i_colorprim = Int32(color.primaries)
        parameters.vui.i_transfer = Int32(color.transfer)
        parameters.vui.i_colmatrix = Int32(color.matrix)
        parameters.vui.b_fullrange = color.isFullRange ? 1 : 0
        if let position = settings.chromaPosition { parameters.vui.i_chroma_loc = Int32(position.rawValue) }
        setLight(settings, &parameters)
        if let isUpperFirst = settings.fieldOrder?.showsUpperFirst, H264SettingsRules.mayHaveFields(settings) {
            parameters.b_interlaced = 1
            parameters.b_tff = isUpperFirst ? 1 : 0
        }
        parameters.b_stitchable = settings.isJoined ? 1 : 0
        if let threads = settings.threadCount {
            parameters.i_threads = Int32(threads)
            // With a separate look-ahead thread, one encode in three has different output, although x264 claims the
            // opposite (docs/design/decisions/reencode.md).
            parameters.i_sync_lookahead = 0
        }

        let rate = settings.expectedFrameRate ?? 30
        parameters.b_vfr_input = 1
        parameters.i_timebase_num = 1
        parameters.i_timebase_den = UInt32(timeScale)
        parameters.i_fps_num = UInt32(clamping: (rate * 1000).rounded())
        parameters.i_fps_den = 1000
        let interval = (min(settings.keyframeInterval.seconds, 1e6) * rate).rounded()
        parameters.i_keyint_max = Int32(clamping: max(1, min(interval, 1e6)))
        if let frames = settings.maximumBFrames { parameters.i_bframe = Int32(frames) }
        if let frames = settings.lookAhead { parameters.rc.i_lookahead = Int32(frames) }

        if let mode = settings.entropyMode { parameters.b_cabac = mode == .cabac ? 1 : 0 }
        setRateControl(settings.rateControl, pass, &parameters)
        if let level = settings.level.flatMap(H264Level.named) { level.apply(to: &parameters, settings) }
        boundMemory(&parameters)
        if isRealTime { boundDelay(&parameters, frameRate: rate, threads) }
        if let profile = settings.profile, x264_param_apply_profile(&parameters, profile.rawValue) < 0 {
            throw H264SettingsRules.invalid("profile \(profile.rawValue)", "x264 refuses it with these settings")
        }
        return parameters
    }

    /// Sets the mastering display and light level; x264 uses the same units.
    private static func setLight(_ settings: VideoSettings, _ parameters: inout x264_param_t) {
        if let display = settings.masteringDisplay {
            parameters.mastering_display.b_mastering_display = 1
            parameters.mastering_display.i_red_x = Int32(display.red.x)
            parameters.mastering_display.i_red_y = Int32(display.red.y)
            parameters.mastering_display.i_green_x = Int32(display.green.x)
            parameters.mastering_display.i_green_y = Int32(display.green.y)
            parameters.mastering_display.i_blue_x = Int32(display.blue.x)
            parameters.mastering_display.i_blue_y = Int32(display.blue.y)
            parameters.mastering_display.i_white_x = Int32(display.whitePoint.x)
            parameters.mastering_display.i_white_y = Int32(display.whitePoint.y)
            parameters.mastering_display.i_display_max = Int64(display.maximumLuminance)
            parameters.mastering_display.i_display_min = Int64(display.minimumLuminance)
        }
        if let light = settings.contentLight {
            parameters.content_light_level.b_cll = 1
            parameters.content_light_level.i_max_cll = Int32(light.maximum)
            parameters.content_light_level.i_max_fall = Int32(light.maximumAverage)
        }
    }

    /// Limits the memory for very large frames. x264 keeps every frame of its look-ahead, with copies and tables of
    /// about 2.5 bytes per pixel. For such frames this would be gigabytes.
    private static func boundMemory(_ parameters: inout x264_param_t) {
        let frame = Double(parameters.i_width) * Double(parameters.i_height) * 2.5
        guard frame > 4096 * 4096 * 2.5 else { return }
        parameters.rc.i_lookahead = min(parameters.rc.i_lookahead, Int32(clamping: max(2, 512e6 / frame)))
        parameters.i_bframe = min(parameters.i_bframe, 1)
        parameters.i_frame_reference = min(parameters.i_frame_reference, 2)
        parameters.i_sync_lookahead = 0
        parameters.b_sliced_threads = 1
    }

    private static func setRateControl(
        _ control: VideoSettings.RateControl, _ pass: EncodingPass, _ parameters: inout x264_param_t
    ) {
        switch control {
        case .constantQuality(let factor):
            parameters.rc.i_rc_method = X264_RC_CRF
            parameters.rc.f_rf_constant = Float(factor)
        case .quality:
            parameters.rc.i_rc_method = X264_RC_CRF
            parameters.rc.f_rf_constant = Float(control.factor(most: 51) ?? 23)
        case .bitRate(let bits):
            parameters.rc.i_rc_method = X264_RC_ABR
            parameters.rc.i_bitrate = Int32((bits + 500) / 1000)
        }
        switch pass {
        case .single: break
        case .first:
            parameters.rc.b_stat_write = 1
            // This uses faster searches. They do not change the information that the second pass needs.
            x264_param_apply_fastfirstpass(&parameters)
        case .second:
            parameters.rc.b_stat_read = 1
        }
    }

    /// Makes each frame's packet available before the next frame. All threads work on the same frame, instead of one
    /// frame each. x264 is configured for a constant frame rate, because it would otherwise wait for the next frame to
    /// know the duration. Timestamps are stored unchanged.
    private static func holdNothing(_ parameters: inout x264_param_t, _ threads: Int) {
        parameters.i_threads = Int32(threads)
        parameters.b_sliced_threads = threads > 1 ? 1 : 0
        parameters.b_vfr_input = 0
        parameters.rc.b_mb_tree = 0
    }

    /// Limits the number of frames that x264 holds back. The look-ahead is shorter at lower frame rates, and does not
    /// run on a separate thread.
    private static func boundDelay(
        _ parameters: inout x264_param_t, frameRate: Double, _ threads: EncoderThreads
    ) {
        parameters.i_sync_lookahead = 0
        let threads = threads.count(parameters, frameRate: frameRate)
        if parameters.rc.i_lookahead == 0, parameters.i_bframe == 0 { return holdNothing(&parameters, threads) }
        let most = max(1, Int(clamping: (liveDelay * frameRate).rounded(.down)))
        // Each frame thread after the first holds back a frame too, and irregular times hold back one more (x264,
        // `validate_parameters` and `x264_encoder_open`: `i_delay`).
        let allowedThreads = max(1, min(threads, most / 2 + 1))
        parameters.i_threads = Int32(allowedThreads)
        let held = max(0, most - (allowedThreads - 1) - Int(parameters.b_vfr_input))
        parameters.rc.i_lookahead = min(parameters.rc.i_lookahead, Int32(held))
        parameters.i_bframe = min(parameters.i_bframe, Int32(max(0, held - 1)))
        // Trellis selection of B-frames looks ahead four times the number of B-frames.
        if parameters.i_bframe_adaptive == X264_B_ADAPT_TRELLIS, max(parameters.i_bframe, 3) * 4 > Int32(held) {
            parameters.i_bframe_adaptive = Int32(X264_B_ADAPT_FAST)
        }
        if parameters.rc.i_lookahead == 0 { parameters.rc.b_mb_tree = 0 }
    }
}

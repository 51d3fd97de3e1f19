import CLinux
import CX264
import MediaTypes

extension H264Encoder {
    /// x264's presets, fastest first.
    package static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]

    /// x264's parameters for our settings.
    static func parameters(
        _ settings: VideoSettings, color: ColorDescription, timeScale: Int32, isRealTime: Bool
    ) throws(MediaError) -> x264_param_t {
        let (width, height) = try size(settings)
        guard presets.contains(settings.preset) else {
            throw invalid("preset \(settings.preset)", "the presets are \(presets.joined(separator: ", "))")
        }
        var parameters = x264_param_t()
        x264_param_default_preset(&parameters, settings.preset, nil)
        parameters.i_width = Int32(width)
        parameters.i_height = Int32(height)
        parameters.i_csp = Int32(X264_CSP_NV12)
        parameters.i_log_level = X264_LOG_ERROR
        parameters.b_repeat_headers = 0
        parameters.b_annexb = 0
        parameters.vui.i_sar_width = settings.pixelAspectRatio.numerator
        parameters.vui.i_sar_height = settings.pixelAspectRatio.denominator
        parameters.vui.i_colorprim = Int32(color.primaries)
        parameters.vui.i_transfer = Int32(color.transfer)
        parameters.vui.i_colmatrix = Int32(color.matrix)
        parameters.vui.b_fullrange = color.isFullRange ? 1 : 0

        // Every picture keeps its own time; the rate only shapes rate control and look-ahead.
        let rate = settings.expectedFrameRate ?? 30
        guard rate.isFinite, rate >= 0.01, rate <= 1000 else { throw invalid("a frame rate of \(rate)", "0.01 to 1000") }
        parameters.b_vfr_input = 1
        parameters.i_timebase_num = 1
        parameters.i_timebase_den = UInt32(timeScale)
        parameters.i_fps_num = UInt32((rate * 1000).rounded())
        parameters.i_fps_den = 1000
        let interval = settings.keyFrameInterval.seconds
        guard interval.isFinite, interval >= 0 else { throw invalid("a key-frame interval of \(interval) s", "0 or more") }
        parameters.i_keyint_max = Int32(clamping: Int((min(interval, 1e6) * rate).rounded().clamped(to: 1...1e6)))

        try setRateControl(settings.rateControl, &parameters)
        if isRealTime { boundDelay(&parameters, frameRate: rate) }
        if let profile = settings.profile, x264_param_apply_profile(&parameters, profile.rawValue) < 0 {
            throw invalid("profile \(profile.rawValue)", "x264 refuses it with these settings")
        }
        return parameters
    }

    private static func size(_ settings: VideoSettings) throws(MediaError) -> (Int, Int) {
        guard let width = settings.width, let height = settings.height else {
            throw invalid("video settings without a size", "give width and height, or a source format hint")
        }
        guard (2...16384).contains(width), (2...16384).contains(height), width % 2 == 0, height % 2 == 0 else {
            throw invalid("\(width)×\(height)", "H.264 with 4:2:0 needs an even width and height from 2 to 16384")
        }
        return (width, height)
    }

    private static func setRateControl(
        _ control: VideoSettings.RateControl, _ parameters: inout x264_param_t
    ) throws(MediaError) {
        switch control {
        case .constantQuality(let factor):
            guard (0...51).contains(factor) else { throw invalid("CRF \(factor)", "0 (lossless) to 51") }
            parameters.rc.i_rc_method = X264_RC_CRF
            parameters.rc.f_rf_constant = Float(factor)
        case .bitRate(let bits):
            guard bits >= 1000, bits <= 2_000_000_000 else { throw invalid("a bit rate of \(bits)", "1k to 2G") }
            parameters.rc.i_rc_method = X264_RC_ABR
            parameters.rc.i_bitrate = Int32(bits / 1000)
        }
    }

    /// Fewer pictures in flight: the look-ahead shrinks with the frame rate, and no thread of its own runs it.
    private static func boundDelay(_ parameters: inout x264_param_t, frameRate: Double) {
        parameters.i_sync_lookahead = 0
        let threads = parameters.i_threads > 0 ? Int(parameters.i_threads) : defaultThreads
        let most = max(1, Int((liveDelay * frameRate).rounded(.down)))
        // Each frame thread beyond the first holds a picture too, and irregular times cost one more
        // (x264, `validate_parameters` and `x264_encoder_open`: `i_delay`).
        let allowedThreads = max(1, min(threads, most / 2 + 1))
        parameters.i_threads = Int32(allowedThreads)
        let held = max(0, most - (allowedThreads - 1) - Int(parameters.b_vfr_input))
        parameters.rc.i_lookahead = min(parameters.rc.i_lookahead, Int32(held))
        parameters.i_bframe = min(parameters.i_bframe, Int32(max(0, held - 1)))
        // Choosing B-frames by trellis looks four times as far ahead as there are B-frames.
        if parameters.i_bframe_adaptive == X264_B_ADAPT_TRELLIS, max(parameters.i_bframe, 3) * 4 > Int32(held) {
            parameters.i_bframe_adaptive = Int32(X264_B_ADAPT_FAST)
        }
        if parameters.rc.i_lookahead == 0 { parameters.rc.b_mb_tree = 0 }
    }

    /// x264's own choice: one and a half for each processor (x264, `x264_threads`).
    private static var defaultThreads: Int { max(1, Int(clinux_available_processors()) * 3 / 2) }

    private static func invalid(_ what: String, _ reason: String) -> MediaError {
        MediaError(.invalidSettings, "cannot encode with \(what)", reason: reason)
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}

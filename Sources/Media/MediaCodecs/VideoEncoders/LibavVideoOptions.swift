import CFFmpeg
import Glibc
import MediaTypes

/// Translates the settings to options of libavcodec and of its encoders.
struct LibavVideoOptions {
    private let codec: LibavVideoCodec
    private let settings: VideoSettings
    private let color: ColorDescription
    private let isRealTime: Bool
    private let pass: EncodingPass
    private var effort = EncoderEffort.full

    init(
        _ codec: LibavVideoCodec, _ settings: VideoSettings, color: ColorDescription, isRealTime: Bool,
        pass: EncodingPass
    ) {
        self.pass = pass
        self.codec = codec
        self.settings = settings
        self.color = color
        self.isRealTime = isRealTime
    }

    private var rate: Double { settings.expectedFrameRate ?? 30 }

    /// The maximum number of frames from one keyframe to the next.
    private var interval: Int {
        Int(clamping: max(1, min((min(settings.keyframeInterval.seconds, 1e6) * rate).rounded(), 1e6)))
    }

    /// The effort steps that change something for these settings, starting with `full`.
    var efforts: [EncoderEffort] {
        guard isRealTime, !codec.isIntraOnly else { return [.full] }
        var last: [String: String]?
        return [EncoderEffort.full, .plainSearch, .withoutLookAhead, .coarseFrames].filter { effort in
            let words = Dictionary(uniqueKeysWithValues: eased(to: effort).codecWords)
            defer { last = words }
            return words != last
        }
    }

    /// Returns the options for another effort. They result in the same decoder configuration.
    func eased(to effort: EncoderEffort) -> LibavVideoOptions {
        var options = self
        options.effort = effort
        return options
    }

    var backlog: LiveBacklog { LiveBacklog(rate: rate, interval: interval) }

    /// - Throws: `invalidSettings` if the encoder refuses the settings, `codecFailure` if there is not enough memory.
    func open(
        _ context: UnsafeMutablePointer<AVCodecContext>, pixelFormat: AVPixelFormat, timeScale: Int32
    ) throws(MediaError) {
        let (width, height) = (Int32(settings.width ?? 0), Int32(settings.height ?? 0))
        let frameRate = AVRational(num: Int32(clamping: (rate * 1000).rounded()), den: 1000)
        context.pointee.width = width
        context.pointee.height = height
        context.pointee.pix_fmt = pixelFormat
        context.pointee.framerate = frameRate
        context.pointee.time_base =
            codec.isIntraOnly ? AVRational(num: 1000, den: frameRate.num) : AVRational(num: 1, den: timeScale)
        context.pointee.sample_aspect_ratio = AVRational(
            num: settings.pixelAspectRatio.numerator, den: settings.pixelAspectRatio.denominator)
        context.pointee.color_primaries = AVColorPrimaries(UInt32(color.primaries))
        context.pointee.color_trc = AVColorTransferCharacteristic(UInt32(color.transfer))
        context.pointee.colorspace = AVColorSpace(UInt32(color.matrix))
        context.pointee.color_range = color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        if codec.isProRes, settings.fieldOrder?.showsUpperFirst != nil {
            context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT
        }
        // 0 means one thread for each processor.
        context.pointee.thread_count = codec.isIntraOnly ? 0 : Int32(settings.threadCount ?? 0)
        if !codec.isIntraOnly { context.pointee.gop_size = Int32(interval) }
        if case .bitRate(let bits) = settings.rateControl { context.pointee.bit_rate = Int64(bits) }

        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        for (name, value) in words(context) { av_dict_set(&options, name, value, 0) }
        EncoderLogs.silenced
        let opened = SVTLifetime.during(codec.encoderName) {
            KeptScheduling.during { avcodec_open2(context, codec.encoder, &options) }
        }
        guard opened >= 0 else {
            let isMemory = opened == CFFMPEG_ERROR_ENOMEM
            throw MediaError(
                averror: opened, isMemory ? .codecFailure : .invalidSettings,
                "cannot open the \(codec.name) encoder for \(width)×\(height)")
        }
        // An option that the encoder does not know is an error, because the setting would have no effect.
        if let left = av_dict_get(options, "", nil, AV_DICT_IGNORE_SUFFIX), let key = left.pointee.key {
            throw MediaError(
                .codecFailure, "cannot open the \(codec.name) encoder",
                reason: "\(codec.encoderName) has no option \(String(cString: key))")
        }
    }

    /// The encoder's options with their names. JPEG has none, because its options are fields of the context.
    private var codecWords: [(String, String)] {
        switch codec.encoderName {
        case "libx265": x265
        case "libsvtav1": svt
        case "libaom-av1": aom
        case "prores_ks": [("profile", proResProfile), ("vendor", "apl0")]
        default: []
        }
    }

    private func words(_ context: UnsafeMutablePointer<AVCodecContext>) -> [(String, String)] {
        if codec.codec == .mjpeg { setQuantizer(context) }
        return codecWords
    }

    private func setQuantizer(_ context: UnsafeMutablePointer<AVCodecContext>) {
        if let scale = settings.rateControl.quantizerScale {
            context.pointee.flags |= AV_CODEC_FLAG_QSCALE
            context.pointee.global_quality = Int32(clamping: (scale * Double(FF_QP2LAMBDA)).rounded())
        }
        context.pointee.qmin = 1
        // libavcodec's default tolerance is four megabits, which is too much for a short movie.
        if case .bitRate(let bits) = settings.rateControl {
            context.pointee.bit_rate_tolerance = Int32(clamping: Int(clamping: Double(bits) / min(4, rate)) + 1)
        }
    }

    // MARK: HEVC

    private var x265: [(String, String)] {
        var words = [("preset", codec.preset(settings.preset) ?? settings.preset), ("forced-idr", "1")]
        if let factor = settings.rateControl.factor(most: 51) {
            words.append(("crf", String(effort >= .coarseFrames ? min(51, factor + 12) : factor)))
        }
        if let profile = settings.profile { words.append(("profile", profile.rawValue)) }
        // x265 prints nothing, and writes no encoder information. Decoding can begin at every keyframe.
        var more = ["log-level": "none", "info": "0", "open-gop": "0"]
        if let frames = settings.maximumBFrames { more["bframes"] = String(frames) }
        if let frames = settings.lookAhead { more["rc-lookahead"] = String(frames) }
        if let threads = settings.threadCount {
            // With several frame threads, the references that are available to a frame depend on timing. With four
            // frame threads, a few encodes in a hundred had different bytes. Row threads in one frame and the pool do
            // not change the bytes. A live encoder uses frame threads, because it needs the speed and does not
            // guarantee identical bytes.
            more["frame-threads"] = isRealTime ? String(min(16, threads)) : "1"
            more["pools"] = String(threads)
        }
        if isRealTime { boundDelay(&more) }
        HEVCEffort.ease(&more, preset: settings.preset, to: effort)
        setPass(&more)
        if let position = settings.chromaPosition { more["chromaloc"] = String(position.rawValue) }
        if let level = settings.level, let limits = HEVCLevel.named(level) {
            more["level-idc"] = limits.name
            more["high-tier"] = "0"
            more["vbv-maxrate"] = String(limits.bitRate)
            more["vbv-bufsize"] = String(limits.bitRate)
        }
        if let display = settings.masteringDisplay {
            more["master-display"] = Self.x265Words(display)
            more["hdr10"] = "1"
        }
        if let light = settings.contentLight {
            more["max-cll"] = "\(light.maximum),\(light.maximumAverage)"
            more["hdr10"] = "1"
        }
        words.append(("x265-params", Self.joined(more)))
        return words
    }

    /// Sets the pass. x265 stores the statistics itself, like x264: in the file at this path, and in a second file
    /// beside it.
    private func setPass(_ more: inout [String: String]) {
        switch pass {
        case .single: return
        case .first(let path): (more["pass"], more["stats"]) = ("1", Self.escaped(path))
        case .second(let path): (more["pass"], more["stats"]) = ("2", Self.escaped(path))
        }
    }

    /// Escapes a word for libavutil's lists.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if ":=\\'".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    /// Joins the options in a fixed order.
    private static func joined(_ words: [String: String]) -> String {
        words.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ":")
    }

    /// Limits the number of frames that x265 holds back, to the same time as for the live H.264 encoder.
    private func boundDelay(_ more: inout [String: String]) {
        let most = max(1, Int(clamping: (H264Encoder.liveDelay * rate).rounded(.down)))
        // The number of frames that x265 holds back is the number of B-frames plus the look-ahead plus three.
        let frames = min(settings.maximumBFrames ?? 3, max(0, (most - 4) / 2))
        // The default look-ahead of the presets.
        let preset = H264SettingsRules.presets.firstIndex(of: settings.preset) ?? 5
        let usual = [5, 10, 15, 15, 15, 20, 25, 40, 40, 60][preset]
        more["frame-threads"] = "1"
        more["bframes"] = String(frames)
        // With neither look-ahead nor B-frames, x265 returns each frame's packet at once.
        let least = frames == 0 && settings.lookAhead == 0 ? 0 : frames + 1
        more["rc-lookahead"] = String(max(least, min(settings.lookAhead ?? usual, most - frames - 3)))
    }

    private static func x265Words(_ display: MasteringDisplay) -> String {
        func place(_ name: String, _ place: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(place.x),\(place.y))"
        }
        return place("G", display.green) + place("B", display.blue) + place("R", display.red)
            + place("WP", display.whitePoint) + "L(\(display.maximumLuminance),\(display.minimumLuminance))"
    }

    // MARK: AV1

    /// The constant rate factor of AV1; nil for a bit rate.
    private var factor: Int? {
        settings.rateControl.factor(most: 63).map { factor in
            Int(clamping: (effort >= .coarseFrames ? min(63, factor + 12) : factor).rounded())
        }
    }

    /// The preset of SVT-AV1. Encoders of one recording are always in the same group, because an encoder with another
    /// effort is opened before this one is drained: a live encoder keeps frames in their order, and where presets form
    /// groups then, all up to the fastest of these are in one.
    private var svtPreset: Int {
        let preset = codec.preset(settings.preset).flatMap { Int($0) } ?? 10
        let eased = effort >= .coarseFrames ? 13 : effort > .full ? 12 : preset
        return reordersFrames ? eased : min(eased, SVTVersion.loaded?.fastestOrderedPreset ?? eased)
    }

    /// The group of encoders that may be open at the same time as this one; nil if all may.
    var svtGroup: SVTTables.Group? {
        guard codec.encoderName == "libsvtav1", let version = SVTVersion.loaded else { return nil }
        return SVTTables.Group(preset: svtPreset, reordersFrames: reordersFrames, version: version)
    }

    /// False if SVT-AV1 keeps frames in their order.
    private var reordersFrames: Bool { !isRealTime && settings.maximumBFrames != 0 }

    private var svt: [(String, String)] {
        var words = [("preset", String(svtPreset))]
        if let factor { words.append(("crf", String(factor))) }
        // SVT-AV1 creates forced keyframes only if it may reorder frames, and only at constant quality.
        var more: [String: String] = [:]
        if !reordersFrames {
            more["pred-struct"] = "1"
            if case .bitRate = settings.rateControl, SVTVersion.loaded?.hasOnlyConstantRateInOrder == true {
                more["rc"] = "2"
            }
        } else if settings.rateControl.factor(most: 63) != nil {
            more["enable-force-key-frames"] = "1"
        }
        if let frames = settings.lookAhead { more["lookahead"] = String(min(120, frames)) }
        if let threads = settings.threadCount { more["lp"] = String(threads) }
        more["chroma-sample-position"] = av1ChromaPosition
        if let display = settings.masteringDisplay { more["mastering-display"] = Self.svtWords(display) }
        if let light = settings.contentLight { more["content-light"] = "\(light.maximum),\(light.maximumAverage)" }
        if !more.isEmpty {
            words.append(("svtav1-params", Self.joined(more)))
        }
        return words
    }

    /// Formats the mastering display in cd/m² and as coordinates from 0 to 1. SVT-AV1 itself converts these to the
    /// units of the message.
    private static func svtWords(_ display: MasteringDisplay) -> String {
        func place(_ name: String, _ place: MasteringDisplay.Chromaticity) -> String {
            "\(name)(\(Double(place.x) / 50_000),\(Double(place.y) / 50_000))"
        }
        return place("G", display.green) + place("B", display.blue) + place("R", display.red)
            + place("WP", display.whitePoint)
            + "L(\(Double(display.maximumLuminance) / 10_000),\(Double(display.minimumLuminance) / 10_000))"
    }

    /// The chroma position's name for both encoders; nil for one that AV1 cannot signal (AV1 specification, 6.4.2).
    private var av1ChromaPosition: String? {
        switch settings.chromaPosition {
        case .left: "vertical"
        case .topLeft: "colocated"
        default: nil
        }
    }

    private var aom: [(String, String)] {
        let preset = codec.preset(settings.preset) ?? "6"
        var words = [("cpu-used", effort > .full ? "8" : preset), ("row-mt", "1")]
        if let factor { words.append(("crf", String(factor))) }
        if isRealTime { words += [("usage", "realtime"), ("lag-in-frames", "0")] }
        if let frames = settings.lookAhead, !isRealTime { words.append(("lag-in-frames", String(frames))) }
        if let position = av1ChromaPosition { words.append(("aom-params", "chroma-sample-position=\(position)")) }
        return words
    }

    // MARK: ProRes

    private var proResProfile: String {
        switch codec.codec {
        case .proRes422Proxy: "proxy"
        case .proRes422LT: "lt"
        case .proRes422HQ: "hq"
        default: "standard"
        }
    }
}

/// Silences encoders that print messages themselves although libavcodec calls them.
private enum EncoderLogs {
    /// Limits SVT-AV1's messages to fatal errors. Must be read before the first encoder is created, because SVT-AV1
    /// reads the environment at that time.
    static let silenced: Void = { _ = setenv("SVT_LOG", "0", 0) }()
}

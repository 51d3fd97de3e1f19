import CX264
import MediaTypes

/// The limits of an H.264 level (ITU-T H.264, table A-1).
struct H264Level {
    let name: String
    /// The maximum number of macroblocks per second, per frame, and in all decoded frames that are kept.
    let secondBlocks: Int
    let pictureBlocks: Int
    let keptBlocks: Int
    /// The maximum bit rate in 1000 bits per second, and the maximum buffer size in 1000 bits, for the profiles
    /// Baseline and Main.
    let bitRate: Int
    let buffer: Int

    private init(_ name: String, _ second: Int, _ frame: Int, _ kept: Int, _ bitRate: Int, _ buffer: Int) {
        self.name = name
        secondBlocks = second
        pictureBlocks = frame
        keptBlocks = kept
        self.bitRate = bitRate
        self.buffer = buffer
    }

    static let all = [
        H264Level("1", 1485, 99, 396, 64, 175), H264Level("1b", 1485, 99, 396, 128, 350),
        H264Level("1.1", 3000, 396, 900, 192, 500), H264Level("1.2", 6000, 396, 2376, 384, 1000),
        H264Level("1.3", 11_880, 396, 2376, 768, 2000), H264Level("2", 11_880, 396, 2376, 2000, 2000),
        H264Level("2.1", 19_800, 792, 4752, 4000, 4000), H264Level("2.2", 20_250, 1620, 8100, 4000, 4000),
        H264Level("3", 40_500, 1620, 8100, 10_000, 10_000), H264Level("3.1", 108_000, 3600, 18_000, 14_000, 14_000),
        H264Level("3.2", 216_000, 5120, 20_480, 20_000, 20_000),
        H264Level("4", 245_760, 8192, 32_768, 20_000, 25_000),
        H264Level("4.1", 245_760, 8192, 32_768, 50_000, 62_500),
        H264Level("4.2", 522_240, 8704, 34_816, 50_000, 62_500),
        H264Level("5", 589_824, 22_080, 110_400, 135_000, 135_000),
        H264Level("5.1", 983_040, 36_864, 184_320, 240_000, 240_000),
        H264Level("5.2", 2_073_600, 36_864, 184_320, 240_000, 240_000),
        H264Level("6", 4_177_920, 139_264, 696_320, 240_000, 240_000),
        H264Level("6.1", 8_355_840, 139_264, 696_320, 480_000, 480_000),
        H264Level("6.2", 16_711_680, 139_264, 696_320, 800_000, 800_000),
    ]

    static func named(_ name: String) -> H264Level? {
        all.first { $0.name == name || $0.name + ".0" == name }
    }

    /// The level_idc; 9 for "1b", as in x264.
    var code: Int32 {
        if name == "1b" { return 9 }
        let digits = name.filter(\.isNumber)
        return (Int32(digits) ?? 0) * (digits.count == 1 ? 10 : 1)
    }

    /// Returns the factor, in quarters, by which the profiles above Main extend bit rate and buffer (table A-2).
    private static func quarters(_ settings: VideoSettings) -> Int {
        switch settings.profile {
        case .baseline, .main: 4
        case .high10: 12
        case .high, nil, .main10: H264SettingsRules.bitDepth(settings) == 10 ? 12 : 5
        }
    }

    private static func blocks(_ settings: VideoSettings) -> (columns: Int, rows: Int) {
        (((settings.width ?? 0) + 15) / 16, ((settings.height ?? 0) + 15) / 16)
    }

    /// - Throws: `invalidSettings` for an unknown level, or if the settings exceed the level.
    static func check(_ name: String, _ settings: VideoSettings) throws(MediaError) {
        guard let level = named(name) else {
            let names = all.map(\.name).joined(separator: ", ")
            throw H264SettingsRules.invalid("level \(name)", "the levels of H.264 are \(names)")
        }
        let (columns, rows) = blocks(settings)
        let size = "\(settings.width ?? 0)×\(settings.height ?? 0)"
        // A.3.1: neither side may be longer than the square root of eight times the area.
        let longest = max(columns, rows)
        guard columns * rows <= level.pictureBlocks, longest * longest <= level.pictureBlocks * 8 else {
            throw H264SettingsRules.invalid(
                "level \(name) and \(size)", "the limit is \(level.pictureBlocks * 256) pixels per frame")
        }
        if let rate = settings.expectedFrameRate, Double(columns * rows) * rate > Double(level.secondBlocks) {
            let most = (Double(level.secondBlocks) / Double(columns * rows) * 10).rounded(.down) / 10
            throw H264SettingsRules.invalid(
                "level \(name) and \(size) at \(rate) frames per second", "this size allows at most \(most)")
        }
        let most = level.bitRate * 1000 * quarters(settings) / 4
        if case .bitRate(let bits) = settings.rateControl, bits > most {
            throw H264SettingsRules.invalid("level \(name) and a bit rate of \(bits)", "the limit is \(most) bit/s")
        }
    }

    /// Makes x264 stay within the level. By itself, x264 would only warn.
    func apply(to parameters: inout x264_param_t, _ settings: VideoSettings) {
        parameters.i_level_idc = code
        let (columns, rows) = Self.blocks(settings)
        let kept = min(16, max(1, keptBlocks / max(1, columns * rows)))
        parameters.i_frame_reference = min(parameters.i_frame_reference, Int32(kept))
        // Reordering needs a second kept frame, and B-frames that are used as references need a third.
        if kept < 2 { parameters.i_bframe = 0 }
        if kept < 3 { parameters.i_bframe_pyramid = X264_B_PYRAMID_NONE }
        let isLossless: Bool = if case .constantQuality(..<1) = settings.rateControl { true } else { false }
        guard !isLossless else { return }
        parameters.rc.i_vbv_max_bitrate = Int32(bitRate * Self.quarters(settings) / 4)
        parameters.rc.i_vbv_buffer_size = Int32(buffer * Self.quarters(settings) / 4)
    }
}

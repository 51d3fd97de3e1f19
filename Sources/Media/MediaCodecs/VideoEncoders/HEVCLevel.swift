import MediaTypes

/// The limits of an HEVC level in its main tier (ITU-T H.265, tables A.8 and A.9).
struct HEVCLevel {
    let name: String
    /// The maximum number of luma samples per frame, and per second.
    let frameSamples: Int
    let secondSamples: Int
    /// The maximum bit rate in 1000 bits per second.
    let bitRate: Int

    private init(_ name: String, _ frameSamples: Int, _ secondSamples: Int, _ bitRate: Int) {
        self.name = name
        self.frameSamples = frameSamples
        self.secondSamples = secondSamples
        self.bitRate = bitRate
    }

    static let all = [
        HEVCLevel("1", 36_864, 552_960, 128), HEVCLevel("2", 122_880, 3_686_400, 1500),
        HEVCLevel("2.1", 245_760, 7_372_800, 3000), HEVCLevel("3", 552_960, 16_588_800, 6000),
        HEVCLevel("3.1", 983_040, 33_177_600, 10_000), HEVCLevel("4", 2_228_224, 66_846_720, 12_000),
        HEVCLevel("4.1", 2_228_224, 133_693_440, 20_000), HEVCLevel("5", 8_912_896, 267_386_880, 25_000),
        HEVCLevel("5.1", 8_912_896, 534_773_760, 40_000), HEVCLevel("5.2", 8_912_896, 1_069_547_520, 60_000),
        HEVCLevel("6", 35_651_584, 1_069_547_520, 60_000), HEVCLevel("6.1", 35_651_584, 2_139_095_040, 120_000),
        HEVCLevel("6.2", 35_651_584, 4_278_190_080, 240_000),
    ]

    static func named(_ name: String) -> HEVCLevel? {
        all.first { $0.name == name || $0.name + ".0" == name }
    }

    /// - Throws: `invalidSettings` for an unknown level, or if the settings exceed the level.
    static func check(_ name: String, _ settings: VideoSettings) throws(MediaError) {
        guard let level = named(name) else {
            let names = all.map(\.name).joined(separator: ", ")
            throw H264SettingsRules.invalid("level \(name)", "the levels of HEVC are \(names)")
        }
        let (width, height) = (settings.width ?? 0, settings.height ?? 0)
        let samples = width * height
        // A.4.1: neither side may be longer than the square root of eight times the area.
        let longest = max(width, height)
        guard samples <= level.frameSamples, longest * longest <= level.frameSamples * 8 else {
            throw H264SettingsRules.invalid(
                "level \(name) and \(width)×\(height)", "the limit is \(level.frameSamples) pixels per frame")
        }
        if let rate = settings.expectedFrameRate, Double(samples) * rate > Double(level.secondSamples) {
            let most = (Double(level.secondSamples) / Double(samples) * 10).rounded(.down) / 10
            throw H264SettingsRules.invalid(
                "level \(name) and \(width)×\(height) at \(rate) frames per second", "this size allows at most \(most)")
        }
        if case .bitRate(let bits) = settings.rateControl, bits > level.bitRate * 1000 {
            throw H264SettingsRules.invalid(
                "level \(name) and a bit rate of \(bits)", "the limit is \(level.bitRate * 1000) bit/s")
        }
    }
}

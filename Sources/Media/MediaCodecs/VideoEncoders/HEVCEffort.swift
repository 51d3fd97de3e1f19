/// The options of x265 for less effort.
///
/// Only options that do not affect the parameter sets change, so that another encoder can continue the track. These do
/// not change: the B-frames, the number of references, the block sizes, the filters, and whether blocks have their own
/// quantizer.
enum HEVCEffort {
    /// The simplest motion search, and the fewest choices for each block.
    private static let plainSearch = [
        "me": "dia", "subme": "0", "rd": "2", "rdoq-level": "0", "psy-rdoq": "0", "max-merge": "1", "limit-refs": "3",
        "early-skip": "1", "fast-intra": "1", "b-intra": "0",
    ]

    /// Changes the options for an effort. Does not change the rate factor.
    ///
    /// - Parameters:
    ///   - options: x265's options except the preset. They include the B-frames and the look-ahead of a live encoder.
    ///   - preset: one of x264's presets.
    static func ease(_ options: inout [String: String], preset: String, to effort: EncoderEffort) {
        guard effort > .full else { return }
        let index = H264SettingsRules.presets.firstIndex(of: preset) ?? 5
        // The preset "ultrafast" already has the simplest search.
        if index > 0 {
            options.merge(plainSearch) { $1 }
            // From the preset "slower" on, x265 uses asymmetric blocks. These need rectangular blocks and are signaled
            // in the parameter sets.
            if index < 7 { options["rect"] = "0" }
        }
        guard effort.isWithoutLookAhead else { return }
        (options["b-adapt"], options["scenecut"]) = ("0", "0")
        // B-frames need a look-ahead.
        let frames = number(options["bframes"])
        options["rc-lookahead"] = String(frames > 0 ? frames + 1 : min(1, number(options["rc-lookahead"])))
    }

    private static func number(_ text: String?) -> Int { text.flatMap { Int($0) } ?? 0 }
}

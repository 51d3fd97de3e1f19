import CX264

/// The effort that a live encoder spends on a frame: that of the initial settings, or a lower step. Each step needs
/// less time than the step before it, and has slightly lower quality for the same number of bits. No step changes which
/// frames are encoded.
///
/// x264 can apply most steps while it runs (`x264_encoder_reconfig`). B-frames, look-ahead and macroblock tree cannot
/// be changed while x264 runs, so only the steps that reopen the encoder change them. HEVC and AV1 have some of the
/// steps (`LibavVideoOptions.efforts`), and reopen the encoder for each. A reopened encoder has the same decoder
/// configuration, so the track continues.
package enum EncoderEffort: Int, Sendable, Comparable, CaseIterable {
    case full
    /// Motion to a quarter of a pixel, at most two references, no trellis.
    case fineSearch
    /// One reference frame.
    case coarseSearch
    /// The simplest motion search.
    case plainSearch
    /// No block is divided for motion.
    case wholeBlocks
    /// The encoder is reopened without look-ahead, so that it decides from one frame at a time.
    case withoutLookAhead
    /// The same as `withoutLookAhead`, but without deblocking filter. The quality is lower too if the rate control is
    /// constant quality.
    case coarseFrames

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// True if the step needs an encoder that was opened for it (`lighten`).
    package var isWithoutLookAhead: Bool { self >= .withoutLookAhead }

    /// A short description of the step for users.
    package var summary: String {
        switch self {
        case .full: "full effort"
        case .fineSearch: "shorter motion search"
        case .coarseSearch: "motion search in one frame"
        case .plainSearch: "simplest motion search"
        case .wholeBlocks: "simplest motion search, whole blocks only"
        case .withoutLookAhead: "no look-ahead"
        case .coarseFrames: "no look-ahead, lower quality"
        }
    }

    /// Returns the steps that change something for an encoder with these parameters, starting with `full`.
    static func steps(_ parameters: x264_param_t) -> [EncoderEffort] {
        var last = Cost(parameters)
        return allCases.filter { effort in
            var eased = parameters
            if effort.isWithoutLookAhead { effort.lighten(&eased) }
            effort.ease(&eased)
            let cost = Cost(eased)
            defer { last = cost }
            return effort == .full || cost != last
        }
    }

    /// Changes the parameters that x264 can apply while it runs.
    func ease(_ parameters: inout x264_param_t) {
        guard self > .full else { return }
        func limit<Number: Comparable>(_ field: WritableKeyPath<x264_param_t, Number>, to most: Number) {
            parameters[keyPath: field] = min(parameters[keyPath: field], most)
        }
        limit(\.analyse.i_trellis, to: 0)
        limit(\.analyse.b_mixed_references, to: 0)
        limit(\.analyse.i_me_method, to: self >= .plainSearch ? X264_ME_DIA : X264_ME_HEX)
        limit(\.i_frame_reference, to: self >= .coarseSearch ? 1 : 2)
        // The value is never below 1, because x264 cannot return from 0.
        limit(\.analyse.i_subpel_refine, to: self >= .plainSearch ? 1 : self >= .coarseSearch ? 2 : 4)
        if self >= .wholeBlocks {
            parameters.analyse.inter = 0
            parameters.analyse.b_chroma_me = 0
        }
        if self >= .coarseFrames {
            parameters.analyse.intra = 0
            parameters.b_deblocking_filter = 0
            // This halves the bits, because an increase of six doubles the step width of x264's quantizer.
            if parameters.rc.i_rc_method == X264_RC_CRF {
                parameters.rc.f_rf_constant = min(51, parameters.rc.f_rf_constant + 6)
            }
        }
    }

    /// Changes the parameters that need a reopened encoder. None of them affects the decoder configuration.
    func lighten(_ parameters: inout x264_param_t) {
        guard isWithoutLookAhead else { return }
        parameters.rc.i_lookahead = 0
        parameters.rc.b_mb_tree = 0
        parameters.i_bframe_adaptive = X264_B_ADAPT_NONE
        parameters.i_scenecut_threshold = 0
        parameters.rc.i_aq_mode = X264_AQ_NONE
    }
}

/// The parameters that distinguish the steps.
private struct Cost: Equatable {
    private let numbers: [Int32]
    private let partitions: [UInt32]
    private let quality: Float

    init(_ parameters: x264_param_t) {
        let analyse = parameters.analyse
        numbers = [
            analyse.i_trellis, analyse.b_mixed_references, analyse.i_me_method, parameters.i_frame_reference,
            analyse.i_subpel_refine, analyse.b_chroma_me, parameters.b_deblocking_filter, parameters.rc.i_lookahead,
            parameters.rc.b_mb_tree, parameters.i_bframe_adaptive, parameters.i_scenecut_threshold,
            parameters.rc.i_aq_mode,
        ]
        partitions = [analyse.inter, analyse.intra]
        quality = parameters.rc.f_rf_constant
    }
}

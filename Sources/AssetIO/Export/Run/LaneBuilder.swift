import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// Makes a lane's input, its reader output and its encoders as a plan says.
struct LaneBuilder {
    let plan: ExportPlan
    let asset: Asset
    let reader: AssetReader

    func build(_ lane: ExportPlan.Lane) throws(MediaError) -> Lane {
        switch lane {
        case .passthrough(let track):
            let output = try TrackOutput(track: track)
            try output.configure { $0.leavesUnread = true }
            return try build(
                output,
                AssetWriterInput(
                    mediaType: track.mediaType, outputSettings: nil, sourceFormatHint: track.formatDescription),
                lane, steps: nil)
        case .audio(let track, let settings, let form):
            return try sound(TrackOutput(track: track, outputSettings: .pcm(form)), settings, lane)
        case .mix(let tracks, let settings, let form):
            let mix = try AudioMixOutput(
                audioTracks: tracks, audioSettings: form, audioMix: plan.configuration.audioMix)
            return try sound(mix, settings, lane)
        case .composition(let tracks, let composition, let settings, let steps):
            let output = try VideoCompositionOutput(
                videoTracks: tracks, pixelFormat: .i420, videoComposition: composition)
            return try pictures(output, settings, steps, lane, hint: nil)
        case .video(let track, let settings, let steps):
            let output = try TrackOutput(track: track, outputSettings: .pixels(nil))
            try output.configure {
                $0.decoderThreadCount = DecoderShare.threads(
                    codec: track.codecName, preset: settings.preset, processors: Processors.available)
                $0.usefulBitDepth = H264SettingsRules.bitDepth(settings)
            }
            return try pictures(output, settings, steps, lane, hint: track.formatDescription?.video)
        }
    }

    private func sound(
        _ output: any AssetReaderOutput, _ settings: AudioSettings, _ lane: ExportPlan.Lane
    ) throws(MediaError) -> Lane {
        try build(output, AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings)), lane, steps: nil)
    }

    private func pictures(
        _ output: any AssetReaderOutput, _ settings: VideoSettings, _ steps: PictureSteps, _ lane: ExportPlan.Lane,
        hint: VideoFormat?
    ) throws(MediaError) -> Lane {
        var settings = settings
        settings.color = settings.color ?? hint?.color
        let input = try AssetWriterInput(mediaType: .video, outputSettings: .video(settings))
        return try build(output, input, lane, steps: steps)
    }

    private func build(
        _ output: any AssetReaderOutput, _ input: AssetWriterInput, _ lane: ExportPlan.Lane, steps: PictureSteps?
    ) throws(MediaError) -> Lane {
        try configure(input, lane)
        let isReadTwice = input.configuration.performsMultiPassEncodingIfSupported
        try output.configure {
            $0.alwaysCopiesSampleData = false
            $0.supportsRandomAccess = isReadTwice
        }
        try reader.add(output)
        return Lane(input, from: try OutputLane(output, of: reader, range: plan.range, steps: steps))
    }

    /// What the copy's track says about itself.
    func configure(_ input: AssetWriterInput, _ lane: ExportPlan.Lane) throws(MediaError) {
        guard let track = lane.track else { return }
        let (turns, isMultiPass) = (
            plan.configuration.quarterTurns,
            plan.configuration.performsMultiPassEncodingIfSupported || plan.configuration.fileLengthLimit > 0
        )
        try input.configure { configuration in
            if let code = track.languageCode, LanguageCode.refusal(of: code) == nil {
                configuration.languageCode = code
            }
            configuration.extendedLanguageTag = track.extendedLanguageTag
            configuration.marksOutputTrackAsEnabled = track.isEnabled
            guard track.mediaType == .video else { return }
            configuration.mediaTimeScale = Self.timeScale(lane)
            configuration.performsMultiPassEncodingIfSupported = isMultiPass && input.outputSettings != nil
            configuration.transform = Self.transform(lane, turns: turns)
        }
    }

    /// Ticks in which every picture keeps its time.
    private static func timeScale(_ lane: ExportPlan.Lane) -> Int32 {
        switch lane {
        case .composition: return 0
        case .video(let track, _, let steps):
            if let rate = steps.frameRate { return FramePacer.ratio(rate).numerator }
            return track.exactTimeScale
        default: return lane.track?.exactTimeScale ?? 0
        }
    }

    private static func transform(_ lane: ExportPlan.Lane, turns: Int) -> AffineTransform {
        switch lane {
        case .video(let track, let settings, _):
            let (width, height) = (Double(settings.width ?? 0), Double(settings.height ?? 0))
            return TrackTurning.transform(
                track.preferredTransform, from: track.naturalSize, to: CGSize(width: width, height: height),
                turns: turns)
        case .composition(_, let composition, _, _):
            return TrackTurning.transform(
                .identity, from: composition.renderSize, to: composition.renderSize, turns: turns)
        case .passthrough(let track):
            return TrackTurning.transform(
                track.preferredTransform, from: track.naturalSize, to: track.naturalSize, turns: turns)
        case .audio, .mix: return .identity
        }
    }
}

extension AssetTrack {
    /// The file's own ticks; finer ones where these are coarse, as Matroska's milliseconds, which stay what they are.
    var exactTimeScale: Int32 {
        guard naturalTimeScale > 0 else { return 0 }
        return naturalTimeScale >= 10_000
            ? naturalTimeScale : naturalTimeScale * ((9_999 + naturalTimeScale) / naturalTimeScale)
    }
}

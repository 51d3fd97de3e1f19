import Foundation
import MediaCodecs
import MediaTypes
import MovieFile
import RealTime

/// Creates a track's input, its reader output and its encoders from a plan.
struct TranscodeTrackBuilder {
    let plan: ExportPlan
    let asset: Asset
    let reader: AssetReader

    /// - Parameter audioTracks: the number of encoded audio tracks before this track.
    func build(_ planned: ExportPlan.OutputTrack, audioTracks: Int) throws(MediaError) -> TranscodeTrack {
        if case .joined(let parts) = plan.configuration.part {
            let start = plan.range.start
            if planned.videoSettings != nil { return try join(try parts.joinedFrames(start: start), planned) }
            if planned.audioSettings != nil {
                return try join(try parts.joinedAudio(audioTracks, start: start), planned)
            }
        }
        switch planned {
        case .passthrough(let track):
            let output = try TrackOutput(track: track)
            let isExact = plan.configuration.keepsSignedForm
            let input = try AssetWriterInput(
                mediaType: track.mediaType, outputSettings: nil,
                sourceFormatHint: isExact ? track.exactFormat : track.storedFormat)
            let edits = edits(of: track)
            let passage =
                edits.isEmpty
                ? nil
                : try EditedPassage(edits, of: track.mediaType, in: plan.range) { (time, end) throws(MediaError) in
                    try asset.frame(of: track.media, onScreenAt: time, before: end)
                }
            try output.configure {
                $0.leavesUnread = true
                $0.mediaRange = passage?.mediaRange
                $0.givesPreroll = true
            }
            let isCutShort = plan.range.end < track.timeRange.end
            // The last frame keeps its own duration if a signature covers that, or if edits state what is shown.
            let isHeld = !isExact && passage == nil
            try input.configure {
                $0.keepsSignedForm = isExact
                $0.edits = passage?.edits ?? []
            }
            // The last edit may end before the media of other edits does.
            let end = passage.map { $0.endsLast ? $0.mediaRange.end : .positiveInfinity } ?? plan.range.end
            return try build(
                output, input, planned, steps: nil, shift: passage?.shift ?? .zero, heldFrame: passage?.heldFrame,
                end: isCutShort && !isExact ? end : .positiveInfinity, holdLimit: isHeld ? holdLimit : nil)
        case .audio(let track, let settings, let form):
            return try audio(TrackOutput(track: track, outputSettings: .pcm(form)), settings, planned)
        case .mix(let tracks, let settings, let form):
            let mix = try AudioMixOutput(
                audioTracks: tracks, audioSettings: form, audioMix: plan.configuration.audioMix)
            return try audio(mix, settings, planned)
        case .composition(let tracks, let composition, let settings, let steps):
            let output = try VideoCompositionOutput(
                videoTracks: tracks, pixelFormat: .i420, videoComposition: composition)
            var settings = settings
            settings.color = settings.color ?? composition.renderColor(tracks)
            return try frames(output, settings, steps, planned, hint: nil)
        case .video(let track, let settings, let steps):
            let output = try TrackOutput(track: track, outputSettings: .pixels(VideoEncoderRules.layout(settings)))
            // Before and after a chunk, the encoder gets the same frames as in a complete export.
            let isAtStart = plan.range.start <= plan.sessionStart ?? plan.range.start
            try output.configure {
                $0.showsHeldFrame = isAtStart
                $0.decoderThreadCount = DecoderShare.threads(
                    codec: track.codecName, preset: settings.preset, processors: Processors.available)
                // Tone mapping needs the full bit depth.
                $0.usefulBitDepth = steps.toneMapping == nil ? VideoEncoderRules.bitDepth(settings) : nil
            }
            return try frames(output, settings, steps, planned, hint: track.formatDescription?.video)
        }
    }

    /// Returns the edits that a copy needs; empty if the range of the export already is the part that the track shows.
    private func edits(of track: AssetTrack) -> [TrackEdit] {
        guard track.edits.isEmpty, !plan.configuration.keepsSignedForm else { return track.edits }
        let beginsLate = track.hidingEdits.contains { $0.mediaStart == nil }
        return beginsLate || track.timeRange.end < plan.range.end ? track.hidingEdits : []
    }

    private func join(
        _ packets: JoinedPackets, _ planned: ExportPlan.OutputTrack
    ) throws(MediaError) -> TranscodeTrack {
        let input = try AssetWriterInput(
            mediaType: packets.format.mediaType, outputSettings: nil, sourceFormatHint: packets.format)
        try configure(input, planned)
        try input.configure { $0.presentedEnd = packets.end }
        return TranscodeTrack(input, from: packets)
    }

    private func audio(
        _ output: any AssetReaderOutput, _ settings: AudioSettings, _ planned: ExportPlan.OutputTrack
    ) throws(MediaError) -> TranscodeTrack {
        try build(output, AssetWriterInput(mediaType: .audio, outputSettings: .audio(settings)), planned, steps: nil)
    }

    private func frames(
        _ output: any AssetReaderOutput, _ settings: VideoSettings, _ steps: FrameSteps,
        _ planned: ExportPlan.OutputTrack,
        hint: VideoFormat?
    ) throws(MediaError) -> TranscodeTrack {
        var settings = settings
        settings.color = settings.color ?? hint?.color
        if steps.toneMapping == nil {
            settings.masteringDisplay = settings.masteringDisplay ?? hint?.masteringDisplay
            settings.contentLight = settings.contentLight ?? hint?.contentLight
            settings.chromaPosition = settings.chromaPosition ?? hint?.chromaPosition
        } else {
            settings.chromaPosition = .left
        }
        // The steps have already scaled the frames.
        settings.scalingMode = nil
        let input = try AssetWriterInput(mediaType: .video, outputSettings: .video(settings))
        let stored = plan.stored
        try input.configure { $0.stored = stored }
        return try build(output, input, planned, steps: steps, holdLimit: holdLimit)
    }

    /// The latest time until which the last frame of a track may stay on screen.
    private var holdLimit: MediaTime { plan.presentationEnd ?? .positiveInfinity }

    private func build(
        _ output: any AssetReaderOutput, _ input: AssetWriterInput, _ planned: ExportPlan.OutputTrack,
        steps: FrameSteps?, shift: MediaTime = .zero, heldFrame: MovedFrame? = nil,
        end: MediaTime = .positiveInfinity, holdLimit: MediaTime? = nil
    ) throws(MediaError) -> TranscodeTrack {
        try configure(input, planned)
        let isReadTwice = input.configuration.performsMultiPassEncodingIfSupported
        try output.configure {
            $0.alwaysCopiesSampleData = false
            $0.supportsRandomAccess = isReadTwice
        }
        try reader.add(output)
        return TranscodeTrack(
            input,
            from: try TranscodeSource(
                output, of: reader, range: plan.range, steps: steps, shift: shift, heldFrame: heldFrame, end: end,
                holdLimit: holdLimit))
    }

    /// Copies the track properties of the source to the output.
    func configure(_ input: AssetWriterInput, _ planned: ExportPlan.OutputTrack) throws(MediaError) {
        guard let track = planned.track else { return }
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
            // The source delivers as fast as it is read, so other tracks do not have to wait for long.
            configuration.keepsOrder = true
            if track.mediaType == .text {
                configuration.mediaTimeScale = track.exactTimeScale
                configuration.transform = track.preferredTransform
                if let size = track.textSize { configuration.naturalSize = size }
            }
            guard track.mediaType == .video else { return }
            configuration.mediaTimeScale = Self.timeScale(planned)
            configuration.performsMultiPassEncodingIfSupported = isMultiPass && input.outputSettings != nil
            configuration.transform = Self.transform(planned, turns: turns)
            if case .passthrough = planned, let size = track.unusualSize { configuration.naturalSize = size }
        }
    }

    /// Returns a time scale in which every frame keeps its time.
    private static func timeScale(_ planned: ExportPlan.OutputTrack) -> Int32 {
        switch planned {
        case .composition: return 0
        case .video(let track, _, let steps):
            if let rate = steps.frameRate { return FramePacer.ratio(rate).numerator }
            return track.exactTimeScale
        default: return planned.track?.exactTimeScale ?? 0
        }
    }

    private static func transform(_ planned: ExportPlan.OutputTrack, turns: Int) -> AffineTransform {
        switch planned {
        case .video(let track, let settings, let steps):
            let size = CGSize(width: Double(settings.width ?? 0), height: Double(settings.height ?? 0))
            // The frames themselves are rotated.
            if steps.shape != nil { return TrackTurning.transform(.identity, from: size, to: size, turns: turns) }
            return TrackTurning.transform(track.preferredTransform, from: track.codedSize, to: size, turns: turns)
        case .composition(_, let composition, _, _):
            return TrackTurning.transform(
                .identity, from: composition.renderSize, to: composition.renderSize, turns: turns)
        case .passthrough(let track):
            return TrackTurning.transform(
                track.preferredTransform, from: track.codedSize, to: track.codedSize, turns: turns)
        case .audio, .mix: return .identity
        }
    }
}

extension AssetTrack {
    /// The display size in the track header; nil if it follows from the format.
    fileprivate var unusualSize: CGSize? {
        let format = presentationDimensions
        let isUsual =
            abs(naturalSize.width - format.width) <= 1 && abs(naturalSize.height - format.height) <= 1
            || naturalSize == codedSize
        return isUsual || naturalSize.width > 32_767 || naturalSize.height > 32_767 ? nil : naturalSize
    }

    /// The box that text is shown in, if the header has one.
    fileprivate var textSize: CGSize? {
        let isUsable = naturalSize.width <= 32_767 && naturalSize.height <= 32_767
        return naturalSize == .zero || !isUsable ? nil : naturalSize
    }

    /// The file's own time scale, or a multiple of it if it is coarse, such as Matroska's milliseconds. The file's
    /// times stay exact.
    var exactTimeScale: Int32 {
        guard naturalTimeScale > 0 else { return 0 }
        return naturalTimeScale >= 10_000
            ? naturalTimeScale : naturalTimeScale * ((9_999 + naturalTimeScale) / naturalTimeScale)
    }
}

/// Decides how many threads decode while x264's threads encode. A pure rule.
///
/// Decoding is a small part of the work. One decoding thread for each processor would only keep more frames in memory,
/// and switching between the threads would take 5 % more CPU time (docs/design/decisions/reencode.md).
enum DecoderShare {
    /// Presets whose encoding is about as fast as decoding.
    private static let quickPresets: Set<String> = ["ultrafast", "superfast"]
    /// Codecs that take about twice as long to decode as H.264 does.
    private static let heavyCodecs: Set<String> = ["hevc", "vp9", "av1", "prores"]

    static func threads(codec: String, preset: String, processors: Int) -> Int {
        var share = 0.25
        if heavyCodecs.contains(codec) { share *= 2 }
        if quickPresets.contains(preset) { share *= 2 }
        return max(1, Int(clamping: (Double(processors) * share).rounded()))
    }
}

/// Computes the matrix of a track whose frames were scaled or rotated further. A pure rule.
enum TrackTurning {
    /// - Parameters:
    ///   - transform: the source's matrix, for frames of `source` pixels.
    ///   - size: the coded size of the result.
    ///   - turns: quarter turns clockwise, after the source's own rotation.
    static func transform(
        _ transform: AffineTransform, from source: CGSize, to size: CGSize, turns: Int
    ) -> AffineTransform {
        var result = transform
        if source.width > 0, source.height > 0 {
            result.tX *= size.width / source.width
            result.tY *= size.height / source.height
            // After a quarter turn, width and height are exchanged.
            if transform.m11 == 0, transform.m22 == 0 {
                result.tX = transform.tX * size.height / source.height
                result.tY = transform.tY * size.width / source.width
            }
        }
        for _ in 0..<(((turns % 4) + 4) % 4) { result = turned(result, size) }
        return result
    }

    /// Adds a quarter turn clockwise to the matrix, and moves the frame back into the corner.
    private static func turned(_ matrix: AffineTransform, _ size: CGSize) -> AffineTransform {
        // (x, y) becomes (−y, x), because y points down.
        let turned = AffineTransform(
            m11: -matrix.m12, m12: matrix.m11, m21: -matrix.m22, m22: matrix.m21, tX: -matrix.tY, tY: matrix.tX)
        let corners = [(0, 0), (size.width, 0), (0, size.height), (size.width, size.height)].map {
            turned.transform(CGPoint(x: $0.0, y: $0.1))
        }
        var placed = turned
        placed.tX -= corners.map(\.x).min() ?? 0
        placed.tY -= corners.map(\.y).min() ?? 0
        return placed
    }
}

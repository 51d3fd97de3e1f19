import Foundation
import MediaCodecs
import MediaTypes
import MovieFile

/// Decides how each track is stored. A pure rule.
struct OutputPlanner {
    let preset: ExportPreset
    let configuration: ExportSession.Configuration
    let fileType: FileType

    /// Returns the output tracks.
    ///
    /// - Throws: `unsupported` for a format that the container cannot store, `invalidSettings`.
    func outputs(_ choice: TrackChoice) throws(MediaError) -> [ExportPlan.OutputTrack] {
        var outputs: [ExportPlan.OutputTrack] = []
        if let composition = configuration.videoComposition, !choice.video.isEmpty {
            if configuration.frameStage.isActive { throw Self.refusal("they are composed from several tracks") }
            outputs.append(try composed(choice.video, composition))
        } else {
            for track in choice.video { outputs.append(try video(track)) }
        }
        if configuration.audioMix != nil, !choice.audio.isEmpty {
            outputs.append(mixed(choice.audio))
        } else {
            for track in choice.audio { outputs.append(try audio(track)) }
        }
        for track in choice.text { outputs.append(.passthrough(track)) }
        return outputs
    }

    private func passthrough(_ track: AssetTrack) throws(MediaError) -> ExportPlan.OutputTrack {
        if let format = track.formatDescription, let refusal = ContainerRules.refusal(of: format, in: fileType) {
            throw refusal
        }
        return .passthrough(track)
    }

    // MARK: Video

    private func video(_ track: AssetTrack) throws(MediaError) -> ExportPlan.OutputTrack {
        guard !configuration.passesThrough(.video, preset), let stored = track.formatDescription?.video else {
            if configuration.frameStage.isActive { throw Self.refusal("they pass through, and are not decoded") }
            return try passthrough(track)
        }
        var shape: FrameShape?
        if configuration.frameStage.isActive {
            shape = try FrameShape(configuration.frameStage, of: stored, shownBy: track.preferredTransform)
        }
        let format = shape?.format(of: stored) ?? stored
        var settings = settings(format, frameRate: track.nominalFrameRate)
        if isMapped(format) { settings.color = ToneMapper.color }
        if settings.color == nil, format.color.matrix == 0 {
            // RGB is converted to luma and chroma, with the converter's matrix for frames without color tags.
            settings.color = format.color
            settings.color?.matrix = ColorDescription().matrix
        }
        if keepsFields(format, settings), shape?.keepsLines ?? true { settings.fieldOrder = format.fieldOrder }
        shape?.hasFields = settings.fieldOrder?.showsUpperFirst != nil
        var steps = steps(settings, format)
        steps.shape = shape
        return .video(track, settings, steps)
    }

    private static func refusal(_ reason: String) -> MediaError {
        MediaError(
            .invalidSettings, "cannot mask, crop or flip frames", reason: reason,
            wayOut: "choose a codec that encodes them, such as h264")
    }

    /// Returns true if interlaced frames stay interlaced, because their lines are neither scaled nor moved.
    private func keepsFields(_ format: VideoFormat, _ settings: VideoSettings) -> Bool {
        !configuration.deinterlacesVideo && settings.width == format.width && settings.height == format.height
    }

    private func composed(
        _ tracks: [AssetTrack], _ composition: VideoComposition
    ) throws(MediaError) -> ExportPlan.OutputTrack {
        if let fault = composition.fault(tracks: tracks) { throw fault }
        let format = VideoFormat(
            // in range: a composition without a fault has a limited size
            codec: .raw, width: Int(composition.renderSize.width), height: Int(composition.renderSize.height),
            color: tracks.first?.formatDescription?.video?.color ?? ColorDescription())
        let duration = composition.frameDuration.seconds
        let settings = settings(format, frameRate: duration > 0 ? 1 / duration : 30)
        return .composition(tracks, composition, settings, steps(settings, format))
    }

    private func settings(_ format: VideoFormat, frameRate: Double) -> VideoSettings {
        let recipe = preset.recipe
        var settings = configuration.videoSettings ?? recipe?.videoSettings(for: format) ?? VideoSettings()
        let box =
            configuration.maximumVideoSize.map { (Int(clamping: Double($0.width)), Int(clamping: Double($0.height))) }
            ?? (configuration.videoSettings == nil ? recipe?.size : nil)
        let size = BoxFit.size(of: format, in: box, turnsBox: configuration.maximumVideoSize == nil)
        let isSized = settings.width != nil || settings.height != nil
        settings.width = settings.width ?? size.width
        settings.height = settings.height ?? size.height
        if isSized, settings.scalingMode == .fit {
            let fitted = FrameGeometry(format).size(fitting: frame(settings, format))
            (settings.width, settings.height) = (fitted.width, fitted.height)
        }
        if settings.pixelAspectRatio == .one, !isSized { settings.pixelAspectRatio = format.pixelAspectRatio.coded }
        if settings.cleanAperture == nil, !isSized {
            settings.cleanAperture = format.cleanAperture?.scaled(from: format, to: size)
        }
        let rate = configuration.frameRate ?? (frameRate > 0 ? frameRate : 30)
        if isMapped(format), configuration.videoSettings == nil {
            settings.bitDepth = nil
        } else if settings.bitDepth == nil, !isMapped(format), settings.profile == nil,
            keepsDepth(of: format, as: settings.codec)
        {
            settings.bitDepth = 10
        }
        settings.expectedFrameRate = settings.expectedFrameRate ?? min(1000, max(0.01, rate))
        return settings
    }

    private func isMapped(_ format: VideoFormat) -> Bool {
        configuration.mapsToStandardRange && configuration.videoComposition == nil && format.color.isHighDynamicRange
    }

    private func keepsDepth(of format: VideoFormat, as codec: VideoCodec) -> Bool {
        guard configuration.keepsDeepFrames, let depth = format.bitDepth, depth > 8 else { return false }
        switch codec {
        case .hevc, .av1: return true
        case .h264: return format.color.isHighDynamicRange
        default: return false
        }
    }

    private func steps(_ settings: VideoSettings, _ format: VideoFormat) -> FrameSteps {
        var steps = FrameSteps(
            deinterlaces: configuration.deinterlacesVideo, fieldOrder: format.fieldOrder,
            frameRate: configuration.frameRate, frame: frame(settings, format))
        if isMapped(format) {
            let planar: PixelFormat = VideoEncoderRules.bitDepth(settings) == 10 ? .i010 : .i420
            steps.toneMapping = ToneMapper.Conversion(format, to: VideoEncoderRules.layout(settings) ?? planar)
        }
        // Without a size in the settings, the output keeps the source's pixel aspect ratio.
        if configuration.videoSettings?.width != nil || configuration.videoSettings?.height != nil {
            steps.scalingMode = settings.scalingMode ?? .resizeAspect
            steps.source = FrameGeometry(format)
        } else {
            steps.frame.pixelAspectRatio = .one
        }
        return steps
    }

    private func frame(_ settings: VideoSettings, _ format: VideoFormat) -> FrameGeometry {
        FrameGeometry(
            width: settings.width ?? format.width, height: settings.height ?? format.height,
            pixelAspectRatio: settings.pixelAspectRatio)
    }

    // MARK: Audio

    private func audio(_ track: AssetTrack) throws(MediaError) -> ExportPlan.OutputTrack {
        guard !configuration.passesThrough(.audio, preset), let format = track.formatDescription?.audio else {
            return try passthrough(track)
        }
        let settings = settings(format)
        return .audio(track, settings, pcm(settings, format))
    }

    private func mixed(_ tracks: [AssetTrack]) -> ExportPlan.OutputTrack {
        let formats = tracks.compactMap { $0.formatDescription?.audio }
        var richest =
            formats.max { $0.channelCount < $1.channelCount }
            ?? AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        richest.sampleRate = formats.map(\.sampleRate).max() ?? richest.sampleRate
        let deepest = formats.map(AudioFit.sampleFormat).max { $0.byteCount < $1.byteCount }
        if let deepest, deepest.byteCount > AudioFit.sampleFormat(of: richest).byteCount {
            (richest.codec, richest.pcm) = (.linearPCM, deepest)
        }
        let settings = settings(richest)
        return .mix(tracks, settings, pcm(settings, richest))
    }

    private func settings(_ format: AudioFormat) -> AudioSettings {
        let wanted = configuration.audioSettings ?? preset.recipe?.audioSettings ?? AudioSettings(bitRate: 64_000)
        return AudioFit.settings(wanted, source: format, bitRateIsPerChannel: configuration.audioSettings == nil)
    }

    private func pcm(_ settings: AudioSettings, _ format: AudioFormat) -> TrackOutput.PCM {
        TrackOutput.PCM(
            AudioFit.sampleFormat(for: settings, source: format), sampleRate: settings.sampleRate,
            channelCount: settings.channelCount, layout: settings.layout)
    }
}

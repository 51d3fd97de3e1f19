public import MediaTypes

/// Chooses settings for a writer from a preset and what the source is like. The model is AVFoundation's
/// `AVOutputSettingsAssistant`. A value; the results feed an `AssetWriterInput` unchanged.
public struct SettingsAssistant: Sendable, Hashable {
    public let preset: ExportPreset
    /// nil: a picture as large as the preset's box, 30 frames a second.
    public var sourceVideoFormat: VideoFormat?
    /// nil: 48 kHz, stereo.
    public var sourceAudioFormat: AudioFormat?
    /// The mean; shapes key frames and rate control.
    public var sourceVideoAverageFrameDuration: MediaTime?
    /// The shortest; asked where the mean is not known.
    public var sourceVideoMinFrameDuration: MediaTime?

    /// - Throws: `invalidSettings` for `passthrough`, which has no settings, and for a name that is no preset.
    public init(preset: ExportPreset) throws(MediaError) {
        guard preset.recipe != nil else {
            throw MediaError(
                .invalidSettings, "cannot suggest settings for preset “\(preset.rawValue)”",
                reason: preset == .passthrough ? "it stores samples as they are" : "there is no such preset",
                wayOut: "the presets are " + ExportPreset.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.preset = preset
    }

    public static func availablePresets() -> [ExportPreset] { ExportPreset.allCases.filter { $0.recipe != nil } }

    /// `.m4a` for sound alone, else `.mov`.
    public var outputFileType: FileType { preset == .audioOnly ? .m4a : .mov }

    /// nil for a preset of sound alone.
    public var videoSettings: VideoSettings? {
        guard let recipe = preset.recipe, preset != .audioOnly else { return nil }
        let box = recipe.size ?? (1920, 1080)
        let source = sourceVideoFormat ?? VideoFormat(codec: .raw, width: box.width, height: box.height)
        let size = PictureFit.size(of: source, in: recipe.size, turnsBox: true)
        var settings = recipe.videoSettings(for: source)
        (settings.width, settings.height) = (size.width, size.height)
        settings.expectedFrameRate = frameRate
        settings.pixelAspectRatio = source.pixelAspectRatio.coded
        settings.cleanAperture = source.cleanAperture.flatMap { $0.scaled(from: source, to: size) }
        settings.color = Self.color(of: source)
        return settings
    }

    public var audioSettings: AudioSettings {
        let wanted = preset.recipe?.audioSettings ?? AudioSettings(bitRate: 64_000)
        let source = sourceAudioFormat ?? AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2)
        return AudioFit.settings(wanted, source: source, bitRateIsPerChannel: true)
    }

    /// As the source says; nil where it says nothing, or is of RGB, which is none of a movie's.
    private static func color(of source: VideoFormat) -> ColorDescription? {
        guard source.color.isSpecified, source.color.matrix != 0 else { return nil }
        return source.color
    }

    private var frameRate: Double? {
        Self.rate(of: sourceVideoAverageFrameDuration) ?? Self.rate(of: sourceVideoMinFrameDuration)
    }

    private static func rate(of duration: MediaTime?) -> Double? {
        guard let duration, duration.isNumeric, duration > .zero else { return nil }
        return min(1000, max(0.01, 1 / duration.seconds))
    }
}

extension CleanAperture {
    /// The same part of the picture at another coded size; nil where nothing is left of it.
    func scaled(from source: VideoFormat, to size: (width: Int, height: Int)) -> CleanAperture? {
        guard size != (source.width, source.height) else { return self }
        func scale(_ number: Int32, _ from: Int, _ to: Int) -> Int32 {
            Int32(clamping: Int64(number) * Int64(to) / Int64(max(1, from)))
        }
        let scaled = CleanAperture(
            width: scale(width, source.width, size.width), height: scale(height, source.height, size.height),
            horizontalOffset: scale(horizontalOffset, source.width, size.width),
            verticalOffset: scale(verticalOffset, source.height, size.height))
        return scaled.width > 0 && scaled.height > 0 ? scaled : nil
    }
}

/// The coded size that a picture gets so that it fits into a box. A pure rule.
enum PictureFit {
    /// - Parameters:
    ///   - format: the source's.
    ///   - box: in square pixels; nil: the source's size.
    ///   - turnsBox: an upright picture gets the box turned upright.
    /// - Returns: even numbers, as 4:2:0 wants them, never larger than the source, 2 at least.
    static func size(
        of format: VideoFormat, in box: (width: Int, height: Int)?, turnsBox: Bool
    ) -> (width: Int, height: Int) {
        let (width, height) = (Double(format.width), Double(format.height))
        let aspect = format.pixelAspectRatio
        let shown = width * Double(aspect.numerator) / Double(max(1, aspect.denominator))
        var scale = 1.0
        if let box, shown > 0, height > 0 {
            var (most, highest) = (Double(box.width), Double(box.height))
            if turnsBox, (shown < height) != (most < highest) { swap(&most, &highest) }
            scale = min(1, most / shown, highest / height)
        }
        func even(_ number: Double, limit: Int) -> Int {
            // Down from an odd size; to the nearest from a fraction.
            let nearest = scale == 1 ? Int(number) / 2 * 2 : Int(clamping: (number / 2).rounded()) * 2
            return max(2, min(nearest, limit / 2 * 2))
        }
        return (even(width * scale, limit: format.width), even(height * scale, limit: format.height))
    }
}

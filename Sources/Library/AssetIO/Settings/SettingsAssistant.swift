public import MediaTypes

/// Chooses settings for a writer from a preset and the properties of the source. Modeled on AVFoundation's
/// `AVOutputSettingsAssistant`. A value; the results can be passed to an `AssetWriterInput` unchanged.
public struct SettingsAssistant: Sendable, Hashable {
    public let preset: ExportPreset
    /// The format of the source video. If nil, frames as large as the preset's box are assumed, at 30 frames per
    /// second.
    public var sourceVideoFormat: VideoFormat?
    /// The format of the source audio. If nil, 48 kHz stereo is assumed.
    public var sourceAudioFormat: AudioFormat?
    /// The mean frame duration, which affects keyframes and rate control.
    public var sourceVideoAverageFrameDuration: MediaTime?
    /// The shortest frame duration, used if the mean is unknown.
    public var sourceVideoMinFrameDuration: MediaTime?

    /// Creates an assistant.
    ///
    /// - Throws: `invalidSettings` for `passthrough`, which has no settings, and for an unknown preset.
    public init(preset: ExportPreset) throws(MediaError) {
        guard preset.recipe != nil else {
            throw MediaError(
                .invalidSettings, "cannot suggest settings for preset “\(preset.rawValue)”",
                reason: preset == .passthrough ? "it stores samples as they are" : "unknown preset",
                wayOut: "use one of " + ExportPreset.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.preset = preset
    }

    public static func availablePresets() -> [ExportPreset] { ExportPreset.allCases.filter { $0.recipe != nil } }

    /// The file type: `.m4a` for audio only, else `.mov`.
    public var outputFileType: FileType { preset == .audioOnly ? .m4a : .mov }

    /// The video settings; nil for an audio preset.
    public var videoSettings: VideoSettings? {
        guard let recipe = preset.recipe, preset != .audioOnly else { return nil }
        let box = recipe.size ?? (1920, 1080)
        let source = sourceVideoFormat ?? VideoFormat(codec: .raw, width: box.width, height: box.height)
        let size = BoxFit.size(of: source, in: recipe.size, turnsBox: true)
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

    /// Returns the source's color tags; nil if there are none, or if they are for RGB, which movies do not store.
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
    /// Returns the same part of the frame for a different coded size; nil if nothing is left of it.
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

/// Computes the coded size at which a frame fits into a box. A pure rule.
enum BoxFit {
    /// - Parameters:
    ///   - format: the source's format.
    ///   - box: the box in square pixels; nil for the source's size.
    ///   - turnsBox: true if the box is rotated for a portrait frame.
    /// - Returns: even numbers, as 4:2:0 requires, at least 2 and never larger than the source.
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
            // An odd size is rounded down to an even one, a fraction to the nearest even number.
            let half = Int(clamping: scale == 1 ? (number / 2).rounded(.down) : (number / 2).rounded())
            return max(2, min(half, limit / 2) * 2)
        }
        return (even(width * scale, limit: format.width), even(height * scale, limit: format.height))
    }
}

import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Chooses settings for a writer's inputs from a preset and what the source is like. Never scales up.
open class AVOutputSettingsAssistant: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind the lock.
    private struct State: @unchecked Sendable {
        // Unchecked: formats do not change.
        var assistant: SettingsAssistant
        var videoFormat: CMVideoFormatDescription?
        var audioFormat: CMAudioFormatDescription?
        var averageFrameDuration = CMTime(value: 1, timescale: 30)
        var minFrameDuration = CMTime(value: 1, timescale: 30)
    }

    private let state: Locked<State>

    private static let presets: [(AVOutputSettingsPreset, ExportPreset)] = [
        (.preset640x480, .size640x480), (.preset960x540, .size960x540), (.preset1280x720, .size1280x720),
        (.preset1920x1080, .size1920x1080), (.preset3840x2160, .size3840x2160),
        (.hevc1920x1080, .hevc1920x1080), (.hevc3840x2160, .hevc3840x2160), (.hevc4320x2160, .hevc4320x2160),
        (.hevc7680x4320, .hevc7680x4320),
    ]

    /// Those of H.264 and HEVC.
    open class func availableOutputSettingsPresets() -> [AVOutputSettingsPreset] { presets.map(\.0) }

    /// - Returns: nil for a preset that is not among the available ones.
    public init?(preset presetIdentifier: AVOutputSettingsPreset) {
        guard let preset = Self.presets.first(where: { $0.0 == presetIdentifier })?.1,
            let assistant = try? SettingsAssistant(preset: preset)
        else { return nil }
        state = Locked(State(assistant: assistant))
    }

    /// For an `AVAssetWriterInput`.
    open var videoSettings: [String: Any]? { assistant.videoSettings?.dictionary }
    /// For an `AVAssetWriterInput`.
    open var audioSettings: [String: Any]? { assistant.audioSettings.dictionary }
    open var outputFileType: AVFileType { AVFileType(assistant.outputFileType) ?? .mov }

    /// nil: a picture as large as the preset.
    open var sourceVideoFormat: CMVideoFormatDescription? {
        get { state.withLock { $0.videoFormat } }
        set { state.withLock { $0.videoFormat = newValue } }
    }
    /// nil: 48 kHz, stereo.
    open var sourceAudioFormat: CMAudioFormatDescription? {
        get { state.withLock { $0.audioFormat } }
        set { state.withLock { $0.audioFormat = newValue } }
    }
    /// A thirtieth of a second, until it is set.
    open var sourceVideoAverageFrameDuration: CMTime {
        get { state.withLock { $0.averageFrameDuration } }
        set { state.withLock { $0.averageFrameDuration = newValue } }
    }
    /// A thirtieth of a second, until it is set; asked where the mean is none.
    open var sourceVideoMinFrameDuration: CMTime {
        get { state.withLock { $0.minFrameDuration } }
        set { state.withLock { $0.minFrameDuration = newValue } }
    }

    private var assistant: SettingsAssistant {
        state.withLock { state in
            var assistant = state.assistant
            assistant.sourceVideoFormat = state.videoFormat?.engine.video
            assistant.sourceAudioFormat = state.audioFormat?.engine.audio
            assistant.sourceVideoAverageFrameDuration = state.averageFrameDuration.media
            assistant.sourceVideoMinFrameDuration = state.minFrameDuration.media
            return assistant
        }
    }
}

import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Chooses the settings of a writer's inputs for a preset and the source's format. Never scales up.
open class AVOutputSettingsAssistant: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    private struct State: @unchecked Sendable {
        // Unchecked: formats are immutable.
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

    /// Returns the presets for H.264 and HEVC.
    open class func availableOutputSettingsPresets() -> [AVOutputSettingsPreset] { presets.map(\.0) }

    /// - Returns: nil for a preset that is not available.
    public init?(preset presetIdentifier: AVOutputSettingsPreset) {
        guard let preset = Self.presets.first(where: { $0.0 == presetIdentifier })?.1,
            let assistant = try? SettingsAssistant(preset: preset)
        else { return nil }
        state = Locked(State(assistant: assistant))
    }

    /// Settings for an `AVAssetWriterInput`.
    open var videoSettings: [String: Any]? { assistant.videoSettings?.dictionary }
    /// Settings for an `AVAssetWriterInput`.
    open var audioSettings: [String: Any]? { assistant.audioSettings.dictionary }
    open var outputFileType: AVFileType { AVFileType(assistant.outputFileType) ?? .mov }

    /// The source's video format. If it is nil, frames of the preset's size are assumed.
    open var sourceVideoFormat: CMVideoFormatDescription? {
        get { state.withLock { $0.videoFormat } }
        set { state.withLock { $0.videoFormat = newValue } }
    }
    /// The source's audio format. If it is nil, stereo at 48 kHz is assumed.
    open var sourceAudioFormat: CMAudioFormatDescription? {
        get { state.withLock { $0.audioFormat } }
        set { state.withLock { $0.audioFormat = newValue } }
    }
    /// The average frame duration; a thirtieth of a second by default.
    open var sourceVideoAverageFrameDuration: CMTime {
        get { state.withLock { $0.averageFrameDuration } }
        set { state.withLock { $0.averageFrameDuration = newValue } }
    }
    /// The minimum frame duration, which is used if the average is invalid. A thirtieth of a second by default.
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

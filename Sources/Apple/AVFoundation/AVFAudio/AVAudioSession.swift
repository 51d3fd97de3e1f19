public import Foundation
import RealTime

/// The audio session of an app. It stores the values that are set, but they have no effect, because Linux has no audio
/// sessions.
///
/// With this class, code that begins by configuring an audio session needs no changes. Safe to call from any thread.
open class AVAudioSession: NSObject, @unchecked Sendable {
    // Unchecked: the lock protects all state.
    private struct State {
        var category = Category.soloAmbient
        var mode = Mode.default
        var options: CategoryOptions = []
        var policy = RouteSharingPolicy.default
        var sampleRate = 48_000.0
        var bufferDuration: TimeInterval = 0.01
    }
    private let state = Locked(State())

    private static let shared = AVAudioSession()

    open class func sharedInstance() -> AVAudioSession { shared }

    public struct Category: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let ambient = Category("AVAudioSessionCategoryAmbient")
        public static let soloAmbient = Category("AVAudioSessionCategorySoloAmbient")
        public static let playback = Category("AVAudioSessionCategoryPlayback")
        public static let record = Category("AVAudioSessionCategoryRecord")
        public static let playAndRecord = Category("AVAudioSessionCategoryPlayAndRecord")
        public static let multiRoute = Category("AVAudioSessionCategoryMultiRoute")
    }

    public struct Mode: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let `default` = Mode("AVAudioSessionModeDefault")
        public static let voiceChat = Mode("AVAudioSessionModeVoiceChat")
        public static let videoChat = Mode("AVAudioSessionModeVideoChat")
        public static let gameChat = Mode("AVAudioSessionModeGameChat")
        public static let videoRecording = Mode("AVAudioSessionModeVideoRecording")
        public static let measurement = Mode("AVAudioSessionModeMeasurement")
        public static let moviePlayback = Mode("AVAudioSessionModeMoviePlayback")
        public static let spokenAudio = Mode("AVAudioSessionModeSpokenAudio")
        public static let voicePrompt = Mode("AVAudioSessionModeVoicePrompt")
    }

    public struct CategoryOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    }

    public struct SetActiveOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    public enum RouteSharingPolicy: UInt, Sendable {
        case `default` = 0
        case longFormAudio = 1
        case independent = 2
        case longFormVideo = 3
    }

    open var category: Category { state.withLock { $0.category } }
    open var mode: Mode { state.withLock { $0.mode } }
    open var categoryOptions: CategoryOptions { state.withLock { $0.options } }
    open var routeSharingPolicy: RouteSharingPolicy { state.withLock { $0.policy } }

    /// Stores the category. Never throws.
    open func setCategory(_ category: Category) throws {
        try setCategory(category, mode: mode, options: [])
    }
    open func setCategory(_ category: Category, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, options: options)
    }
    open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }
    open func setCategory(
        _ category: Category, mode: Mode, policy: RouteSharingPolicy, options: CategoryOptions = []
    ) throws {
        state.withLock { state in
            (state.category, state.mode, state.policy, state.options) = (category, mode, policy, options)
        }
    }
    open func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

    /// Does nothing.
    open func setActive(_ active: Bool, options: SetActiveOptions = []) throws {}

    /// The current sample rate: always the preferred one.
    open var sampleRate: Double { state.withLock { $0.sampleRate } }
    open var preferredSampleRate: Double { sampleRate }
    open func setPreferredSampleRate(_ sampleRate: Double) throws { state.withLock { $0.sampleRate = sampleRate } }

    open var ioBufferDuration: TimeInterval { state.withLock { $0.bufferDuration } }
    open var preferredIOBufferDuration: TimeInterval { ioBufferDuration }
    open func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        state.withLock { $0.bufferDuration = duration }
    }

    open var isInputAvailable: Bool { false }
    open var isOtherAudioPlaying: Bool { false }
}

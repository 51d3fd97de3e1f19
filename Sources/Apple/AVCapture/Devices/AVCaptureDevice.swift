public import AVFoundation
public import Foundation
import MediaTypes
import RealTime

/// A camera or a microphone. Each device has exactly one object, whichever search finds it. Safe to use from any
/// thread.
///
/// The session that uses a device opens it, and closes it when the session ends.
open class AVCaptureDevice: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    struct State {
        var isConnected = true
        var lockCount = 0
        /// The index of the active format in the device's formats.
        var active: Int
        /// True if a program selected the active format, so that presets have no effect.
        var isChosen = false
        var minDuration = CMTime.invalid
        var maxDuration = CMTime.invalid
        /// The controls that a session sets when it opens the camera.
        var controls: [DeviceControl] = []
        /// True if a program locked the exposure without setting an exposure time.
        var isExposureLocked = false
        /// The error of an invalid call. The next session that opens the device reports it.
        var fault: MediaError?
        /// The functions to call when the mode has changed. The key is the identity of the object that registered the
        /// function.
        var observers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var modeWhenLocked: DeviceMode?
    }

    let found: FoundDevice
    /// The format of a device whose formats are not known.
    private let unknownFormat: Format
    let state: Locked<State>
    let rules: ControlRules
    /// The queue on which controls are changed, one change at a time. Drivers may take a while.
    let controlWork = DispatchQueue(label: "recorder.camera-controls")

    public let formats: [Format]

    package init(_ found: FoundDevice) {
        self.found = found
        let rules = ControlRules(found.controls)
        self.rules = rules
        formats = found.formats.map { Format($0, rules) }
        switch found.kind {
        case .camera:
            unknownFormat = Format(DeviceFormat(.video(VideoFormat(codec: .raw, width: 0, height: 0))), rules)
        case .microphone:
            unknownFormat = Format(
                DeviceFormat(.audio(AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2))), rules)
        }
        state = Locked(State(active: PresetChoice(.high)?.place(in: found.formats) ?? 0))
        super.init()
    }

    // MARK: What it is

    /// A name that stays the same after a restart: a camera's socket, or a microphone's ALSA name.
    open var uniqueID: String { found.uniqueID }
    open var modelID: String { found.modelID }
    open var localizedName: String { found.name }
    /// Always empty: V4L2 and ALSA do not report the manufacturer.
    open var manufacturer: String { "" }
    /// False while the device is unplugged. A session or a search updates the value.
    open var isConnected: Bool { state.withLock { $0.isConnected } }
    /// Always false: on Linux, no device reports that its lid is closed.
    open var isSuspended: Bool { false }
    /// True if another program was using the device when a search found it.
    open var isInUseByAnotherApplication: Bool { found.problem?.code == .busy }
    open var position: Position { .unspecified }
    open var deviceType: DeviceType { found.kind == .camera ? .external : .microphone }

    open func hasMediaType(_ mediaType: AVMediaType) -> Bool { mediaType == self.mediaType }

    var mediaType: AVMediaType { found.kind == .camera ? .video : .audio }

    open override var description: String { "\(localizedName) (\(uniqueID))" }

    /// Returns true if the device has a format for the preset. Always true for a microphone.
    open func supportsSessionPreset(_ preset: AVCaptureSessionPreset) -> Bool {
        guard let choice = PresetChoice(preset) else { return false }
        // If a camera did not answer the search, its formats become known only when a session opens it.
        guard found.kind == .camera, !formats.isEmpty else { return true }
        return choice.changesNothing || choice.place(in: found.formats) != nil
    }

    /// The use of a camera's flash.
    public enum FlashMode: Int, Sendable {
        case off = 0
        case on = 1
        case auto = 2
    }

    /// The side of the device on which a camera is.
    public enum Position: Int, Sendable {
        case unspecified = 0
        case back = 1
        case front = 2
    }

    // MARK: The mode

    open var activeFormat: Format {
        get { format(state.withLock { $0.active }) }
        set { select(newValue) }
    }

    func format(_ place: Int) -> Format { formats.indices.contains(place) ? formats[place] : unknownFormat }

    /// The mode in which a session opens the device.
    var mode: DeviceMode { state.withLock { deviceMode($0) } }

    func deviceMode(_ state: State) -> DeviceMode {
        var mode = DeviceMode()
        guard formats.indices.contains(state.active) else { return mode }
        let format = found.formats[state.active]
        mode.size = format.size
        mode.pixelFormat = format.pixelFormat
        mode.frameRate = rate(state, format)
        // A microphone chooses its own format, unless a program selected one.
        if state.isChosen { mode.audio = format.description.audio }
        return mode
    }

    private func rate(_ state: State, _ format: DeviceFormat) -> FrameRate? {
        for duration in [state.minDuration, state.maxDuration] {
            if let rate = FrameRate(interval: duration) { return rate }
        }
        return format.preferredRate
    }

    /// Sets the format that a preset chooses, unless a program has selected a format.
    func adopt(_ preset: AVCaptureSessionPreset) {
        guard found.kind == .camera, let place = PresetChoice(preset)?.place(in: found.formats) else { return }
        state.withLock { state in
            guard !state.isChosen, place != state.active else { return }
            state.active = place
            (state.minDuration, state.maxDuration) = (.invalid, .invalid)
        }
    }

    /// Lets presets choose the format again.
    func releaseFormat() { state.withLock { $0.isChosen = false } }
}

extension FrameRate {
    /// Creates the rate of frames that are one interval apart; nil if the interval is not positive.
    init?(interval: CMTime) {
        guard interval.isNumeric, interval.value > 0, let seconds = Int32(exactly: interval.value) else { return nil }
        self.init(interval.timescale, per: seconds)
    }
}

package import CommandInterface
package import MediaTypes

/// The settings of one recording.
package struct RecordingConfiguration: Sendable, Hashable {
    /// The choice of a camera or microphone.
    package enum Device: Sendable, Hashable {
        /// The first available device.
        case first
        case none
        /// The built-in test source, which delivers samples in real time.
        case test
        /// A device file, an ALSA name, or a stable name from `recorder devices`.
        case named(String)
        /// A network camera. Never a microphone.
        case network(NetworkCameraAddress)
        /// A camera behind libcamera, by its identifier or its model. Never a microphone.
        case libcamera(String)
        /// The audio of the network camera. If `isRequired` is true, the camera must have audio. Never a camera.
        case ofCamera(isRequired: Bool)

        /// Parses `test`, `none`, a device, the name of a camera behind libcamera, or the URL of a network camera.
        package init(parsing text: String) throws(OptionError) {
            switch text {
            case "test": self = .test
            case "none": self = .none
            case "": throw OptionError("the device name is empty: `recorder devices` lists the devices")
            default:
                if let name = try LibcameraName.parse(text) {
                    self = .libcamera(name)
                    return
                }
                guard NetworkCameraAddress.isURL(text) else {
                    self = .named(text)
                    return
                }
                self = .network(try NetworkCameraAddress(parsing: text))
            }
        }

        /// Parses `camera`, `test`, `none`, or a microphone.
        package init(parsingMicrophone text: String) throws(OptionError) {
            guard text != "camera" else {
                self = .ofCamera(isRequired: true)
                return
            }
            try self.init(parsing: text)
            if case .network = self {
                throw OptionError("a URL is for --camera: write --microphone camera to record the camera's audio")
            }
            if case .libcamera = self {
                throw OptionError("a camera of libcamera is for --camera: `recorder devices` lists the microphones")
            }
        }
    }

    package var name = RecordingName.standard
    package var camera = Device.first
    package var microphone = Device.first
    /// The file with the user and the password of a network camera: a path, or the name of a systemd credential.
    package var cameraCredentials: String?
    /// The PEM file with the certificate to trust in a TLS connection to a network camera: a path, or the name of a
    /// systemd credential. If nil, the connection trusts the certificates that the system trusts.
    package var cameraCertificate: String?
    /// The transport of a network camera's packets.
    package var cameraTransport = CameraTransport.tcp
    /// The input of a camera with several inputs, by number or name; nil to keep the current input.
    package var cameraInput: String?
    /// The frame size; nil for the size of the camera's default mode.
    package var size: FrameSize?
    package var frameRate: FrameRate?
    /// The time from one recorded frame to the next in a time-lapse, or nil to record every frame of the camera.
    package var every: MediaTime?
    /// The rate at which a time-lapse plays.
    package var playRate = TimeLapse.usualPlayRate
    package var timeLapse: TimeLapse? { every.map { TimeLapse(every: $0, playRate: playRate) } }
    /// The pixel format to request from the camera, or nil to let the recorder choose.
    package var pixelFormat: CameraPixelFormat?
    package var controls: [CameraControl] = []
    /// The changes that are made to every frame before anything else uses it.
    package var frameStage = FrameStageSettings()
    package var video = VideoEncoding.h264(
        preset: "veryfast", rateControl: .constantQuality(23), keyframeInterval: MediaTime(value: 2, timescale: 1))
    /// The encoder of H.264.
    package var encoder = VideoEncoderChoice.x264
    /// The settings for encoding audio. Without a sample rate or a channel count, the microphone's is used.
    package var audio = AudioSettings()
    /// A strftime pattern; nil for the default one in the videos directory.
    package var output: String?
    /// The duration of the recording, or nil to record until it is stopped.
    package var duration: MediaTime?
    package var overwrite = false
    /// True if a fixed name that is taken gets a number. It is set for a service, which cannot ask the user for another
    /// name.
    package var numbersTakenNames = false
    package var segments = SegmentRules()
    /// The key for signing recordings: a path, or the name of a systemd credential. If nil, recordings are not signed.
    package var signingKey: String?
    /// The absolute path of a directory on another disk for the mirror of every file, or nil for no mirror.
    package var mirror: String?
    package var retention = RetentionRules()
    /// Selects what `recorder keep` keeps if the user gave a time range.
    package var keepRange = RangeKeeping.files
    package var copies = CopySettings()
    /// The length of the encoded pre-roll in memory, or nil to keep none. A recording that begins while the process is
    /// armed includes the pre-roll. `recorder save` writes the pre-roll to a file.
    package var preRoll: MediaTime?
    /// True if the process opens the devices and waits until a recording is requested. After `stop` it waits again.
    package var isArmed = false
    /// True if the process is armed for one recording. It ends after this recording, or if none is requested within a
    /// minute. This allows several recorders to begin at the same time with open devices.
    package var isArmedOnce = false
    /// True if the process waits for the next recording after each one.
    package var staysArmed: Bool { isArmed && !isArmedOnce }
    /// The group of the recorder. `@GROUP` starts, stops and pauses all its members.
    package var group: String?
    /// The number of bytes that stay free on the disk: the recording ends cleanly before it uses them.
    package var diskReserve: Int64 = 100_000_000
    package var overload = OverloadPolicy.adapt
    /// The maximum bytes of frames that may wait for the encoder, or nil for a share of the available memory.
    package var queueMemory: Int64?
    package var hooks = HookCommands()
    package var activity = ActivityRules()
    /// The user group whose members may use the control socket, besides the owner; nil if only the owner may.
    package var controlGroup: String?
    /// The user group whose members may watch, or nil for the control group.
    package var liveGroup: String?
    /// True if the encoder's delay is reduced for viewers. The same quality then needs a higher bit rate.
    package var isLowLatency = false
    /// True if a frame whose pixels equal those of the frame before is not encoded.
    package var skipsIdentical = false
    /// The small stream for viewers, encoded while they watch it; nil for no sub-stream.
    package var substream: SubstreamSettings?

    package init() {}

    /// Checks for contradictory settings, before any device is opened.
    package func validate() throws(OptionError) {
        if camera == .none, microphone == .none {
            throw OptionError(
                "nothing to record with --camera none and --microphone none",
                about: ["camera", "microphone"])
        }
        if camera == .none, hasDeviceSettings {
            throw OptionError(
                "--camera-input, --size, --frame-rate, --pixel-format and --control need a camera, but --camera is "
                    + "none", about: ["camera"] + Self.deviceSettings)
        }
        try validateNetworkCamera()
        try validateLibcamera()
        try validateFrameStage()
        try validateSubstream()
        try validatePassthrough()
        try validateTimeLapse()
        try validateSkipping()
        try validateEncoder()
        try validateDelay()
        try validateSegments()
        if let hold = retention.hold {
            if hold.remote.isEmpty {
                throw OptionError(
                    "--keep-until-copied needs --copy-to, or no file is ever copied: add --copy-to nas:recordings",
                    about: ["keep-until-copied", "copy-to"])
            }
            if hold.kind == .unlessFull, retention.freeSpace == nil {
                throw OptionError(
                    "--keep-until-copied unless-full needs --keep-free, the limit for a full disk: add --keep-free 5G",
                    about: ["keep-until-copied", "keep-free"])
            }
        }
        if let free = retention.freeSpace, free <= diskReserve {
            throw OptionError(
                "--keep-free must be more than --reserve, or the recording ends before a file is deleted: "
                    + "set it to more than \(QuantityText.text(diskReserve))", about: ["keep-free", "reserve"])
        }
    }

    /// Refuses the settings of the frame stage if frames are never decoded, because the settings could not be applied.
    /// A recording without its masks would be worse than no recording.
    package func validateFrameStage() throws(OptionError) {
        let keys = frameStage.usedKeys
        guard frameStage.isActive else { return }
        try requireDecodedFrames(for: keys, keys.count == 1 ? "needs" : "need")
    }

    /// Refuses a sub-stream if frames are never decoded, because the sub-stream encodes decoded frames.
    private func validateSubstream() throws(OptionError) {
        guard substream != nil else { return }
        try requireDecodedFrames(for: ["substream"], "needs")
    }

    /// The codec of the requested pixel format, if frames of that codec depend on each other; otherwise nil. Such
    /// frames are not decoded.
    var dependentCodec: VideoCodec? { pixelFormat.flatMap { $0.codec.hasDependentFrames ? $0.codec : nil } }

    private func validatePassthrough() throws(OptionError) {
        if pixelFormat == .hevc, ![.passthrough, .hevc].contains(video.choice) {
            throw OptionError(
                "--pixel-format hevc selects the camera's own HEVC, which can only be stored unchanged: "
                    + "add --codec passthrough", about: ["codec", "pixel-format"])
        }
        guard video == .passthrough, camera != .none else { return }
        if camera == .test {
            throw OptionError(
                "--codec passthrough stores the frames that the camera compressed, but the test camera has raw ones: "
                    + "write --codec h264", about: ["codec", "camera"])
        }
        if let pixelFormat, pixelFormat.raw != nil {
            throw OptionError(
                "--codec passthrough stores the frames that the camera compressed, but --pixel-format selects raw ones: "
                    + "write --pixel-format mjpeg", about: ["codec", "pixel-format"])
        }
    }

    private func validateSegments() throws(OptionError) {
        guard segments.isAligned else { return }
        guard let length = segments.duration else {
            throw OptionError(
                "--align needs --segment: add --segment 10m, or segment: 10m to a file", about: ["align", "segment"])
        }
        let day: Int64 = 86_400_000_000_000
        guard length.nanoseconds > 0, day % length.nanoseconds == 0 else {
            throw OptionError(
                "--align needs a --segment that divides a day, and \(DurationText.text(length)) does not: write 10m or 1h",
                about: ["align", "segment"])
        }
    }
}

/// A camera control and its value, written `exposure_auto=1` or `AnalogueGain=2.5`.
package struct CameraControl: Sendable, Hashable {
    /// The name of the control: V4L2's, as shown by `v4l2-ctl --list-ctrls`, or libcamera's.
    package let name: String
    /// The value, if it is a whole number; nil for a fraction, which only controls of libcamera have.
    package let value: Int64?
    /// The value, which may be a fraction.
    package let number: Double
    /// The value as text.
    package let text: String

    private init(_ name: String, _ value: Int64?, _ number: Double, _ text: String) {
        self.name = name
        self.value = value
        self.number = number
        self.text = text
    }

    package init(name: String, value: Int64) { self.init(name, value, Double(value), String(value)) }

    package init(parsing text: String) throws(OptionError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ $0 == 0x5F || 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 })
        else { throw OptionError(text, isNot: "a control and its value", write: "exposure_auto=1") }
        if let value = Int64(parts[1]) {
            self.init(name: String(parts[0]), value: value)
            return
        }
        let isNegative = parts[1].hasPrefix("-")
        let digits = isNegative ? parts[1].dropFirst() : parts[1]
        guard let decimal = DecimalText(digits), decimal.places > 0 else {
            throw OptionError(text, isNot: "a control and its value", write: "exposure_auto=1")
        }
        let magnitude = Double(decimal.digits) / Double(decimal.divisor)
        self.init(String(parts[0]), nil, isNegative ? -magnitude : magnitude, String(parts[1]))
    }
}

/// The action when the encoder cannot keep up with the camera.
package enum OverloadPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// The encoder reduces its effort step by step before a frame is dropped, and increases it again when the encoder
    /// keeps up.
    case adapt
    /// Frames are dropped, and counted as `encoder`.
    case drop
    /// The same as `adapt`; if that is not enough, the next file has the next faster preset.
    case stepDown = "step-down"

    /// True if frames may be encoded with reduced effort.
    package var mayReduceEffort: Bool { self != .drop }
}

/// The rules for splitting one recording into several files. Without rules, a recording is one file until the user
/// requests `split`.
///
/// A file ends before the first keyframe at or after its limit, so it exceeds the limit by at most one keyframe
/// interval.
package struct SegmentRules: Sendable, Hashable {
    /// The length of a file, or nil for no limit.
    package var duration: MediaTime?
    /// True if files begin at multiples of `duration` after midnight, local time; the first one is shorter.
    package var isAligned = false
    /// The maximum bytes of media in one file, or nil for no limit.
    package var size: Int64?

    package init(duration: MediaTime? = nil, isAligned: Bool = false, size: Int64? = nil) {
        self.duration = duration
        self.isAligned = isAligned
        self.size = size
    }
}

/// The rules for the hooks `activity` and `activity-end`.
package struct ActivityRules: Sendable, Hashable {
    /// The value at which activity begins, 1 to 100.
    package var threshold = 50
    /// The time for which the value of each second must stay below the threshold before the activity counts as ended.
    package var hold = MediaTime(value: 10, timescale: 1)

    package init() {}
}

/// The rules for deleting a recorder's own finished files, the oldest first. Without rules all files are kept.
package struct RetentionRules: Sendable, Hashable {
    /// The maximum age of a file, or nil for no limit. Older files are deleted.
    package var age: MediaTime?
    /// The maximum bytes of all files, or nil for no limit.
    package var totalSize: Int64?
    /// The number of bytes that must be free on the disk, or nil for no limit. Files are deleted until this much is
    /// free.
    package var freeSpace: Int64?
    /// The rule to keep files until they are copied, or nil if they may be deleted without a copy.
    package var hold: Hold?

    /// The rule to keep files that have no copy on a remote.
    package struct Hold: Sendable, Hashable {
        package var kind: CopyHold
        /// The remote as the user wrote it.
        package var remote: String

        package init(_ kind: CopyHold, remote: String) {
            self.kind = kind
            self.remote = remote
        }
    }

    package init(age: MediaTime? = nil, totalSize: Int64? = nil, freeSpace: Int64? = nil) {
        self.age = age
        self.totalSize = totalSize
        self.freeSpace = freeSpace
    }

    package var keepsEverything: Bool { age == nil && totalSize == nil && freeSpace == nil }
}

extension RecordingConfiguration {
    /// Describes the channels of a microphone that the audio codec does not keep, in one line; nil if it keeps all.
    ///
    /// - Parameter count: The number of channels, or nil for the configured number.
    package func lossOfChannels(_ count: Int? = nil) -> String? {
        guard microphone != .none, let count = count ?? audio.channelCount else { return nil }
        return CodecChannelOrder.loss(audio.codec, layout: audio.layout, channelCount: count)
    }
}

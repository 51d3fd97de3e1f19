public import Capture
public import MediaTypes

/// Everything that was decided before one recording begins.
public struct RecordingConfiguration: Sendable, Hashable {
    /// Which camera or microphone.
    public enum Device: Sendable, Hashable {
        /// The first one there is.
        case first
        case none
        /// The built-in source in real time.
        case test
        /// A device file, an ALSA name, or a stable name from `recorder devices`.
        case named(String)

        /// `test`, `none`, or a device.
        public init(parsing text: String) throws(OptionError) {
            switch text {
            case "test": self = .test
            case "none": self = .none
            case "": throw OptionError("an empty name is no device: `recorder devices` lists them")
            default: self = .named(text)
            }
        }
    }

    /// What becomes of the camera's pictures.
    public enum VideoEncoding: Sendable, Hashable {
        /// x264, with its preset and rate control.
        case h264(preset: String, rateControl: VideoSettings.RateControl, keyFrameInterval: MediaTime)
        /// The camera's own compressed pictures, untouched.
        case passthrough
    }

    public var name = RecordingName.standard
    public var camera = Device.first
    public var microphone = Device.first
    /// nil: the best the camera does well.
    public var size: FrameSize?
    public var frameRate: FrameRate?
    /// How the camera delivers its pictures.
    public var pixelFormat: CameraPixelFormat?
    public var controls: [CameraControl] = []
    public var video = VideoEncoding.h264(
        preset: "veryfast", rateControl: .constantQuality(23), keyFrameInterval: MediaTime(value: 2, timescale: 1))
    /// The codec and its bit rate; rate and channels of the stored sound are the microphone's unless given.
    public var audio = AudioSettings()
    /// A strftime pattern; nil for the default one in the videos directory.
    public var output: String?
    /// nil: until somebody stops it.
    public var duration: MediaTime?
    public var overwrite = false
    /// A fixed name that is taken gets a number: set for a service, which has nobody to ask for another name.
    public var numbersTakenNames = false
    public var segments = SegmentRules()
    public var retention = RetentionRules()
    /// The last so much of what the devices gave is kept in memory, encoded: it precedes a recording that begins while the
    /// process is armed, and `save` writes it. nil: nothing is kept.
    public var preRoll: MediaTime?
    /// Open the devices and wait: the recording begins when somebody asks for it, and after `stop` the process waits again.
    public var isArmed = false
    /// Bytes of the disk that stay free: the recording ends cleanly before.
    public var diskReserve: Int64 = 100_000_000
    public var overload = OverloadPolicy.adapt
    /// Bytes that pictures may take while they wait for the encoder; nil: a share of the memory there is.
    public var queueMemory: Int64?
    public var hooks = HookCommands()
    /// A group whose members may use the control socket, beside the owner.
    public var controlGroup: String?

    public init() {}

    /// What contradicts itself, before any device is touched.
    public func validate() throws(OptionError) {
        if camera == .none, microphone == .none {
            throw OptionError(
                "nothing to record: --camera none and --microphone none leave no track",
                about: ["camera", "microphone"])
        }
        if camera == .none, size != nil || frameRate != nil || pixelFormat != nil || !controls.isEmpty {
            throw OptionError(
                "--size, --frame-rate, --pixel-format and --control need a camera, and --camera is none",
                about: ["camera", "size", "frame-rate", "pixel-format", "control"])
        }
        try validatePassthrough()
        try validateSegments()
        if let free = retention.freeSpace, free <= diskReserve {
            throw OptionError(
                "--keep-free must be more than --reserve, or the recording ends before anything goes: "
                    + "write more than \(QuantityText.text(diskReserve))", about: ["keep-free", "reserve"])
        }
    }

    private func validatePassthrough() throws(OptionError) {
        guard video == .passthrough, camera != .none else { return }
        if camera == .test {
            throw OptionError(
                "--codec passthrough stores pictures that the camera compressed, and the test camera gives raw ones: "
                    + "write --codec h264", about: ["codec", "camera"])
        }
        if let pixelFormat, pixelFormat != .mjpeg, pixelFormat != .h264 {
            throw OptionError(
                "--codec passthrough stores pictures that the camera compressed, and --pixel-format asks for raw ones: "
                    + "write --pixel-format mjpeg", about: ["codec", "pixel-format"])
        }
    }

    private func validateSegments() throws(OptionError) {
        guard segments.isAligned else { return }
        guard let length = segments.duration else {
            throw OptionError("--align needs --segment: write --segment 10m --align", about: ["align", "segment"])
        }
        let day: Int64 = 86_400_000_000_000
        guard length.nanoseconds > 0, day % length.nanoseconds == 0 else {
            throw OptionError(
                "--align needs a --segment that divides a day, and \(DurationText.text(length)) does not: write 10m or 1h",
                about: ["align", "segment"])
        }
    }
}

package import Capture
package import CommandInterface
package import MediaTypes

/// Everything that was decided before one recording begins.
package struct RecordingConfiguration: Sendable, Hashable {
    /// Which camera or microphone.
    package enum Device: Sendable, Hashable {
        /// The first one there is.
        case first
        case none
        /// The built-in source in real time.
        case test
        /// A device file, an ALSA name, or a stable name from `recorder devices`.
        case named(String)

        /// `test`, `none`, or a device.
        package init(parsing text: String) throws(OptionError) {
            switch text {
            case "test": self = .test
            case "none": self = .none
            case "": throw OptionError("an empty name is no device: `recorder devices` lists them")
            default: self = .named(text)
            }
        }
    }

    /// What becomes of the camera's pictures.
    package enum VideoEncoding: Sendable, Hashable {
        /// x264, with its preset and rate control.
        case h264(preset: String, rateControl: VideoSettings.RateControl, keyFrameInterval: MediaTime)
        /// The camera's own compressed pictures, untouched.
        case passthrough
    }

    package var name = RecordingName.standard
    package var camera = Device.first
    package var microphone = Device.first
    /// nil: the best the camera does well.
    package var size: FrameSize?
    package var frameRate: FrameRate?
    /// How the camera delivers its pictures.
    package var pixelFormat: CameraPixelFormat?
    package var controls: [CameraControl] = []
    package var video = VideoEncoding.h264(
        preset: "veryfast", rateControl: .constantQuality(23), keyFrameInterval: MediaTime(value: 2, timescale: 1))
    /// The codec and its bit rate; rate and channels of the stored sound are the microphone's unless given.
    package var audio = AudioSettings()
    /// A strftime pattern; nil for the default one in the videos directory.
    package var output: String?
    /// nil: until somebody stops it.
    package var duration: MediaTime?
    package var overwrite = false
    /// A fixed name that is taken gets a number: set for a service, which has nobody to ask for another name.
    package var numbersTakenNames = false
    package var segments = SegmentRules()
    /// Where the key is that recordings are signed with: a path, or the name of one of systemd's credentials. nil: they are not.
    package var signingKey: String?
    /// A directory on another disk in which every file stands a second time, absolute; nil: there is one copy.
    package var mirror: String?
    package var retention = RetentionRules()
    package var copies = CopySettings()
    /// The last so much of what the devices gave is kept in memory, encoded: it precedes a recording that begins while the
    /// process is armed, and `save` writes it. nil: nothing is kept.
    package var preRoll: MediaTime?
    /// Open the devices and wait: the recording begins when somebody asks for it, and after `stop` the process waits again.
    package var isArmed = false
    /// It waits for one recording, and ends with it, or when nobody has asked for it within a minute: several that are to begin
    /// at the same instant have opened their devices by then.
    package var isArmedOnce = false
    /// After a recording it waits for the next.
    var staysArmed: Bool { isArmed && !isArmedOnce }
    /// Those of a group are started, stopped and paused as one: `@GROUP`.
    package var group: String?
    /// Bytes of the disk that stay free: the recording ends cleanly before.
    package var diskReserve: Int64 = 100_000_000
    package var overload = OverloadPolicy.adapt
    /// Bytes that pictures may take while they wait for the encoder; nil: a share of the memory there is.
    package var queueMemory: Int64?
    package var hooks = HookCommands()
    /// A group whose members may use the control socket, beside the owner.
    package var controlGroup: String?
    /// A group whose members may watch it; nil: those who may control it.
    package var liveGroup: String?
    /// Less lies between a picture and its packet, for those who watch; the same quality takes more bits.
    package var isLowLatency = false

    package init() {}

    /// What contradicts itself, before any device is touched.
    package func validate() throws(OptionError) {
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
        if let hold = retention.hold {
            if hold.remote.isEmpty {
                throw OptionError(
                    "--keep-until-copied needs --copy-to, or nothing is ever copied: write --copy-to nas:recordings",
                    about: ["keep-until-copied", "copy-to"])
            }
            if hold.kind == .unlessFull, retention.freeSpace == nil {
                throw OptionError(
                    "--keep-until-copied unless-full needs --keep-free, which says when it is full: write --keep-free 5G",
                    about: ["keep-until-copied", "keep-free"])
            }
        }
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

/// A camera control and its value, written `exposure_auto=1`.
package struct CameraControl: Sendable, Hashable {
    /// V4L2's name of the control, as `v4l2-ctl --list-ctrls` shows it.
    package let name: String
    package let value: Int64

    package init(name: String, value: Int64) {
        self.name = name
        self.value = value
    }

    package init(parsing text: String) throws(OptionError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let value = Int64(parts[1]), !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ $0 == 0x5F || 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 })
        else { throw OptionError(text, isNot: "a control and its value", write: "exposure_auto=1") }
        self.init(name: String(parts[0]), value: value)
    }
}

/// What happens when the encoder cannot keep up with the camera.
package enum OverloadPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// x264 works less hard, a step at a time, before a picture is dropped, and harder again when there is time.
    case adapt
    /// Pictures are dropped, and counted as `encoder`.
    case drop
    /// As `adapt`; where that is not enough, x264 works with the next faster preset from the next file on.
    case stepDown = "step-down"

    /// Whether pictures may be encoded with less effort than was asked for.
    var mayEase: Bool { self != .drop }
}

/// Where one recording is divided into several files. Without any rule it is one file, until its owner says `split`.
///
/// A file ends before the first key frame at or after its limit, so it is at most one key-frame interval longer.
package struct SegmentRules: Sendable, Hashable {
    /// How long a file is.
    package var duration: MediaTime?
    /// Files begin at multiples of `duration` after midnight, local time: the first one is shorter.
    package var isAligned = false
    /// Bytes of media in one file.
    package var size: Int64?

    package init(duration: MediaTime? = nil, isAligned: Bool = false, size: Int64? = nil) {
        self.duration = duration
        self.isAligned = isAligned
        self.size = size
    }
}

/// Which of a recorder's own finished files go, the oldest first. Without any rule all of them stay.
package struct RetentionRules: Sendable, Hashable {
    /// Older files go.
    package var age: MediaTime?
    /// So many bytes in all stay.
    package var totalSize: Int64?
    /// Files go until so many bytes of the disk are free.
    package var freeSpace: Int64?
    /// Which of them stay until they are copied; nil: none.
    package var hold: Hold?

    /// Files that have no copy at a remote stay.
    package struct Hold: Sendable, Hashable {
        package var kind: CopyHold
        /// As its owner wrote it.
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
    /// What the audio codec does not keep of a microphone's channels, in a line; nil for nothing.
    ///
    /// - Parameter count: nil: what the settings ask for.
    package func lossOfChannels(_ count: Int? = nil) -> String? {
        guard microphone != .none, let count = count ?? audio.channelCount else { return nil }
        return CodecChannelOrder.loss(audio.codec, layout: audio.layout, channelCount: count)
    }
}

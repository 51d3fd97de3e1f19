public import ArgumentParser
import Capture
import MediaTypes
public import RecorderService

/// The options of one recording, shared by `start` and `run`.
struct RecordingOptions: ParsableArguments {
    @Argument(help: "What the recording is called.", transform: RecordingName.init(parsing:))
    var name = RecordingName.standard

    @Option(
        help: ArgumentHelp("A device, a name from `devices`, test or none.", valueName: "name"),
        transform: RecordingConfiguration.Device.init(parsing:))
    var camera = RecordingConfiguration.Device.first

    @Option(
        help: ArgumentHelp("An ALSA name, test or none.", valueName: "name"),
        transform: RecordingConfiguration.Device.init(parsing:))
    var microphone = RecordingConfiguration.Device.first

    @Option(help: "As 1280x720.", transform: PictureText.parseSize)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp("As 30, 29.97 or 30000/1001.", valueName: "fps"), transform: PictureText.parseFrameRate)
    var frameRate: FrameRate?

    @Option(
        help: ArgumentHelp("Of the camera: mjpeg, yuyv, nv12, h264 …", valueName: "pf"),
        transform: PictureText.parsePixelFormat)
    var pixelFormat: CameraPixelFormat?

    @Option(
        help: ArgumentHelp("A camera control, by V4L2 name; repeatable.", valueName: "name=value"),
        transform: CameraControl.init(parsing:))
    var control: [CameraControl] = []

    @Option(help: "Passthrough keeps what the camera compressed.")
    var codec = VideoCodecChoice.h264

    @Option(help: "x264's, ultrafast to placebo (default: veryfast).", transform: EncodingText.parsePreset)
    var preset: String?

    @Option(help: "Constant quality, 0 (best) to 51 (default: 23).", transform: EncodingText.parseQuality)
    var crf: Double?

    @Option(
        help: ArgumentHelp("Average bits a second instead, as 6M.", valueName: "rate"),
        transform: QuantityText.parseBitRate)
    var bitRate: Int?

    @Option(
        help: ArgumentHelp("The longest way to the next (default: 2s).", valueName: "time"),
        transform: DurationText.parse)
    var keyFrameInterval: MediaTime?

    @Option(help: ArgumentHelp(valueName: "codec"))
    var audioCodec = AudioCodecChoice.aac

    @Option(
        help: ArgumentHelp("Of aac, as 128k.", valueName: "rate"), transform: QuantityText.parseBitRate)
    var audioBitRate: Int?

    @Option(
        help: ArgumentHelp("1 to 8 (default: the microphone's).", valueName: "count"),
        transform: EncodingText.parseChannels)
    var channels: Int?

    @Option(
        help: ArgumentHelp("As 48000.", valueName: "hertz"), transform: EncodingText.parseSampleRate)
    var sampleRate: Int?

    @Option(help: ArgumentHelp("A .mov, .mp4 or .m4a; strftime's %Y, %H … allowed.", valueName: "pattern"))
    var output: String?

    @Option(
        help: ArgumentHelp("Stop by itself after that: 90, 1m30s.", valueName: "time"), transform: DurationText.parse)
    var duration: MediaTime?

    @Flag(help: "Replace the output if it exists.")
    var overwrite = false

    func validate() throws {
        _ = try configuration()
        if let output { _ = try OutputPattern(parsing: output) }
    }

    /// What these words mean.
    func configuration() throws(OptionError) -> RecordingConfiguration {
        var configuration = RecordingConfiguration()
        configuration.name = name
        configuration.camera = camera
        configuration.microphone = microphone
        configuration.size = size
        configuration.frameRate = frameRate
        configuration.pixelFormat = pixelFormat
        configuration.controls = control
        configuration.video = try EncodingText.video(
            codec, preset: preset, crf: crf, bitRate: bitRate, keyFrameInterval: keyFrameInterval)
        configuration.audio = try EncodingText.audio(
            audioCodec, bitRate: audioBitRate, channels: channels, sampleRate: sampleRate)
        configuration.output = output
        configuration.duration = duration
        configuration.overwrite = overwrite
        try configuration.validate()
        return configuration
    }
}

extension VideoCodecChoice: ExpressibleByArgument {}
extension AudioCodecChoice: ExpressibleByArgument {}

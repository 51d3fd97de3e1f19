import ArgumentParser
import CommandInterface
import RecorderStorage

/// A command with the options of a recording.
///
/// Each command has the groups itself, although they are the same: in a debug build, ArgumentParser validates a group
/// several times for each level above it. With one more level, the tests' recorders took seconds to begin.
protocol RecordingCommand: ParsableCommand {
    var devices: DeviceOptions { get }
    var frames: FrameStageOptions { get }
    var encoding: EncodingOptions { get }
    var files: FileOptions { get }
    var retention: RetentionOptions { get }
    var copies: CopyOptions { get }
    var service: ServiceOptions { get }
    var configurationFile: ConfigurationFileOption { get }
}

extension RecordingCommand {
    var options: RecordingOptions {
        RecordingOptions(
            assignments: devices.assignments + frames.assignments + encoding.assignments + files.assignments
                + retention.assignments + copies.assignments + service.assignments,
            file: configurationFile.config)
    }
}

/// The options of a recording that were given.
struct RecordingOptions {
    let assignments: [SettingAssignment]
    /// The configuration file; nil for the recorder's own.
    let file: String?

    /// Returns the source of a recording's configuration: file, environment and these options.
    func source(of name: RecordingName) -> ConfigurationSource {
        ConfigurationSource(name, flags: assignments, file: file)
    }
}

struct ConfigurationFileOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Configuration file, instead of NAME.yaml.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var config: String?
}

extension ConfigurationSource {
    /// Loads the configuration.
    ///
    /// - Throws: The message and the exit code for an invalid configuration.
    func loadOrFail() throws(CommandFailure) -> RecordingConfiguration {
        for variable in ignoredVariables { StandardError.line("recorder: \(variable)") }
        do throws(RecordingFailure) { return try load() } catch { throw CommandFailure(error) }
    }
}

struct DeviceOptions: ParsableArguments {
    @Option(.camera) var camera: String?
    @Option(.microphone) var microphone: String?
    @Option(.cameraCredentials) var cameraCredentials: String?
    @Option(.cameraCertificate) var cameraCertificate: String?
    @Option(.cameraTransport) var cameraTransport: String?
    @Option(.cameraInput) var cameraInput: String?
    @Option(.size) var size: String?
    @Option(.frameRate) var frameRate: String?
    @Option(.pixelFormat) var pixelFormat: String?
    @Option(.control) var control: [String]
    @Option(.every) var every: String?
    @Option(.playRate) var playRate: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        let timeLapse = Setting.every.given(every) + Setting.playRate.given(playRate)
        let network =
            Setting.cameraCredentials.given(cameraCredentials) + Setting.cameraCertificate.given(cameraCertificate)
            + Setting.cameraTransport.given(cameraTransport)
        let mode =
            Setting.cameraInput.given(cameraInput) + Setting.size.given(size) + Setting.frameRate.given(frameRate)
            + Setting.pixelFormat.given(pixelFormat) + Setting.control.given(control)
        return Setting.camera.given(camera) + Setting.microphone.given(microphone) + network + mode + timeLapse
    }
}

struct FrameStageOptions: ParsableArguments {
    @Option(.crop) var crop: String?
    @Option(.rotate) var rotate: String?
    @Option(.flip) var flip: String?
    @Option(.scale) var scale: String?
    @Option(.mask) var mask: [String]
    @Option(.maskStyle) var maskStyle: String?
    @Option(.stamp) var stamp: String?
    @Option(.stampPlace) var stampPlace: String?
    @Option(.stampSize) var stampSize: String?
    @Option(.stampFont) var stampFont: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        let geometry =
            Setting.crop.given(crop) + Setting.rotate.given(rotate) + Setting.flip.given(flip)
            + Setting.scale.given(scale)
        let drawn =
            Setting.mask.given(mask) + Setting.maskStyle.given(maskStyle) + Setting.stamp.given(stamp)
            + Setting.stampPlace.given(stampPlace) + Setting.stampSize.given(stampSize)
            + Setting.stampFont.given(stampFont)
        return geometry + drawn
    }
}

struct EncodingOptions: ParsableArguments {
    @Option(.codec) var codec: String?
    @Option(.encoder) var encoder: String?
    @Option(.preset) var preset: String?
    @Option(.crf) var crf: String?
    @Option(.bitRate) var bitRate: String?
    @Option(.keyframeInterval) var keyframeInterval: String?
    @Flag(.lowLatency) var lowLatency: Bool?
    @Option(.skipIdentical) var skipIdentical: String?
    @Option(.substream) var substream: String?
    @Option(.audioCodec) var audioCodec: String?
    @Option(.audioBitRate) var audioBitRate: String?
    @Option(.channels) var channels: String?
    @Option(.sampleRate) var sampleRate: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        let video =
            Setting.codec.given(codec) + Setting.encoder.given(encoder) + Setting.preset.given(preset)
            + Setting.crf.given(crf) + Setting.bitRate.given(bitRate) + Setting.keyframeInterval.given(keyframeInterval)
        let stream =
            Setting.lowLatency.given(lowLatency) + Setting.skipIdentical.given(skipIdentical)
            + Setting.substream.given(substream)
        let audio =
            Setting.audioCodec.given(audioCodec) + Setting.audioBitRate.given(audioBitRate)
            + Setting.channels.given(channels) + Setting.sampleRate.given(sampleRate)
        return video + stream + audio
    }
}

struct FileOptions: ParsableArguments {
    @Option(.output, short: "o", completion: .movie) var output: String?
    @Option(.duration) var duration: String?
    @Flag(.overwrite) var overwrite: Bool?
    @Option(.segment) var segment: String?
    @Flag(.align) var align: Bool?
    @Option(.segmentSize) var segmentSize: String?
    @Option(.mirror) var mirror: String?
    @Option(.sign) var sign: String?
    @Option(.keepRange) var keepRange: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.output.given(output) + Setting.duration.given(duration) + Setting.overwrite.given(overwrite)
            + Setting.segment.given(segment) + Setting.align.given(align) + Setting.segmentSize.given(segmentSize)
            + Setting.mirror.given(mirror) + Setting.sign.given(sign) + Setting.keepRange.given(keepRange)
    }
}

/// The options for the retention of finalized recordings; `recorder retention` has only these.
struct RetentionOptions: ParsableArguments {
    @Option(.keepFor) var keepFor: String?
    @Option(.keepSize) var keepSize: String?
    @Option(.keepFree) var keepFree: String?
    @Option(.reserve) var reserve: String?
    @Option(.keepUntilCopied) var keepUntilCopied: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.keepFor.given(keepFor) + Setting.keepSize.given(keepSize) + Setting.keepFree.given(keepFree)
            + Setting.reserve.given(reserve) + Setting.keepUntilCopied.given(keepUntilCopied)
    }
}

/// The options for copying finalized recordings; `recorder copy` has only these.
struct CopyOptions: ParsableArguments {
    @Option(.copyTo) var copyTo: String?
    @Option(.copyLimit) var copyLimit: String?
    @Option(.copyHours) var copyHours: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        return Setting.copyTo.given(copyTo) + Setting.copyLimit.given(copyLimit)
            + Setting.copyHours.given(copyHours)
    }
}

struct ServiceOptions: ParsableArguments {
    @Option(.group) var group: String?
    @Option(.preRoll) var preRoll: String?
    @Flag(.armed) var armed: Bool?
    @Option(.onOverload) var onOverload: String?
    @Option(.queueMemory) var queueMemory: String?
    @Option(.hook) var hook: [String]
    @Option(.hookTimeLimit) var hookTimeLimit: String?
    @Option(.activityThreshold) var activityThreshold: String?
    @Option(.activityHold) var activityHold: String?
    @Option(.controlGroup) var controlGroup: String?
    @Option(.liveGroup) var liveGroup: String?

    var assignments: [SettingAssignment] {
        typealias Setting = RecordingSetting
        let session =
            Setting.group.given(group) + Setting.preRoll.given(preRoll) + Setting.armed.given(armed)
        let hooks =
            Setting.hook.given(hook) + Setting.hookTimeLimit.given(hookTimeLimit)
            + Setting.activityThreshold.given(activityThreshold) + Setting.activityHold.given(activityHold)
        return session + hooks + Setting.onOverload.given(onOverload) + Setting.queueMemory.given(queueMemory)
            + Setting.controlGroup.given(controlGroup) + Setting.liveGroup.given(liveGroup)
    }
}

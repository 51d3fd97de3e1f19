import ArgumentParser
import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import MovieCommands

/// The options of `reencode`.
struct ReencodeOptions: ParsableArguments {
    @Argument(help: "Movies or audio files; several are joined in order.", completion: .file())
    var inputs: [String]

    @Option(name: .shortAndLong, help: "Output file (default: the input's name + -reencoded).", completion: .movie)
    var output: String?

    @Option(
        help: ArgumentHelp("Exact start time (default: the beginning).", valueName: "time"),
        transform: DurationText.parseMoment)
    var from: MediaTime?

    @Option(help: ArgumentHelp("Exact end time (default: the end).", valueName: "time"), transform: DurationText.parse)
    var to: MediaTime?

    @Option(help: "Video")
    var codec: ReencodeVideoCodec?

    @Option(help: "Preset, ultrafast to placebo (default: by codec).", transform: EncodingText.parsePreset)
    var preset: String?

    @Option(help: "Constant quality, on the encoder's scale; 0 is best.", transform: ReencodeText.parseFactor)
    var crf: Double?

    @Option(
        help: ArgumentHelp("Average bit rate instead of --crf, e.g. 4M.", valueName: "rate"),
        transform: QuantityText.parseBitRate)
    var bitRate: Int?

    @Flag(help: "Encode in two passes: better quality at --bit-rate.")
    var twoPass = false

    @Option(
        help: ArgumentHelp("Best quality that fits into this file size, e.g. 50M.", valueName: "size"),
        transform: QuantityText.parseSize)
    var maxSize: Int64?

    @Option(
        help: ArgumentHelp("Quality: 0 to 100, low, medium, high or highest.", valueName: "quality"),
        transform: ReencodeText.parseQuality)
    var quality: ReencodeQuality?

    @Option(
        help: ArgumentHelp("Encoder threads; the same count gives the same file.", valueName: "count"),
        transform: ReencodeText.parseThreads)
    var threads: Int?

    @Option(
        help: ArgumentHelp("Chunks to encode in parallel: a number, or auto.", valueName: "count"),
        transform: ChunkCount.init(parsing:))
    var chunks: ChunkCount?

    // An earlier name of --chunks, which is refused.
    @Option(help: .private) var stretches: String?

    @Option(help: "Maximum frame size, e.g. 1280x720; never scales up.", transform: FrameText.parseSize)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp("Constant frame rate, e.g. 30 or 29.97.", valueName: "fps"),
        transform: FrameText.parseFrameRate)
    var frameRate: FrameRate?

    // Hidden because the help has no line left on the screen; docs/guide/files.md describes it.
    @Option(
        help: ArgumentHelp(
            "Show the frames faster, without audio, e.g. 60x.", valueName: "factor", visibility: .hidden),
        transform: ReencodeText.parseSpeed)
    var speed: Double?

    // A value may begin with a minus.
    @Option(
        parsing: .unconditional, help: "Rotate clockwise by 90, 180 or 270 degrees.",
        transform: ReencodeText.parseRotation)
    var rotate: Int?

    // The help has no line left on the screen for these four; docs/guide/files.md describes them.
    @Option(
        help: ArgumentHelp(
            "Encode this part of the frame, e.g. 640x480+320+120.", valueName: "part", visibility: .hidden),
        transform: FrameStageText.parseCrop)
    var crop: FrameStageSettings.Crop?

    @Option(
        help: ArgumentHelp("Mirror the frame: horizontal or vertical.", valueName: "direction", visibility: .hidden),
        transform: FrameStageText.parseFlip)
    var flip: FrameStageSettings.Flip?

    @Option(
        help: ArgumentHelp(
            "Hide a polygon, in % of the frame; repeatable.", valueName: "x,y x,y …", visibility: .hidden),
        transform: MaskText.parse
    )
    var mask: [FrameMask] = []

    @Option(
        help: ArgumentHelp(
            "Fill masks: black, #RRGGBB or pixelate:N (default: black).", valueName: "style", visibility: .hidden),
        transform: MaskText.parseStyle)
    var maskStyle: FrameMaskStyle?

    @Flag(help: "Deinterlace to full frames.")
    var deinterlace = false

    @Flag(help: "Convert high dynamic range (PQ, HLG) to BT.709.")
    var toneMap = false

    @Option(
        help: ArgumentHelp("Bits per sample: 8 or 10 (default: as the source).", valueName: "bits"),
        transform: ReencodeText.parseBitDepth)
    var bitDepth: Int?

    @Option(
        help: ArgumentHelp("Tracks to keep, e.g. video,audio:2 or 1,3.", valueName: "list"),
        transform: TrackSelector.parseList)
    var tracks: [TrackSelector]?

    @Flag(help: "Leave out audio.")
    var noAudio = false

    @Flag(help: "Leave out video.")
    var noVideo = false

    // The default is aac, or passthrough with `--codec passthrough`. The help has no line left on the screen for this;
    // docs/guide/files.md describes the option.
    @Option(help: ArgumentHelp(valueName: "codec"))
    var audioCodec: ReencodeAudioCodec?

    @Option(
        help: ArgumentHelp("Bit rate of AAC or Opus, e.g. 128k.", valueName: "rate"),
        transform: QuantityText.parseBitRate)
    var audioBitRate: Int?

    // Hidden because the help has no line left on the screen; docs/guide/files.md describes it.
    @Option(
        help: ArgumentHelp(
            "Mix the audio into this number of channels (default: as the source).", valueName: "count",
            visibility: .hidden),
        transform: EncodingText.parseChannels)
    var channels: Int?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Audio gain, e.g. -3dB.", valueName: "gain"),
        transform: ReencodeText.parseVolume)
    var volume: Float?

    @Flag(help: "Put the header first, to play while downloading.")
    var optimizeForNetwork = false

    @Option(
        help: ArgumentHelp("Metadata item, e.g. title=\"…\"; repeatable.", valueName: "key=value"),
        transform: ReencodeText.parseMetadata
    )
    var metadata: [MetadataItem] = []

    @Flag(help: "Fail on damaged media, instead of leaving it out.")
    var strict = false

    @Flag(help: "Replace the output file if it exists.")
    var overwrite = false

    func validate() throws {
        if stretches != nil { throw OptionError("--stretches is now --chunks") }
        _ = try request()
    }

    /// Returns the request that these options describe.
    func request() throws(OptionError) -> ReencodeRequest {
        var request = ReencodeRequest(inputs: inputs.map { URL(fileURLWithPath: FilePath.absolute($0)) })
        request.output = output.map { URL(fileURLWithPath: FilePath.absolute($0)) }
        request.timeRange = try ReencodeText.range(from: from, to: to)
        request.frameStage = try ReencodeText.frameStage(masks: mask, style: maskStyle, crop: crop, flip: flip)
        (request.preset, request.video, request.audio) = try ReencodeText.encoding(
            ReencodeText.Words(
                codec: codec, threads: threads, preset: preset, crf: crf, bitRate: bitRate, twoPass: twoPass,
                maxSize: maxSize,
                quality: quality, isReshaped: size != nil || frameRate != nil || speed != nil || deinterlace || toneMap,
                noVideo: noVideo, noAudio: noAudio, audioCodec: audioCodec, audioBitRate: audioBitRate, volume: volume,
                bitDepth: bitDepth, channels: channels, isMasked: request.frameStage.isActive))
        request.presetBox = ReencodeText.box(quality)
        request.size = size.map { ($0.width, $0.height) }
        request.frameRate = frameRate?.framesPerSecond
        request.speed = try checkedSpeed()
        request.quarterTurns = rotate ?? 0
        request.deinterlaces = deinterlace
        request.mapsTones = toneMap
        request.tracks = tracks ?? []
        request.volume = volume ?? 1
        request.largestSize = maxSize ?? 0
        request.optimizesForNetworkUse = optimizeForNetwork
        request.metadata = metadata
        request.isStrict = strict
        request.overwrites = overwrite
        request.chunks = chunks
        return request
    }
}

extension ReencodeOptions {
    /// Returns the speed, unless other options contradict it.
    private func checkedSpeed() throws(OptionError) -> Double? {
        guard speed != nil else { return nil }
        if noVideo { throw OptionError("--speed shows frames faster, and --no-video leaves none: omit one") }
        if chunks != nil { throw OptionError("--speed and --chunks cannot be combined: omit one") }
        if tracks != nil { throw OptionError("--speed keeps the first video track only: omit --tracks") }
        guard audioCodec == nil, audioBitRate == nil, channels == nil, volume == nil else {
            throw OptionError("--speed leaves audio out: omit --audio-codec, --audio-bit-rate, --channels and --volume")
        }
        return speed
    }
}

extension ReencodeVideoCodec: ExpressibleByArgument {}
extension ReencodeAudioCodec: ExpressibleByArgument {}

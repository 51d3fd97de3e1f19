import ArgumentParser
import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import MovieCommands

/// The options of `reencode`.
struct ReencodeOptions: ParsableArguments {
    @Argument(help: "Movies or sound; several are joined in order.", completion: .file())
    var inputs: [String]

    @Option(name: .shortAndLong, help: "Default: the input's name with -reencoded.", completion: .movie)
    var output: String?

    @Option(help: ArgumentHelp("Where to begin, exact.", valueName: "time"), transform: DurationText.parseMoment)
    var from: MediaTime?

    @Option(help: ArgumentHelp("Where to end, exact.", valueName: "time"), transform: DurationText.parse)
    var to: MediaTime?

    @Option(help: "Video")
    var codec: ReencodeVideoCodec?

    @Option(help: "From ultrafast to placebo (default: as the codec).", transform: EncodingText.parsePreset)
    var preset: String?

    @Option(help: "The encoder's own constant quality; 0 is best.", transform: ReencodeText.parseFactor)
    var crf: Double?

    @Option(
        help: ArgumentHelp("Average bits a second instead, as 4M.", valueName: "rate"),
        transform: QuantityText.parseBitRate)
    var bitRate: Int?

    @Flag(help: "Look twice to share out --bit-rate.")
    var twoPass = false

    @Option(help: ArgumentHelp("As large as fits: 50M.", valueName: "size"), transform: QuantityText.parseSize)
    var maxSize: Int64?

    @Option(
        help: ArgumentHelp("0 to 100, alike in all codecs, or low…highest.", valueName: "quality"),
        transform: ReencodeText.parseQuality)
    var quality: ReencodeQuality?

    @Option(
        help: ArgumentHelp("Of the encoder: as many, the same pictures.", valueName: "count"),
        transform: ReencodeText.parseThreads)
    var threads: Int?

    @Option(
        help: ArgumentHelp("So many encoders, each at a part; auto.", valueName: "count"),
        transform: StretchCount.init(parsing:))
    var stretches: StretchCount?

    @Option(help: "Fits inside 1280x720; never scales up.", transform: PictureText.parseSize)
    var size: FrameSize?

    @Option(
        help: ArgumentHelp("At equal distances: 30, 29.97.", valueName: "fps"), transform: PictureText.parseFrameRate)
    var frameRate: FrameRate?

    // A value may begin with a minus.
    @Option(parsing: .unconditional, help: "Degrees clockwise: 90, 180 or 270.", transform: ReencodeText.parseRotation)
    var rotate: Int?

    @Flag(help: "Make whole pictures of fields.")
    var deinterlace = false

    @Flag(help: "High dynamic range (PQ, HLG) to BT.709.")
    var toneMap = false

    @Option(
        help: ArgumentHelp("8 or 10 (default: as the film).", valueName: "bits"), transform: ReencodeText.parseBitDepth)
    var bitDepth: Int?

    @Option(help: ArgumentHelp("As video,audio:2 or 1,3.", valueName: "list"), transform: TrackSelector.parseList)
    var tracks: [TrackSelector]?

    @Flag(help: "Pictures alone.")
    var noAudio = false

    @Flag(help: "Sound alone.")
    var noVideo = false

    // Without a codec it is aac. This is in docs/films.md, since the help has no line left on the screen.
    @Option(help: ArgumentHelp(valueName: "codec"))
    var audioCodec: ReencodeAudioCodec?

    @Option(help: ArgumentHelp("Of aac, as 128k.", valueName: "rate"), transform: QuantityText.parseBitRate)
    var audioBitRate: Int?

    // Hidden because the help has no line left on the screen; docs/films.md describes it.
    @Option(
        help: ArgumentHelp(
            "Mixes the audio into this number of channels (default: each stays).", valueName: "count",
            visibility: .hidden),
        transform: EncodingText.parseChannels)
    var channels: Int?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Louder or softer: -3dB.", valueName: "gain"),
        transform: ReencodeText.parseVolume)
    var volume: Float?

    @Flag(help: "Header first, to play while it loads.")
    var optimizeForNetwork = false

    @Option(
        help: ArgumentHelp("As title=\"…\"; repeatable.", valueName: "key=value"), transform: ReencodeText.parseMetadata
    )
    var metadata: [MetadataItem] = []

    @Flag(help: "Damage ends it instead of being left out.")
    var strict = false

    @Flag(help: "Replace the output if it exists.")
    var overwrite = false

    func validate() throws {
        _ = try request()
    }

    /// Returns the request that these options describe.
    func request() throws(OptionError) -> ReencodeRequest {
        var request = ReencodeRequest(inputs: inputs.map { URL(fileURLWithPath: FilePath.absolute($0)) })
        request.output = output.map { URL(fileURLWithPath: FilePath.absolute($0)) }
        request.timeRange = try ReencodeText.range(from: from, to: to)
        (request.preset, request.video, request.audio) = try ReencodeText.encoding(
            ReencodeText.Words(
                codec: codec, threads: threads, preset: preset, crf: crf, bitRate: bitRate, twoPass: twoPass,
                maxSize: maxSize,
                quality: quality, isReshaped: size != nil || frameRate != nil || deinterlace || toneMap,
                noVideo: noVideo, noAudio: noAudio, audioCodec: audioCodec, audioBitRate: audioBitRate, volume: volume,
                bitDepth: bitDepth, channels: channels))
        request.presetBox = ReencodeText.box(quality)
        request.size = size.map { ($0.width, $0.height) }
        request.frameRate = frameRate?.framesPerSecond
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
        request.stretches = stretches
        return request
    }
}

extension ReencodeVideoCodec: ExpressibleByArgument {}
extension ReencodeAudioCodec: ExpressibleByArgument {}

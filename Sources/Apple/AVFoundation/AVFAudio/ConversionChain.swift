import MediaCodecs
import MediaTypes

/// The settings of a conversion besides its two formats.
struct ConversionOptions {
    /// The input channel for each output channel; empty for the default map.
    var channelMap: [Int] = []
    /// True to mix channels whose number or loudspeakers differ.
    var downmix = false
    /// The length of the resampler's filter in frames; nil for the resampler's default.
    var filterSize: Int?
    var bitRate: Int?
    var prime = AVAudioConverterPrimeInfo()
}

/// The steps from a converter's input to its output: a decoder, the order of the channels, and either a converter of
/// linear PCM or an encoder. May be used by only one thread at a time.
final class ConversionChain {
    /// True once the input has ended.
    private(set) var isFinished = false
    /// The packets that an encoder returned. The first `takenCount` of them were already moved to buffers.
    private var packets: [MediaData] = []
    private var takenCount = 0
    /// True if some packets were not yet moved to a buffer.
    var hasPackets: Bool { takenCount < packets.count }
    let encoder: (any AudioEncoder)?

    private let inputFormat: AVAudioFormat
    private let decoder: AudioDecoder?
    private let source: AudioFormat
    private var trimmed: TrimmedFrames
    private let map: ChannelMap?
    private let converter: PCMConverter?
    private(set) var packetTotal: Int64 = 0

    /// - Throws: `unsupported` for a conversion that is not supported; `invalidSettings` for an invalid setting.
    init(
        _ inputFormat: AVAudioFormat, _ outputFormat: AVAudioFormat, _ options: ConversionOptions
    ) throws(MediaError) {
        self.inputFormat = inputFormat
        guard let input = inputFormat.engine, let output = outputFormat.engine else {
            throw Self.refusal(inputFormat, outputFormat, "one of the formats is not supported")
        }
        guard input.pcm != nil || output.pcm != nil else {
            throw Self.refusal(inputFormat, outputFormat, "one of the formats has to be linear PCM")
        }
        let form = PCMOutput(pcm: output.pcm ?? .float32)
        let decoder = try input.pcm == nil && !Self.lacksConfiguration(input) ? Self.decoder(of: input, to: form) : nil
        self.decoder = decoder
        let source = input.pcm == nil ? form.format(for: input) : input
        self.source = source
        let frameSize = source.bytesPerFrame ?? 1
        trimmed = TrimmedFrames(
            leading: decoder == nil ? 0 : Int(options.prime.leadingFrames) * frameSize,
            trailing: decoder == nil ? 0 : Int(options.prime.trailingFrames) * frameSize)
        var middle = source
        if options.channelMap.isEmpty, options.downmix {
            map = nil
        } else {
            let usual = ChannelMap.usual(from: source, to: output)
            let given = options.channelMap.isEmpty ? usual : options.channelMap
            guard let places = given, places.count == output.channelCount else {
                throw Self.refusal(
                    inputFormat, outputFormat,
                    given == nil ? "their loudspeakers differ" : "channelMap needs one entry for each output channel",
                    wayOut: "set downmix to mix them, or channelMap to choose")
            }
            map = ChannelMap(places, of: source)
            (middle.channelCount, middle.layout) = (output.channelCount, output.layout)
        }
        if output.pcm == nil {
            converter = nil
            encoder = try AudioEncoders.open(Self.settings(output, outputFormat, options), input: middle)
            encoder?.setAnchor(.zero)
        } else {
            converter = try PCMConverter(input: middle, output: output, filterSize: options.filterSize)
            encoder = nil
        }
    }

    private static func refusal(
        _ input: AVAudioFormat, _ output: AVAudioFormat, _ reason: String, wayOut: String = ""
    ) -> MediaError {
        MediaError(
            .invalidSettings, "cannot convert \(input.description) to \(output.description)", reason: reason,
            wayOut: wayOut)
    }

    /// Returns true if a decoder needs configuration bytes that the format does not have yet. A program often sets them
    /// after it has created the converter.
    private static func lacksConfiguration(_ format: AudioFormat) -> Bool {
        guard format.decoderConfiguration.isEmpty else { return false }
        return format.codec == .alac || (format.codec == .opus && format.channelCount > 2)
    }

    private static func decoder(of format: AudioFormat, to form: PCMOutput) throws(MediaError) -> AudioDecoder {
        var format = format
        if format.codec == .aac, format.decoderConfiguration.isEmpty {
            format.decoderConfiguration =
                MagicCookie.plainAAC(sampleRate: format.sampleRate, channelCount: format.channelCount) ?? []
        }
        return try AudioDecoder(
            format: format, hints: DecoderHints(codecName: format.codec.rawValue),
            timeScale: Int32(clamping: format.sampleRate), output: form)
    }

    private static func settings(
        _ output: AudioFormat, _ format: AVAudioFormat, _ options: ConversionOptions
    ) -> AudioSettings {
        let usual: ChannelLayout? = output.channelCount > 2 ? .discrete(output.channelCount) : nil
        return AudioSettings(
            codec: output.codec, sampleRate: output.sampleRate, channelCount: output.channelCount,
            layout: output.layout ?? usual, bitRate: options.bitRate, bitDepth: format.losslessBitDepth)
    }

    // MARK: Input

    /// - Throws: `invalidSample` for a buffer whose format is not the input's; `corruptData` for damaged packets.
    func put(_ buffer: AVAudioBuffer) throws(MediaError) {
        if let difference = buffer.format.difference(to: inputFormat, named: "the converter's") {
            throw MediaError(.invalidSample, "cannot convert a buffer", reason: difference)
        }
        switch buffer {
        case let buffer as AVAudioPCMBuffer:
            try buffer.withFrames { (frames: UnsafeRawBufferPointer) throws(MediaError) -> Void in
                try pass(frames)
            }
        case let buffer as AVAudioCompressedBuffer: try decode(buffer)
        default:
            throw MediaError(
                .invalidSample, "cannot convert a buffer", reason: "it has neither frames nor packets")
        }
    }

    private func decode(_ buffer: AVAudioCompressedBuffer) throws(MediaError) {
        guard let decoder, let format = inputFormat.engine else {
            throw MediaError(
                .invalidSettings, "cannot decode \(inputFormat.description)",
                reason: "the format has no configuration bytes", wayOut: "set magicCookie")
        }
        for range in try buffer.packetRanges() {
            let bytes = UnsafeRawBufferPointer(start: buffer.data + range.lowerBound, count: range.count)
            // Packets need no times, because the frames are counted.
            let sample = SampleBuffer(
                format: .audio(format), content: .data(MediaData(copying: bytes)), presentationTime: .zero)
            var decoded: [SampleBuffer] = []
            try decoder.decode(CodedSample(sample, hasPresentationTime: false, hasDecodeTime: false)) {
                decoded.append($0)
            }
            try passTrimmed(decoded)
        }
    }

    /// Ends the input.
    func finish() throws(MediaError) {
        guard !isFinished else { return }
        isFinished = true
        var decoded: [SampleBuffer] = []
        try decoder?.finish { decoded.append($0) }
        try passTrimmed(decoded)
        converter?.finish()
        try encoder?.finish { keep($0) }
    }

    private func passTrimmed(_ samples: [SampleBuffer]) throws(MediaError) {
        for sample in samples {
            guard case .data(let data) = sample.content else { continue }
            var trimmed = self.trimmed
            defer { self.trimmed = trimmed }
            try trimmed.pass(data.bytes) { (frames: UnsafeRawBufferPointer) throws(MediaError) -> Void in
                try pass(frames)
            }
        }
    }

    private func pass(_ frames: UnsafeRawBufferPointer) throws(MediaError) {
        guard let map else { return try feed(frames) }
        let mapped = MediaData(map.apply(frames))
        defer { withExtendedLifetime(mapped) {} }
        try feed(mapped.bytes)
    }

    private func feed(_ frames: UnsafeRawBufferPointer) throws(MediaError) {
        guard !frames.isEmpty else { return }
        try converter?.put(frames)
        try encoder?.encode(frames) { keep($0) }
    }

    private func keep(_ packet: SampleBuffer) {
        guard case .data(let data) = packet.content else { return }
        packets.append(data)
        packetTotal += 1
    }

    // MARK: Output

    /// Moves converted frames into a buffer, after its valid frames. Returns false if there were no converted frames.
    func take(into buffer: AVAudioPCMBuffer) throws(MediaError) -> Bool {
        guard let converter else { return false }
        let place = Int(buffer.frameLength)
        let room = Int(buffer.frameCapacity) - place
        guard room > 0 else { return false }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: room * buffer.frameSize, alignment: 64)
        defer { memory.deallocate() }
        let count = try converter.take(into: memory)
        guard count > 0 else { return false }
        buffer.store(UnsafeRawBufferPointer(rebasing: memory[..<(count * buffer.frameSize)]), at: place)
        buffer.frameLength = AVAudioFrameCount(clamping: place + count)
        return true
    }

    /// Moves packets into a buffer, after its valid packets, until the buffer is full.
    ///
    /// - Throws: `invalidSample` for an empty buffer that is too small for one packet.
    func takePackets(into buffer: AVAudioCompressedBuffer) throws(MediaError) {
        while hasPackets, buffer.append(packets[takenCount].bytes) { takenCount += 1 }
        let next = hasPackets ? packets[takenCount].count : 0
        // Moved packets are removed only when they are more than half of the array, because each removal shifts the
        // remaining packets.
        if takenCount > packets.count / 2 {
            packets.removeFirst(takenCount)
            takenCount = 0
        }
        if next > 0, buffer.packetCount == 0 {
            throw MediaError(
                .invalidSample, "cannot convert to a buffer of \(buffer.byteCapacity) bytes",
                reason: "a packet has \(next) bytes", wayOut: "use maximumOutputPacketSize")
        }
    }
}

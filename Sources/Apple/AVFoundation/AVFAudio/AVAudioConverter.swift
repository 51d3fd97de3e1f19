public import Foundation
import MediaTypes

/// Converts audio from one form of linear PCM to another, and between linear PCM and packets of AAC, Apple Lossless,
/// FLAC and Opus. A converter may be used by only one thread at a time.
open class AVAudioConverter: NSObject {
    public let inputFormat: AVAudioFormat
    public let outputFormat: AVAudioFormat
    private var options = ConversionOptions()
    /// The conversion in progress. nil until a conversion begins, and after a change of the options.
    private var chain: ConversionChain?

    /// Returns nil for a conversion that is not supported.
    public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
        inputFormat = fromFormat
        outputFormat = toFormat
        super.init()
        // If only the loudspeakers differ, the formats are accepted, because properties that are set later may map or
        // mix the channels.
        let usual = try? ConversionChain(fromFormat, toFormat, options)
        options.downmix = true
        guard let possible = usual ?? (try? ConversionChain(fromFormat, toFormat, options)) else { return nil }
        options.downmix = false
        if usual != nil { chain = possible }
    }

    /// Discards all input, so that another stream can be converted.
    open func reset() { chain = nil }

    // MARK: Properties

    private func change(_ body: (inout ConversionOptions) -> Void) {
        body(&options)
        chain = nil
    }

    /// The input channel for each output channel, or −1 for silence. An empty list selects the default mapping. Setting
    /// this property, or one of the properties below, begins a new stream.
    open var channelMap: [NSNumber] {
        get {
            if !options.channelMap.isEmpty { return options.channelMap.map { NSNumber(value: $0) } }
            guard let input = inputFormat.engine, let output = outputFormat.engine else { return [] }
            return (ChannelMap.usual(from: input, to: output) ?? []).map { NSNumber(value: $0) }
        }
        set { change { $0.channelMap = newValue.map(\.intValue) } }
    }

    /// True to mix the channels if their number or their loudspeakers differ. If false, the output does not contain
    /// channels for which it has no loudspeaker.
    open var downmix: Bool {
        get { options.downmix }
        set { change { $0.downmix = newValue } }
    }

    /// The value is stored, but has no effect.
    open var dither = false

    /// The raw value of an `AVAudioQuality`. It determines the length of the resampler's filter.
    open var sampleRateConverterQuality: Int = AVAudioQuality.medium.rawValue {
        didSet {
            let quality = sampleRateConverterQuality
            let size = quality < AVAudioQuality.medium.rawValue ? 16 : quality < AVAudioQuality.high.rawValue ? 32 : 64
            change { $0.filterSize = quality >= AVAudioQuality.max.rawValue ? 128 : size }
        }
    }

    /// The value is stored, but has no effect, because there is only one algorithm.
    open var sampleRateConverterAlgorithm: String? = AVSampleRateConverterAlgorithm_Normal

    /// The value is stored, but has no effect. The resampler always works without latency, as with `normal`.
    open var primeMethod = AVAudioConverterPrimeMethod.normal

    /// The numbers of leading and trailing frames that do not belong to the audio. An encoder reports them, but knows
    /// the trailing frames only at the end of the stream. A decoder removes as many frames as this property says.
    open var primeInfo: AVAudioConverterPrimeInfo {
        get {
            guard let chain = try? open(), let encoder = chain.encoder else { return options.prime }
            let leading = encoder.primingFrames
            let packet = Int64(encoder.format.framesPerPacket)
            // Lossless codecs do not pad the last packet: they store its length.
            let isPadded = encoder.format.codec == .aac || encoder.format.codec == .opus
            let rest = chain.packetTotal * packet - Int64(leading) - encoder.framesEncoded
            return AVAudioConverterPrimeInfo(
                leadingFrames: AVAudioFrameCount(clamping: leading),
                trailingFrames: chain.isFinished && isPadded ? AVAudioFrameCount(clamping: rest) : 0)
        }
        set { change { $0.prime = newValue } }
    }

    /// The configuration bytes of the codec: either those of the encoder or those that the decoder needs.
    open var magicCookie: Data? {
        get {
            if let made = encoded?.decoderConfiguration, !made.isEmpty { return Data(made) }
            return inputFormat.magicCookie
        }
        set {
            inputFormat.magicCookie = newValue
            chain = nil
        }
    }

    /// The bit rate of the encoder in bits per second.
    open var bitRate: Int {
        get { options.bitRate ?? (encoded == nil ? 0 : 64_000 * Int(outputFormat.channelCount)) }
        set { change { $0.bitRate = newValue } }
    }

    /// The value is stored, but has no effect: encoders use an average bit rate.
    open var bitRateStrategy: String?

    /// The size in bytes of the largest packet that the converter can output. For linear PCM, it is the size of a
    /// frame.
    open var maximumOutputPacketSize: Int {
        guard let format = encoded else { return Int(outputFormat.streamDescription.pointee.mBytesPerPacket) }
        switch format.codec {
        // 6144 bits per channel (ISO/IEC 14496-3, 4.5.3.3).
        case .aac: return 768 * format.channelCount
        // 1275 bytes per stream (RFC 6716, 3.4), plus the length fields between the streams.
        case .opus: return 1280 * format.channelCount
        // The size of samples that cannot be compressed, plus the framing.
        default: return 4 * max(4608, format.framesPerPacket) * format.channelCount + 256
        }
    }

    /// The format of the encoder's packets; nil for linear PCM.
    private var encoded: AudioFormat? { try? open().encoder?.format }

    private func open() throws(MediaError) -> ConversionChain {
        if let chain { return chain }
        let chain = try ConversionChain(inputFormat, outputFormat, options)
        self.chain = chain
        return chain
    }

    // MARK: Conversion

    /// Converts all frames of a buffer of linear PCM to another format with the same rate.
    ///
    /// - Throws: an error for formats of different rates, and for an output that is too small.
    open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
        outputBuffer.frameLength = 0
        try AudioError.converting { () throws(MediaError) -> Void in
            let action = "cannot convert a buffer"
            guard inputFormat.sampleRate == outputFormat.sampleRate else {
                throw MediaError(
                    .invalidSettings, action, reason: "the sample rates differ",
                    wayOut: "use convert(to:error:withInputFrom:)")
            }
            guard outputBuffer.frameCapacity >= inputBuffer.frameLength else {
                throw MediaError(.invalidSample, action, reason: "the output buffer is too small for all frames")
            }
            let chain = try open()
            try check(outputBuffer)
            try chain.put(inputBuffer)
            while try chain.take(into: outputBuffer) {}
        }
    }

    /// Fills a buffer with converted audio, and calls a block each time that it needs input.
    @discardableResult
    open func convert(
        to outputBuffer: AVAudioBuffer, error outError: NSErrorPointer,
        withInputFrom inputBlock: AVAudioConverterInputBlock
    ) -> AVAudioConverterOutputStatus {
        do throws(MediaError) {
            try check(outputBuffer)
            return switch outputBuffer {
            case let buffer as AVAudioPCMBuffer: try fill(buffer, inputBlock)
            case let buffer as AVAudioCompressedBuffer: try fill(buffer, inputBlock)
            default:
                throw MediaError(
                    .invalidSample, "cannot convert to a buffer", reason: "it has neither frames nor packets")
            }
        } catch {
            outError?.pointee = AudioError.make(error)
            return .error
        }
    }

    private func fill(
        _ buffer: AVAudioPCMBuffer, _ inputBlock: AVAudioConverterInputBlock
    ) throws(MediaError) -> AVAudioConverterOutputStatus {
        buffer.frameLength = 0
        let chain = try open()
        while true {
            while try chain.take(into: buffer) {}
            if buffer.frameLength == buffer.frameCapacity { return .haveData }
            if chain.isFinished { return buffer.frameLength > 0 ? .haveData : .endOfStream }
            let missing = Double(buffer.frameCapacity - buffer.frameLength)
            let frames = (missing * inputFormat.sampleRate / max(1, outputFormat.sampleRate)).rounded(.up)
            guard try feed(chain, AVAudioPacketCount(clamping: frames), inputBlock) else { return .inputRanDry }
        }
    }

    private func fill(
        _ buffer: AVAudioCompressedBuffer, _ inputBlock: AVAudioConverterInputBlock
    ) throws(MediaError) -> AVAudioConverterOutputStatus {
        (buffer.packetCount, buffer.byteLength) = (0, 0)
        let chain = try open()
        while true {
            try chain.takePackets(into: buffer)
            let isFull = buffer.packetCount == buffer.packetCapacity || chain.hasPackets
            if isFull { return .haveData }
            if chain.isFinished { return buffer.packetCount > 0 ? .haveData : .endOfStream }
            let missing = Double(buffer.packetCapacity - buffer.packetCount)
            let frames = missing * Double(max(1, chain.encoder?.format.framesPerPacket ?? 1))
            let wanted = (frames * inputFormat.sampleRate / max(1, outputFormat.sampleRate)).rounded(.up)
            guard try feed(chain, AVAudioPacketCount(clamping: wanted), inputBlock) else { return .inputRanDry }
        }
    }

    /// Calls the block for input. Returns false if the block has none now.
    private func feed(
        _ chain: ConversionChain, _ frames: AVAudioPacketCount, _ inputBlock: AVAudioConverterInputBlock
    ) throws(MediaError) -> Bool {
        // A compressed packet has many frames, so one packet at a time is enough.
        let wanted = inputFormat.streamDescription.pointee.mFormatID == kAudioFormatLinearPCM ? max(1, frames) : 1
        var status = AVAudioConverterInputStatus.haveData
        let input = inputBlock(wanted, &status)
        switch status {
        case .noDataNow: return false
        case .endOfStream: try chain.finish()
        case .haveData:
            // If an empty buffer counted as input, the block would be called forever.
            guard let input, !Self.isEmpty(input) else { return false }
            try chain.put(input)
        }
        return true
    }

    /// True for a buffer without a complete frame or packet.
    private static func isEmpty(_ buffer: AVAudioBuffer) -> Bool {
        switch buffer {
        case let buffer as AVAudioPCMBuffer: buffer.frameLength == 0
        case let buffer as AVAudioCompressedBuffer: buffer.packetCount == 0 || buffer.byteLength == 0
        default: false
        }
    }

    private func check(_ buffer: AVAudioBuffer) throws(MediaError) {
        if let difference = buffer.format.difference(to: outputFormat, named: "the converter's") {
            throw MediaError(.invalidSample, "cannot convert to a buffer", reason: difference)
        }
    }
}

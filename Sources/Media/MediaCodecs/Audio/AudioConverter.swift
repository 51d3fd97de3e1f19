import CFFmpeg
import MediaTypes

/// Converts the sample format, rate and channels of PCM with libswresample, and buffers the result until it is fetched.
final class AudioConverter {
    private let mixer: ChannelMixer
    private var context: OpaquePointer { mixer.context }
    private let input: PackedPCM
    private let inputBytesPerFrame: Int
    private let channelCount: Int
    private let scratch = ScratchMemory()
    private let clearsInvalid: Bool
    private let cleared = ScratchMemory()
    /// The number of values that became silence, because they were not finite or far too loud.
    private(set) var silencedValues: Int64 = 0
    /// A byte that the input pointer refers to when there is no input. The pointer must not be nil, because
    /// libswresample treats nil as the end of the stream.
    private var nothing: UInt8 = 0
    private var isDraining = false

    /// - Parameters:
    ///   - input: linear PCM of any form.
    ///   - output: the rate and channels of the result.
    ///   - channels: the codec's channel order; nil for the output's own order.
    ///   - sampleFormat: the sample format of the result.
    ///   - clearsInvalid: true if floating-point samples that no encoder accepts become silence.
    ///   - filterSize: the length of the resampler's filter in input frames; nil means libswresample's default.
    init(
        input: AudioFormat, output: AudioFormat, channels: CodecChannels? = nil, sampleFormat: AVSampleFormat,
        clearsInvalid: Bool = false, filterSize: Int? = nil
    ) throws(MediaError) {
        guard let pcm = input.pcm else {
            throw MediaError(.invalidSettings, "cannot convert \(input.codec) audio", reason: "it is not linear PCM")
        }
        self.input = PackedPCM(pcm, isBigEndian: input.isBigEndian)
        self.clearsInvalid = clearsInvalid && pcm.isFloatingPoint
        inputBytesPerFrame = pcm.byteCount * input.channelCount
        channelCount = input.channelCount
        mixer = try ChannelMixer(
            .init(
                channelCount: input.channelCount, sampleFormat: self.input.libavFormat,
                sampleRate: Int32(input.sampleRate)),
            .init(
                channelCount: output.channelCount, sampleFormat: sampleFormat, sampleRate: Int32(output.sampleRate)),
            route: Self.route(from: input, to: output, channels)
        ) { context in
            guard let filterSize else { return 0 }
            return av_opt_set_int(context, "filter_size", Int64(filterSize), 0)
        }
    }

    /// Returns the route from the input's channels to the codec's channels.
    private static func route(
        from input: AudioFormat, to output: AudioFormat, _ channels: CodecChannels?
    ) -> ChannelRoute {
        let route = ChannelRoute(from: input, to: output)
        guard let channels, !channels.order.isEmpty else { return route }
        switch route {
        case .each(let places): return .each(places.isEmpty ? channels.order : channels.order.map { places[$0] })
        // If the codec's order differs from the output's order, the codec's layout names the channels.
        case .mixed(let from, let to, let order): return .mixed(from, channels.named ?? to, order: order)
        case .gains(let rows): return .gains(channels.order.map { rows[$0] })
        }
    }

    /// Accepts complete audio frames and buffers them.
    func put(_ pcm: UnsafeRawBufferPointer) throws(MediaError) {
        let frames = pcm.count / inputBytesPerFrame
        guard frames > 0 else { return }
        var samples = UnsafeRawBufferPointer(rebasing: pcm[..<(frames * inputBytesPerFrame)])
        if !input.isUnpacked {
            let unpacked = scratch.bytes(frames * channelCount * input.unpackedByteCount)
            input.unpack(samples, into: unpacked)
            samples = UnsafeRawBufferPointer(unpacked)
        }
        if clearsInvalid { samples = valid(samples) }
        var plane = samples.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = swr_convert(context, nil, 0, &plane, Int32(clamping: frames))
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot convert audio") }
    }

    /// Returns samples with silence in place of those that are not finite or far too loud, which a faulty device
    /// delivers. libavcodec's AAC encoder refuses a frame with such a sample, or works on it for minutes.
    private func valid(_ samples: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        input.format == .float32 ? valid(samples, Float.self) : valid(samples, Double.self)
    }

    private func valid<Sample: BinaryFloatingPoint & BitwiseCopyable>(
        _ samples: UnsafeRawBufferPointer, _: Sample.Type
    ) -> UnsafeRawBufferPointer {
        let size = MemoryLayout<Sample>.size
        // 80 dB above full scale.
        let loudest: Sample = 10_000
        var target: UnsafeMutableRawBufferPointer?
        for offset in stride(from: 0, through: samples.count - size, by: size) {
            let sample = samples.loadUnaligned(fromByteOffset: offset, as: Sample.self)
            // The comparison is false for NaN.
            if abs(sample) <= loudest { continue }
            if target == nil {
                target = cleared.bytes(samples.count)
                target?.copyMemory(from: samples)
            }
            target?.storeBytes(of: 0, toByteOffset: offset, as: Sample.self)
            silencedValues += 1
        }
        return target.map { UnsafeRawBufferPointer($0) } ?? samples
    }

    /// Fetches up to `frames` converted audio frames into planes (one plane if interleaved). Returns the number of
    /// audio frames that were fetched.
    func fetch(_ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, frames: Int) throws(MediaError) -> Int {
        let result = withUnsafePointer(to: &nothing) { place -> Int32 in
            var plane: UnsafePointer<UInt8>? = isDraining ? nil : place
            return isDraining
                ? swr_convert(context, planes, Int32(frames), nil, 0)
                : swr_convert(context, planes, Int32(frames), &plane, 0)
        }
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot convert audio") }
        return Int(result)
    }

    /// Ends the input. From now on, `fetch` returns the audio that the resampler's filter still holds.
    func drain() { isDraining = true }
}

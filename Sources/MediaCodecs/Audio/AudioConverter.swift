import CFFmpeg
import MediaTypes

/// Changes sample format, rate and channels of PCM with libswresample, and holds what has not been fetched yet.
final class AudioConverter {
    private let context: OpaquePointer
    private let input: PackedPCM
    private let inputBytesPerFrame: Int
    private let channelCount: Int
    private let scratch = ScratchMemory()
    /// libswresample keeps a pointer to it.
    private let channelMap: UnsafeMutableBufferPointer<Int32>
    /// A place to point at when nothing goes in: libswresample takes nil for the end of the stream.
    private var nothing: UInt8 = 0
    private var isDraining = false

    /// - Parameters:
    ///   - input: linear PCM of any form.
    ///   - output: its rate and channels.
    ///   - channels: how the codec orders them; nil for `ChannelLayout`'s own order.
    ///   - sampleFormat: of the output.
    init(
        input: AudioFormat, output: AudioFormat, channels: CodecChannels? = nil, sampleFormat: AVSampleFormat
    ) throws(MediaError) {
        guard let pcm = input.pcm else {
            throw MediaError(.invalidSettings, "cannot convert \(input.codec) sound", reason: "it is not linear PCM")
        }
        self.input = PackedPCM(pcm, isBigEndian: input.isBigEndian)
        inputBytesPerFrame = pcm.byteCount * input.channelCount
        channelCount = input.channelCount
        var inputLayout = input.libavLayout
        var outputLayout = channels?.layout ?? output.libavLayout
        // Where only the names differ, channels change places and are not mixed.
        let order = input.layout == output.layout ? channels?.order ?? [] : []
        if !order.isEmpty { inputLayout = outputLayout }
        channelMap = .allocate(capacity: order.count)
        _ = channelMap.initialize(from: order)
        var made: OpaquePointer?
        var result = swr_alloc_set_opts2(
            &made, &outputLayout, sampleFormat, Int32(output.sampleRate), &inputLayout, self.input.libavFormat,
            Int32(input.sampleRate), 0, nil)
        if result >= 0, !order.isEmpty { result = swr_set_channel_mapping(made, channelMap.baseAddress) }
        if result >= 0 { result = swr_init(made) }
        guard result >= 0, let made else {
            swr_free(&made)
            channelMap.deallocate()
            throw MediaError(averror: result, .invalidSettings, "cannot convert sound")
        }
        context = made
    }

    deinit {
        var freed: OpaquePointer? = context
        swr_free(&freed)
        channelMap.deallocate()
    }

    /// Takes whole frames and keeps them.
    func put(_ pcm: UnsafeRawBufferPointer) throws(MediaError) {
        let frames = pcm.count / inputBytesPerFrame
        guard frames > 0 else { return }
        var samples = UnsafeRawBufferPointer(rebasing: pcm[..<(frames * inputBytesPerFrame)])
        if !input.isUnpacked {
            let unpacked = scratch.bytes(frames * channelCount * input.unpackedByteCount)
            input.unpack(samples, into: unpacked)
            samples = UnsafeRawBufferPointer(unpacked)
        }
        var plane = samples.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = swr_convert(context, nil, 0, &plane, Int32(clamping: frames))
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot convert sound") }
    }

    /// Fetches up to `frames` converted frames into planes (or one plane when interleaved). Returns how many came.
    func fetch(_ planes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, frames: Int) throws(MediaError) -> Int {
        let result = withUnsafePointer(to: &nothing) { place -> Int32 in
            var plane: UnsafePointer<UInt8>? = isDraining ? nil : place
            return isDraining
                ? swr_convert(context, planes, Int32(frames), nil, 0)
                : swr_convert(context, planes, Int32(frames), &plane, 0)
        }
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot convert sound") }
        return Int(result)
    }

    /// After this `fetch` gives what the resampler's filter still holds.
    func drain() { isDraining = true }
}

extension AudioFormat {
    /// libavutil's layout of the same name: its order of channels is ours.
    var libavLayout: AVChannelLayout {
        var result = AVChannelLayout()
        if let layout {
            _ = av_channel_layout_from_string(&result, layout.rawValue)
        } else {
            av_channel_layout_default(&result, Int32(channelCount))
        }
        return result
    }
}

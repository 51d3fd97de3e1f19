import CFFmpeg
import MediaTypes

/// Changes sample format, rate and channels of PCM with libswresample, and holds what has not been fetched yet.
final class AudioConverter {
    private let context: OpaquePointer
    private let inputBytesPerFrame: Int
    /// A place to point at when nothing goes in: libswresample takes nil for the end of the stream.
    private var nothing: UInt8 = 0
    private var isDraining = false

    /// - Parameter sampleFormat: of the output.
    init(input: AudioFormat, output: AudioFormat, sampleFormat: AVSampleFormat) throws(MediaError) {
        guard let pcm = input.pcm else {
            throw MediaError(.invalidSettings, "cannot convert \(input.codec) sound", reason: "it is not linear PCM")
        }
        inputBytesPerFrame = pcm.byteCount * input.channelCount
        var inputLayout = input.libavLayout
        var outputLayout = output.libavLayout
        var made: OpaquePointer?
        let result = swr_alloc_set_opts2(
            &made, &outputLayout, sampleFormat, Int32(output.sampleRate), &inputLayout, pcm.libavFormat,
            Int32(input.sampleRate), 0, nil)
        guard result >= 0, let made else {
            throw MediaError(averror: result, .invalidSettings, "cannot convert sound")
        }
        let started = swr_init(made)
        guard started >= 0 else {
            var freed: OpaquePointer? = made
            swr_free(&freed)
            throw MediaError(averror: started, .invalidSettings, "cannot convert sound")
        }
        context = made
    }

    deinit {
        var freed: OpaquePointer? = context
        swr_free(&freed)
    }

    /// Takes whole frames and keeps them. Packed 24-bit samples must have been widened (`PCMSampleFormat.widened`).
    func put(_ pcm: UnsafeRawBufferPointer) throws(MediaError) {
        guard let base = pcm.baseAddress, pcm.count > 0 else { return }
        var plane: UnsafePointer<UInt8>? = base.assumingMemoryBound(to: UInt8.self)
        let result = swr_convert(context, nil, 0, &plane, Int32(pcm.count / inputBytesPerFrame))
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

extension PCMSampleFormat {
    var libavFormat: AVSampleFormat {
        switch self {
        case .s16: AV_SAMPLE_FMT_S16
        case .s24, .s32: AV_SAMPLE_FMT_S32
        case .float32: AV_SAMPLE_FMT_FLT
        }
    }
}

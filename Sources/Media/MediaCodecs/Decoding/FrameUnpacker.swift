import CFFmpeg
import MediaTypes

/// Converts decoded audio frames, planar or not, to one interleaved form. For one thread at a time.
final class FrameUnpacker {
    let bytesPerFrame: Int
    private let source: AudioFormat
    private let target: AudioFormat
    private let sampleRate: Int32
    private let sampleFormat: AVSampleFormat
    private var mixer: ChannelMixer?
    private let scratch = ScratchMemory()

    /// - Parameters:
    ///   - source: the track's format, whose layout names the channels of the frames.
    ///   - target: the format with the channels of the result.
    ///   - sampleRate: the rate of the result, from the container. Frames of a different rate are resampled.
    ///   - sampleFormat: the interleaved sample format of the result.
    init(source: AudioFormat, target: AudioFormat, sampleRate: Int, sampleFormat: AVSampleFormat) {
        self.source = source
        self.target = target
        self.sampleRate = Int32(clamping: sampleRate)
        self.sampleFormat = sampleFormat
        bytesPerFrame = Int(av_get_bytes_per_sample(sampleFormat)) * target.channelCount
    }

    /// - Returns: complete audio frames, valid until the next call.
    func unpack(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> UnsafeRawBufferPointer {
        let count = frame.pointee.nb_samples
        guard count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let context = try prepare(frame).context
        let room = max(Int(swr_get_out_samples(context, count)), Int(count))
        let bytes = scratch.bytes(room * bytesPerFrame)
        var plane = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = frame.pointee.extended_data.withMemoryRebound(
            to: UnsafePointer<UInt8>?.self, capacity: Int(max(1, frame.pointee.ch_layout.nb_channels))
        ) { swr_convert(context, &plane, Int32(clamping: room), $0, count) }
        guard result >= 0 else { throw MediaError(averror: result, .codecFailure, "cannot convert audio") }
        return UnsafeRawBufferPointer(rebasing: bytes[..<(Int(result) * bytesPerFrame)])
    }

    /// Returns the mixer for a frame. Configures libswresample again if the codec has changed the form of its frames.
    private func prepare(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> ChannelMixer {
        let layout = frame.pointee.ch_layout
        let key = Key(
            format: frame.pointee.format, rate: frame.pointee.sample_rate, channels: layout.nb_channels,
            mask: layout.order == AV_CHANNEL_ORDER_NATIVE ? layout.u.mask : 0)
        if let mixer, key == current { return mixer }
        (mixer, current) = (nil, nil)
        let made = try ChannelMixer(
            .init(
                channelCount: Int(key.channels), sampleFormat: AVSampleFormat(rawValue: key.format),
                sampleRate: key.rate),
            .init(channelCount: target.channelCount, sampleFormat: sampleFormat, sampleRate: sampleRate),
            route: ChannelRoute(from: format(of: key), to: target)
        ) {
            // Without this option, mixed channels are louder in floating point than in integers.
            av_opt_set_double($0, "rematrix_maxval", 1, 0)
        }
        (mixer, current) = (made, key)
        return made
    }

    /// Returns the format of a frame, with the channels of the track. If the track does not describe its channels, or
    /// has a different channel count than the frame, the format has the channels of the codec.
    private func format(of key: Key) -> AudioFormat {
        var format = source
        if Int(key.channels) != source.channelCount || source.layout == nil {
            format.channelCount = Int(key.channels)
            format.layout = key.mask == 0 ? nil : ChannelLayout(mask: key.mask)
        }
        return format
    }

    private struct Key: Equatable {
        var format: Int32
        var rate: Int32
        var channels: Int32
        var mask: UInt64
    }
    private var current: Key?
}

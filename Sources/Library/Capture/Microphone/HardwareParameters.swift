import CALSA
import Glibc
import MediaTypes

/// ALSA's configuration space of one device, narrowed step by step (snd_pcm_hw_params_*). Used by one thread.
final class HardwareParameters {
    private let pcm: OpaquePointer
    private let parameters: OpaquePointer

    init(_ device: ALSADevice) throws(MediaError) {
        var made: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&made) == 0, let made else {
            throw MediaError(errno: ENOMEM, "cannot set up \(device.name)")
        }
        pcm = device.handle
        parameters = made
        let code = snd_pcm_hw_params_any(pcm, parameters)
        guard code >= 0 else { throw device.error(code, "cannot set up \(device.name)") }
        _ = snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED)
    }

    deinit { snd_pcm_hw_params_free(parameters) }

    func canDo(rate: Int) -> Bool { snd_pcm_hw_params_test_rate(pcm, parameters, UInt32(clamping: rate), 0) == 0 }
    func canDo(channels: Int) -> Bool {
        snd_pcm_hw_params_test_channels(pcm, parameters, UInt32(clamping: channels)) == 0
    }

    var rateLimits: [Int] {
        var (lowest, highest): (UInt32, UInt32) = (0, 0)
        guard snd_pcm_hw_params_get_rate_min(parameters, &lowest, nil) == 0,
            snd_pcm_hw_params_get_rate_max(parameters, &highest, nil) == 0
        else { return [] }
        return [Int(lowest), Int(highest)]
    }

    /// Returns ALSA's code for a sample format, and the conversion that its samples need.
    func code(for format: PCMSampleFormat) -> (code: snd_pcm_format_t, repacking: SampleRepacking, byteCount: Int)? {
        let options: [(snd_pcm_format_t, SampleRepacking, Int)] =
            switch format {
            case .s16: [(SND_PCM_FORMAT_S16_LE, .none, 2)]
            case .s24: [(SND_PCM_FORMAT_S24_3LE, .none, 3), (SND_PCM_FORMAT_S24_LE, .packedTo24, 4)]
            case .s32: [(SND_PCM_FORMAT_S32_LE, .none, 4), (SND_PCM_FORMAT_S24_LE, .shiftedTo32, 4)]
            case .float32: [(SND_PCM_FORMAT_FLOAT_LE, .none, 4)]
            // No microphone delivers these.
            case .s8, .float64: []
            }
        return options.first { snd_pcm_hw_params_test_format(pcm, parameters, $0.0) == 0 }
    }

    /// Narrows the space to one point and sets it; nil if the device does not support this combination.
    func apply(_ format: AudioFormat) -> ALSADevice.Setup? {
        guard let pcmFormat = format.pcm, let wire = code(for: pcmFormat),
            snd_pcm_hw_params_set_format(pcm, parameters, wire.code) == 0,
            snd_pcm_hw_params_set_channels(pcm, parameters, UInt32(format.channelCount)) == 0,
            snd_pcm_hw_params_set_rate(pcm, parameters, UInt32(format.sampleRate), 0) == 0
        else { return nil }
        guard let sizes = chooseSizes(format.sampleRate), snd_pcm_hw_params(pcm, parameters) == 0 else { return nil }
        // Plug-ins and sound cards know the map only after they are set up.
        let channelMap = ChannelMap(pcm, channelCount: format.channelCount)
        var format = format
        if let channelMap { format.layout = channelMap.layout }
        return ALSADevice.Setup(
            format: format, channelMap: channelMap, repacking: wire.repacking,
            bytesPerFrame: wire.byteCount * format.channelCount, periodFrames: sizes.period, bufferFrames: sizes.ring)
    }

    /// Returns a period of 20 ms and the largest ring that the device allows with this period, up to 4 s. If that ring
    /// is shorter than half a second, returns the largest ring of all, with the period that fits it. Period and ring
    /// are in frames.
    private func chooseSizes(_ rate: Int) -> (period: Int, ring: Int)? {
        var saved: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&saved) == 0, let saved else { return nil }
        defer { snd_pcm_hw_params_free(saved) }
        snd_pcm_hw_params_copy(saved, parameters)
        if let sizes = setSizes(rate, ringFirst: false), sizes.ring >= rate / 2 { return sizes }
        snd_pcm_hw_params_copy(parameters, saved)
        return setSizes(rate, ringFirst: true)
    }

    private func setSizes(_ rate: Int, ringFirst: Bool) -> (period: Int, ring: Int)? {
        var period = snd_pcm_uframes_t(rate / 50)
        var ring: snd_pcm_uframes_t = 0
        if !ringFirst, snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, nil) != 0 { return nil }
        _ = snd_pcm_hw_params_get_buffer_size_max(parameters, &ring)
        ring = min(ring, snd_pcm_uframes_t(rate * 4))
        guard snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &ring) == 0 else { return nil }
        if ringFirst, snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, nil) != 0 { return nil }
        return (max(1, Int(period)), Int(ring))
    }
}

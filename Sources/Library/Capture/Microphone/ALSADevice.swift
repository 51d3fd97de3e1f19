import CALSA
import Glibc
import MediaTypes

/// An open ALSA capture device: its capabilities, its setup, and the calls of a running stream.
///
/// Used by one thread at a time. Source: alsa-lib's PCM interface.
final class ALSADevice: @unchecked Sendable {
    // Unchecked: its owner passes it on only through CaptureThread's lock.
    let name: String
    private let pcm: OpaquePointer

    /// Opens the device without blocking. ALSA's configuration resolves the name.
    ///
    /// - Throws: `notFound`, `busy`, `notPermitted`; `deviceUnsuitable` for a device that only plays.
    init(_ name: String) throws(MediaError) {
        calsa_silence()
        var handle: OpaquePointer?
        let code = snd_pcm_open(&handle, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
        guard code == 0, let handle else { throw Self.openError(code, name) }
        self.name = name
        pcm = handle
    }

    deinit { snd_pcm_close(pcm) }

    /// Returns the device's capabilities.
    ///
    /// - Parameter rate: A rate that will be requested, so that it is queried too.
    func capabilities(asking rate: Int? = nil) throws(MediaError) -> MicrophoneCapabilities {
        let parameters = try HardwareParameters(self)
        let known = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000]
        var rates = Set((known + (rate.map { [$0] } ?? [])).filter { parameters.canDo(rate: $0) })
        rates.formUnion(parameters.rateLimits.filter { $0 >= 4_000 && $0 <= 192_000 })
        return MicrophoneCapabilities(
            formats: PCMSampleFormat.allCases.filter { parameters.code(for: $0) != nil },
            sampleRates: rates.sorted(), channels: (1...32).filter { parameters.canDo(channels: $0) })
    }

    /// The setup that the device accepted.
    struct Setup {
        var format: AudioFormat
        /// The loudspeakers that the device reports for its channels; nil if it reports none.
        var channelMap: ChannelMap?
        /// The conversion from the device's sample format to `format`.
        var repacking: SampleRepacking
        /// The size of one frame as the device writes it, in bytes.
        var bytesPerFrame: Int
        var periodFrames: Int
        var bufferFrames: Int
    }

    /// Sets format, rate, channels, a period near 20 ms and the largest ring that the device has, up to 4 s.
    ///
    /// - Throws: `deviceUnsuitable` with the nearest setup that the device supports.
    func setUp(_ request: MicrophoneRequest) throws(MediaError) -> Setup {
        let offered = try capabilities(asking: request.sampleRate)
        let choices = try offered.choices(for: request, device: name)
        for format in choices.prefix(256) {
            let parameters = try HardwareParameters(self)
            guard let setup = parameters.apply(format) else { continue }
            try setSoftwareParameters(setup)
            return setup
        }
        let first = choices[0]
        throw MediaError(
            .deviceUnsuitable,
            "cannot record \(first.sampleRate) Hz, \(first.channelCount) channels, \(first.pcm?.rawValue ?? "") from \(name)",
            reason: "it supports each of these, but not together",
            wayOut: name.hasPrefix("hw:") ? "use plug\(name), which converts" : "omit one of them")
    }

    /// Selects timestamps on the monotonic clock and one wake-up per period, and disables the automatic start.
    private func setSoftwareParameters(_ setup: Setup) throws(MediaError) {
        let code = withSoftwareParameters { parameters in
            var boundary: snd_pcm_uframes_t = 0
            _ = snd_pcm_sw_params_get_boundary(parameters, &boundary)
            _ = snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
            // A device with an older kernel, or a plug-in, may refuse. Its timestamps are then recognized by their
            // values.
            _ = snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
            _ = snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(setup.periodFrames))
            _ = snd_pcm_sw_params_set_start_threshold(pcm, parameters, boundary)
        }
        guard code == 0 else { throw error(code, "cannot set up \(name)") }
    }

    /// Applies `change` to the current parameters. Returns 0 or a negative errno.
    private func withSoftwareParameters(_ change: (OpaquePointer) -> Void) -> Int32 {
        var made: OpaquePointer?
        guard snd_pcm_sw_params_malloc(&made) == 0, let parameters = made else { return -ENOMEM }
        defer { snd_pcm_sw_params_free(parameters) }
        _ = snd_pcm_sw_params_current(pcm, parameters)
        change(parameters)
        return snd_pcm_sw_params(pcm, parameters)
    }

    // MARK: The running stream. Each call returns 0 or more, or a negative errno.

    func prepare() -> Int32 { snd_pcm_prepare(pcm) }
    func start() -> Int32 { snd_pcm_start(pcm) }
    func resume() -> Int32 { snd_pcm_resume(pcm) }

    /// Makes poll(2) wait for this many frames from now on. A device that refuses keeps its setting.
    func wake(at frames: Int) {
        _ = withSoftwareParameters {
            _ = snd_pcm_sw_params_set_avail_min(pcm, $0, snd_pcm_uframes_t(frames))
        }
    }

    func drop() { _ = snd_pcm_drop(pcm) }
    var isDisconnected: Bool { snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED }

    /// Returns the descriptors to poll, valid for the life of the stream.
    func pollDescriptors() -> [pollfd] {
        let count = snd_pcm_poll_descriptors_count(pcm)
        guard count > 0 else { return [] }
        var descriptors = [pollfd](repeating: pollfd(), count: Int(count))
        let filled = snd_pcm_poll_descriptors(pcm, &descriptors, UInt32(count))
        return filled > 0 ? Array(descriptors.prefix(Int(filled))) : []
    }

    /// Returns the events that poll(2) reported, translated by the device.
    func events(of descriptors: inout [pollfd], count: Int) -> Int32 {
        var events: UInt16 = 0
        let code = snd_pcm_poll_descriptors_revents(pcm, &descriptors, UInt32(count), &events)
        return code < 0 ? code : Int32(events)
    }

    /// Returns the number of readable frames, and the time at which the driver counted them (nanoseconds; 0 if
    /// unknown).
    func available() -> (code: Int32, frames: Int, stamp: Int64) {
        // For a plug-in, this call updates the count. For a sound card, it only reads what the last interrupt stored.
        let ready = snd_pcm_avail_update(pcm)
        guard ready >= 0 else { return (Int32(ready), 0, 0) }
        var frames: snd_pcm_uframes_t = 0
        var stamp = snd_htimestamp_t()
        let code = snd_pcm_htimestamp(pcm, &frames, &stamp)
        if code < 0 { return code == -ENOSYS ? (0, Int(ready), 0) : (code, 0, 0) }
        // The time from a plug-in may be impossible; `AudioAccount` then replaces it.
        return (0, Int(clamping: frames), Int64(stamp.tv_sec) &* 1_000_000_000 &+ Int64(stamp.tv_nsec))
    }

    /// The number of audio frames that were captured and are not read yet.
    var delay: Int {
        var frames: snd_pcm_sframes_t = 0
        return snd_pcm_delay(pcm, &frames) == 0 ? max(0, Int(frames)) : 0
    }

    /// Reads up to `frames` frames. Returns the number read, or a negative errno.
    func read(_ target: UnsafeMutableRawBufferPointer, frames: Int) -> Int {
        Int(snd_pcm_readi(pcm, target.baseAddress, snd_pcm_uframes_t(frames)))
    }

    /// The ALSA handle, for the setup calls.
    var handle: OpaquePointer { pcm }
}

/// The conversion of 24-bit samples in 32-bit containers into a standard format, in place. In such a container, the low
/// three bytes are the sample, and the fourth is undefined (SND_PCM_FORMAT_S24_LE).
enum SampleRepacking {
    case none
    /// Shifts to 32 bits: the same loudness, with the low byte zero.
    case shiftedTo32
    /// Packs to three bytes per sample.
    case packedTo24

    /// Converts samples in place.
    ///
    /// - Returns: The number of bytes that contain samples afterwards.
    func apply(to bytes: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .none: return bytes.count
        case .shiftedTo32:
            let samples = bytes.bindMemory(to: UInt32.self)
            for index in samples.indices { samples[index] = UInt32(littleEndian: samples[index]) << 8 }
            return bytes.count
        case .packedTo24:
            let count = bytes.count / 4
            for index in 0..<count {
                bytes[index * 3] = bytes[index * 4]
                bytes[index * 3 + 1] = bytes[index * 4 + 1]
                bytes[index * 3 + 2] = bytes[index * 4 + 2]
            }
            return count * 3
        }
    }
}

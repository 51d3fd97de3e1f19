import CALSA
import Glibc
import RealTime

/// A player into one end of the loopback card: silence, and one loud audio frame a second with a known time.
final class MicrophonePlayer: Sendable {
    static let rate = 48_000
    private let played = Locked<(instants: [Int64], hasStarted: Bool)>(([], false))
    private let stopSignal = WakeUp()
    private let hasEnded = Locked(false)

    /// The monotonic nanoseconds of each loud audio frame up to now.
    var instants: [Int64] { played.withLock { $0.instants } }

    /// Plays 16 bits, stereo, 48 kHz. Returns once it plays.
    init(_ device: String = "hw:Loopback,0,0") throws {
        let (played, stop, hasEnded) = (played, stopSignal, hasEnded)
        _ = try NamedThread("player") {
            Self.play(device, into: played, until: stop)
            hasEnded.withLock { $0 = true }
            hasEnded.broadcast()
        }
        _ = played.waiting(atMost: 5_000_000_000) { $0.hasStarted ? () : nil }
    }

    func stop() {
        stopSignal.fire()
        hasEnded.waiting { $0 ? () : nil }
    }

    deinit { stopSignal.fire() }

    private static func play(
        _ device: String, into played: Locked<(instants: [Int64], hasStarted: Bool)>, until stop: WakeUp
    ) {
        var handle: OpaquePointer?
        guard snd_pcm_open(&handle, device, SND_PCM_STREAM_PLAYBACK, 0) == 0, let pcm = handle else { return }
        defer { snd_pcm_close(pcm) }
        guard
            snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, UInt32(rate), 0, 100_000)
                == 0
        else { return }
        let clock = MonotonicClock()
        var block = [Int16](repeating: 0, count: 960)
        var written = 0
        var next = rate
        while !stop.isFired(before: clock.nanoseconds) {
            for index in block.indices { block[index] = 0 }
            if (written..<(written + 480)).contains(next) {
                block[2 * (next - written)] = 20_000
                block[2 * (next - written) + 1] = 20_000
                var queued: snd_pcm_sframes_t = 0
                _ = snd_pcm_delay(pcm, &queued)
                // Audio that is written now is heard after all that is queued.
                let ahead = Int64(queued + next - written) * 1_000_000_000 / Int64(rate)
                let instant = clock.nanoseconds + ahead
                played.withLock { $0.instants.append(instant) }
                next += rate
            }
            if snd_pcm_writei(pcm, block, 480) < 0 { snd_pcm_prepare(pcm) }
            written += 480
            played.withLock { $0.hasStarted = true }
            played.broadcast()
        }
        snd_pcm_drop(pcm)
    }
}

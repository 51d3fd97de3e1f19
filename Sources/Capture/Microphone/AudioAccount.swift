/// When each block of sound was captured, and how much is missing between two. A plain value; nanoseconds of the
/// monotonic clock.
struct AudioAccount {
    private let sampleRate: Int
    /// When the device was started.
    private let start: Int64
    /// When the last block ended.
    private var end: Int64?
    private var isInterrupted = false

    /// Readings whose time stamp was missing or could not be true, so that the moment of reading was used.
    private(set) var replacedStamps: Int64 = 0

    init(sampleRate: Int, start: Int64) {
        self.sampleRate = sampleRate
        self.start = start
    }

    /// When the oldest readable frame was captured.
    ///
    /// A time stamp belongs to the moment at which the driver last looked where the hardware writes (the "hardware
    /// pointer"); `available` frames were readable at that moment, so the oldest of them began that much earlier.
    /// Source: alsa-lib, snd_pcm_htimestamp(); the kernel's "ALSA PCM timestamping".
    ///
    /// - Parameters:
    ///   - stamp: nanoseconds; 0 when the device has none.
    ///   - now: for a device without usable stamps.
    mutating func firstFrame(stamp: Int64, available: Int, now: Int64) -> Int64 {
        var moment = stamp
        if stamp < start - 1_000_000_000 || stamp > now + 100_000_000 {
            replacedStamps += 1
            moment = now
        }
        return moment &- nanoseconds(available)
    }

    /// The time that so many frames take.
    func nanoseconds(_ frames: Int) -> Int64 {
        // A device that was silent for days, or a driver that errs, is beyond 64 bits.
        let product = Int128(frames) * 1_000_000_000
        return Int64(clamping: (product + Int128(sampleRate) / 2) / Int128(sampleRate))
    }

    /// The device lost sound: an xrun, or a suspended machine. How much, the next block's time will tell.
    mutating func interrupted() { isInterrupted = true }

    /// Takes note of a block.
    ///
    /// - Returns: the frames lost between the one before and this one, if there was an interruption.
    mutating func add(blockAt time: Int64, frames: Int) -> Int64 {
        defer {
            end = time &+ nanoseconds(frames)
            isInterrupted = false
        }
        guard isInterrupted else { return 0 }
        // Before the first block nothing was promised but what came after the start.
        let missing = Int128(time) - Int128(end ?? start)
        return max(0, Int64(clamping: (missing * Int128(sampleRate) + 500_000_000) / 1_000_000_000))
    }
}

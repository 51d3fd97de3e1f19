/// The capture time of each audio block, and the number of missing frames between two blocks. A plain value, in
/// nanoseconds of the monotonic clock.
struct AudioAccount {
    private let sampleRate: Int
    /// The start time of the device.
    private let start: Int64
    /// The end of the last block.
    private var end: Int64?
    private var isInterrupted = false

    /// The number of reads whose timestamp was missing or impossible. The time of the read was used instead.
    private(set) var replacedStamps: Int64 = 0

    init(sampleRate: Int, start: Int64) {
        self.sampleRate = sampleRate
        self.start = start
    }

    /// Returns the capture time of the oldest readable frame.
    ///
    /// A timestamp is the time at which the driver last read the hardware's write position (the "hardware pointer").
    /// `available` frames were readable at that time, so the oldest of them began that much earlier.
    /// Source: alsa-lib, snd_pcm_htimestamp(); the kernel's "ALSA PCM timestamping".
    ///
    /// - Parameters:
    ///   - stamp: Nanoseconds; 0 if the device has none.
    ///   - now: The current time, for a device without usable timestamps.
    mutating func firstFrame(stamp: Int64, available: Int, now: Int64) -> Int64 {
        var moment = stamp
        if stamp < start - 1_000_000_000 || stamp > now + 100_000_000 {
            replacedStamps += 1
            moment = now
        }
        return moment &- nanoseconds(available)
    }

    /// Returns the duration of `frames` frames.
    func nanoseconds(_ frames: Int) -> Int64 {
        // After days of silence, or with a faulty driver, the product exceeds 64 bits.
        let product = Int128(frames) * 1_000_000_000
        return Int64(clamping: (product + Int128(sampleRate) / 2) / Int128(sampleRate))
    }

    /// Records that the device lost audio: an xrun or a suspend. The time of the next block shows how much was lost.
    mutating func interrupted() { isInterrupted = true }

    /// Records a block.
    ///
    /// - Returns: The frames lost between the previous block and this one, if there was an interruption.
    mutating func add(blockAt time: Int64, frames: Int) -> Int64 {
        defer {
            end = time &+ nanoseconds(frames)
            isInterrupted = false
        }
        guard isInterrupted else { return 0 }
        // For the first block, only audio after the start counts as missing.
        let missing = Int128(time) - Int128(end ?? start)
        return max(0, Int64(clamping: (missing * Int128(sampleRate) + 500_000_000) / 1_000_000_000))
    }
}

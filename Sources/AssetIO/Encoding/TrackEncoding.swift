import MediaTypes

/// How one track's samples become packets. Used by the track's encoder thread alone.
protocol TrackEncoding: AnyObject {
    /// Takes a packet and how many captured samples it accounts for. May block while the disk is behind.
    typealias Output = (SampleBuffer, Int64) -> Void

    /// The format of the packets, where it is known before the first one.
    var format: FormatDescription? { get }
    /// Ticks per second of the track.
    var timeScale: Int32 { get }
    var primingFrames: Int { get }
    /// Where the last real sample ends, where that differs from the end of the last packet.
    var end: MediaTime? { get }
    /// Gaps filled so far, and how many frames of silence it took.
    var gaps: (count: Int, frames: Int64) { get }

    /// What the clock of a live device's sound is found to do.
    var clock: SoundClock { get }

    /// Captured samples cut off because what is written already covers their time.
    var cutSamples: Int64 { get }
    /// Captured samples that went in and that no packet has accounted for. Asked after `finish`.
    var unaccountedSamples: Int64 { get }

    /// How many times the encoder sees the source. In all but the last pass the packets are worth nothing.
    var passCount: Int { get }

    /// How hard it works; nil where it always does the same.
    var effort: EncodingEffort? { get }

    /// Whether it wants to know of the queue.
    var watchesPressure: Bool { get }

    /// Told before each sample how much waits behind it, as a part of what may. Works less hard where it falls behind, and
    /// harder again where there is time.
    ///
    /// - Returns: whether `effort` has changed.
    func keepUp(pressure: Double, output: Output) throws(MediaError) -> Bool

    /// - Throws: `invalidSample` or `corruptData` for a sample that a live track leaves out; anything else ends the track.
    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError)
    func finish(output: Output) throws(MediaError)
    /// A session has ended, and what comes next is of another one, with a gap between them: gives out what there is, and begins
    /// anew, so that nothing in the one leans on the other.
    func endSession(output: Output) throws(MediaError)
    /// The current pass has seen all of the source; the next one begins. Called `passCount` − 1 times.
    func beginNextPass() throws(MediaError)
    /// Files that were needed only for encoding go away. Called once at the end, whatever it is.
    func removeTemporaryFiles()
}

extension TrackEncoding {
    var primingFrames: Int { 0 }
    var end: MediaTime? { nil }
    var gaps: (count: Int, frames: Int64) { (0, 0) }
    var clock: SoundClock { SoundClock() }
    var cutSamples: Int64 { 0 }
    var unaccountedSamples: Int64 { 0 }
    var passCount: Int { 1 }
    var effort: EncodingEffort? { nil }
    var watchesPressure: Bool { false }
    func keepUp(pressure: Double, output: Output) -> Bool { false }
    func endSession(output: Output) {}
    func beginNextPass() {}
    func removeTemporaryFiles() {}
}

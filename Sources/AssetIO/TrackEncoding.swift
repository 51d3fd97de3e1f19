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

    /// Captured samples cut off because what is written already covers their time.
    var cutSamples: Int64 { get }
    /// Captured samples that went in and that no packet has accounted for. Asked after `finish`.
    var unaccountedSamples: Int64 { get }

    /// - Throws: `invalidSample` or `corruptData` for a sample that is left out; anything else ends the track.
    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError)
    func finish(output: Output) throws(MediaError)
}

extension TrackEncoding {
    var primingFrames: Int { 0 }
    var end: MediaTime? { nil }
    var gaps: (count: Int, frames: Int64) { (0, 0) }
    var cutSamples: Int64 { 0 }
    var unaccountedSamples: Int64 { 0 }
}

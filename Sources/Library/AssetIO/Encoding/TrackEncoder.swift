import MediaTypes

/// Encodes one track's samples to packets. Used by the track's encoder thread alone.
protocol TrackEncoder: AnyObject {
    /// Accepts a packet and the number of captured samples that it represents. May block while the disk lags.
    typealias Output = (SampleBuffer, Int64) -> Void

    /// The format of the packets, if it is known before the first one.
    var format: FormatDescription? { get }
    /// Ticks per second of the track.
    var timeScale: Int32 { get }
    var primingFrames: Int { get }
    /// The end of the last real sample, if it differs from the end of the last packet.
    var end: MediaTime? { get }
    /// The facts about the encoder's work until now.
    var facts: EncoderFacts { get }

    /// The number of captured samples that were cut because their time is already covered.
    var cutSamples: Int64 { get }
    /// The number of captured samples that were left out because they repeat the previous sample.
    var repeatedSamples: Int64 { get }
    /// The number of captured samples that the encoder accepted and lost.
    var lostSamples: Int64 { get }
    /// The number of captured samples that were encoded and are not represented by any packet. Read after `finish`.
    var unaccountedSamples: Int64 { get }

    /// The number of passes over the source. The packets of all but the last pass are discarded.
    var passCount: Int { get }

    /// True if `keepUp` has to be called.
    var watchesPressure: Bool { get }

    /// Called before each sample. Reduces the effort if the encoder falls behind, and increases it again once the
    /// encoder has time to spare.
    ///
    /// - Parameter pressure: The part of the queue's budget that is in use.
    ///
    /// - Returns: true if the effort in `facts` has changed.
    func keepUp(pressure: Double, output: Output) throws(MediaError) -> Bool

    /// Encodes a sample.
    ///
    /// - Throws: `invalidSample` or `corruptData` for a sample that a live track leaves out; any other error ends the
    ///   track.
    func encode(_ sample: SampleBuffer, output: Output) throws(MediaError)
    func finish(output: Output) throws(MediaError)
    /// Ends a session; the next samples belong to another session, after a gap. Outputs all pending packets and starts
    /// again, so that no packet depends on another session's packets. If a video encoder cannot start again, e.g.
    /// because memory is missing, it begins the next session with a keyframe.
    func endSession(output: Output) throws(MediaError)
    /// Ends the current pass, which has seen the entire source, and begins the next. Called `passCount` − 1 times.
    func beginNextPass() throws(MediaError)
    /// Deletes files that were needed only for encoding. Called once at the end, even after a failure.
    func removeTemporaryFiles()
}

extension TrackEncoder {
    var primingFrames: Int { 0 }
    var end: MediaTime? { nil }
    var facts: EncoderFacts { EncoderFacts() }
    var cutSamples: Int64 { 0 }
    var repeatedSamples: Int64 { 0 }
    var lostSamples: Int64 { 0 }
    var unaccountedSamples: Int64 { 0 }
    var passCount: Int { 1 }
    var watchesPressure: Bool { false }
    func keepUp(pressure: Double, output: Output) -> Bool { false }
    func endSession(output: Output) {}
    func beginNextPass() {}
    func removeTemporaryFiles() {}
}

package import MediaTypes

/// Accepts the packets of one track, for a file's muxer or for a router that distributes packets to files. A file's
/// sink reports to the track's admission, which has the ledger; the sink of a `LiveEncoder` reports to the encoder.
///
/// Called by one thread at a time.
package protocol PacketSink: Sendable {
    /// Accepts a packet and enters it into the track's ledger. May block while the disk lags, if the sink documents it.
    ///
    /// - Parameter count: the number of captured samples that the packet represents.
    func accept(_ packet: SampleBuffer, accountsFor count: Int64)
    /// Records that the track continues at this time without a packet, because a frame repeats the previous frame. The
    /// previous frame then lasts longer. The track's ledger has counted the repeated frame already. Only called for
    /// live video.
    func continues(at time: MediaTime)
    /// Begins another session of the track, after a gap.
    func beginSession()
    /// Ends the track, which has no more packets. Called once.
    ///
    /// - Parameter end: the end of the track's last real sample, if that differs from the end of its last packet.
    func end(at end: MediaTime?)
}

extension PacketSink {
    package func continues(at time: MediaTime) {}
    package func beginSession() {}
}

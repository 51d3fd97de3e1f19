import MediaTypes
import MovieFile

/// Takes what tracks make.
protocol PacketReceiver: Sendable {
    /// Whether a packet would be taken without waiting.
    var hasRoom: Bool { get }
    /// Called by one thread at a time for each track. Blocks while what takes the packets is behind, if it may; `waiting` is
    /// told before and after. Else the packet is taken at once, whatever there is.
    func push(_ packet: TrackSample, mayWait: Bool, waiting: (Bool) -> Void)
    /// The track gives nothing more. Called once for each.
    func endTrack(_ index: Int)
}

import AssetIO
import MediaTypes
import Synchronization

/// The sink of one encoder of a track. It passes the packets to the dispatcher, and reports drops before the packet
/// that follows them.
///
/// `accept` and `end` are called on the encoder's thread, or on the device's thread if packets pass through.
final class EncoderOutput: PacketSink, @unchecked Sendable {
    // Unchecked: these properties are set once, before the encoder starts, and are read only afterwards. An encoder
    // delivers neither a packet nor its end before its start, even if packets pass through. The start synchronizes the
    // threads.
    private weak var track: LiveTrack?
    private weak var encoder: (any EncoderGeneration)?
    private var number = 0
    /// The number of the encoder's drops that were already published.
    private let knownDrops = Atomic<Int64>(0)

    init() {}

    /// Connects the encoder to its track. Called once, before the encoder starts.
    ///
    /// - Parameter number: The encoder's number in the track's history.
    func connect(_ encoder: any EncoderGeneration, _ number: Int, to track: LiveTrack) {
        self.track = track
        self.encoder = encoder
        self.number = number
    }

    func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
        guard let track, let encoder else { return }
        // Drops are published before the packet, so that they are counted in the file that they belong to.
        let dropped = encoder.dropped
        let isNews = knownDrops.exchange(dropped, ordering: .relaxed) != dropped
        if track.hasLost.exchange(false, ordering: .relaxed) || isNews { track.publishLosses() }
        track.dispatcher.accept(packet.accounting(for: count)) {
            number > track.lastRested.load(ordering: .acquiring)
        }
        encoder.recordHandedOn(count)
    }

    func continues(at time: MediaTime) {
        guard let track else { return }
        track.dispatcher.continueVideo(at: time) { number > track.lastRested.load(ordering: .acquiring) }
        // Drops are published at once, because possibly no packet follows in the recording. They are published after
        // the call of the dispatcher, so that a frame after the end of the recording does not count.
        track.publishLosses()
    }

    func end(at end: MediaTime?) {
        guard let track, let encoder else { return }
        track.encoderEnded(number, encoder.error)
    }
}

/// An encoder that is open, and the sink of its packets.
struct OpenEncoder: Sendable {
    let generation: any EncoderGeneration
    let output: EncoderOutput

    /// Opens an encoder with a new sink.
    init(_ format: FormatDescription, _ make: LiveTrack.Maker) throws(MediaError) {
        let output = EncoderOutput()
        generation = try make(format, output)
        self.output = output
    }
}

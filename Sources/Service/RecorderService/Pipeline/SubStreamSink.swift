import AssetIO
import MediaTypes
import RealTime

/// The sink of one encoder of the sub-stream. It keeps the encoder alive until its end.
///
/// `accept` and `end` are called on the encoder's thread.
final class SubStreamSink: PacketSink {
    private let encoder = Locked<(any EncoderGeneration)?>(nil)
    private let receive: @Sendable (SampleBuffer) -> Void
    private let ended: @Sendable (MediaError?) -> Void

    /// - Parameters:
    ///   - receive: Gets each packet.
    ///   - ended: Gets the error that ended the encoder; nil if the end was requested.
    init(receive: @escaping @Sendable (SampleBuffer) -> Void, ended: @escaping @Sendable (MediaError?) -> Void) {
        self.receive = receive
        self.ended = ended
    }

    /// Connects the encoder. Called once, before the encoder starts.
    func connect(_ encoder: any EncoderGeneration) { self.encoder.withLock { $0 = encoder } }

    /// Releases an encoder that could not start.
    func disconnect() { encoder.withLock { $0 = nil } }

    func accept(_ packet: SampleBuffer, accountsFor count: Int64) {
        receive(packet)
        encoder.withLock { $0 }?.recordHandedOn(count)
    }

    func end(at end: MediaTime?) {
        let encoder = encoder.withLock { $0.take() }
        ended(encoder?.error)
    }
}

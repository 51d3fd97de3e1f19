import AssetIO
import MediaTypes

/// One generation of a track's encoder. `LiveEncoder` is the real implementation; tests use one that passes samples on.
protocol EncoderGeneration: AnyObject, Sendable {
    /// The packets' format; nil if it is known only from the first packet.
    var format: FormatDescription? { get }
    /// Starts encoding. Its sink gets the packets from now on, and the end.
    func start(at start: MediaTime, after preparation: (@Sendable () -> Void)?) throws(MediaError)
    /// Does constant work and never blocks. A refused sample is counted as dropped, with the cause.
    @discardableResult
    func append(_ sample: SampleBuffer) -> Bool
    func recordLoss(_ count: Int64, cause: DropCause)
    func requestKeyframe(at time: MediaTime)
    func markAsFinished()
    func join()
    /// Counts the frames of a packet that the sink has passed on.
    func recordHandedOn(_ count: Int64)
    /// The error with which the encoder has failed; nil if it has not.
    var error: MediaError? { get }
    var ledger: Ledger { get }
    /// Samples that were captured and dropped. Read for every packet, without a lock.
    var dropped: Int64 { get }
    var queueDepth: Int { get }
    var facts: EncoderFacts { get }
}

extension LiveEncoder: EncoderGeneration {}

/// Opens an encoder for a device's format, at its frame rate, with a sink for its packets. Blocks for as long as the
/// encoder takes to open.
typealias EncoderMaker =
    @Sendable (FormatDescription, Double?, any PacketSink) throws(MediaError) -> any EncoderGeneration

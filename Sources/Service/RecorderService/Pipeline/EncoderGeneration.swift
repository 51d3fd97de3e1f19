import AssetIO
import MediaTypes

/// One of the encoders that a track uses one after the other. `LiveEncoder` is the real implementation; tests use one
/// that forwards samples.
protocol EncoderGeneration: AnyObject, Sendable {
    /// The packets' format; nil if it is known only from the first packet.
    var format: FormatDescription? { get }
    /// Starts encoding. From now on the sink gets the packets, and after the last one the end of the track.
    func start(at start: MediaTime, after preparation: (@Sendable () -> Void)?) throws(MediaError)
    /// Appends a sample. Takes constant time and never blocks. A refused sample is counted as dropped, with the cause.
    @discardableResult
    func append(_ sample: SampleBuffer) -> Bool
    func recordLoss(_ count: Int64, cause: DropCause)
    func requestKeyframe(at time: MediaTime)
    /// Requests a keyframe in addition to earlier requests. `requestKeyframe` would replace these requests.
    func requestAnotherKeyframe(at time: MediaTime)
    func markAsFinished()
    func join()
    /// Counts the frames of a packet as forwarded by the sink.
    func recordHandedOn(_ count: Int64)
    /// The error with which the encoder has failed; nil if it has not.
    var error: MediaError? { get }
    var ledger: Ledger { get }
    /// The number of captured samples that were dropped. It is read for every packet, without a lock.
    var dropped: Int64 { get }
    var queueDepth: Int { get }
    var facts: EncoderFacts { get }
}

extension LiveEncoder: EncoderGeneration {}

/// Opens an encoder for a device's format and frame rate, with a sink for its packets. Blocks for as long as the
/// encoder takes to open.
typealias EncoderMaker =
    @Sendable (FormatDescription, Double?, any PacketSink) throws(MediaError) -> any EncoderGeneration

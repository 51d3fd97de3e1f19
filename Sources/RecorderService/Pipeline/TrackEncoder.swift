import AssetIO
import MediaTypes

/// One generation of a track's encoder. `LiveEncoder` is the real one; tests have one that passes samples on.
protocol TrackEncoder: AnyObject, Sendable {
    /// Of the packets; nil where only the first one will tell.
    var format: FormatDescription? { get }
    func start(
        at start: MediaTime, after preparation: (@Sendable () -> Void)?,
        receiver: @escaping @Sendable (LiveEncoder.Event) -> Void
    ) throws(MediaError)
    /// Constant work, never waits. A sample it refuses is in the ledger, with the cause.
    @discardableResult
    func append(_ sample: SampleBuffer) -> Bool
    func noteLoss(_ count: Int64, cause: DropCause)
    func askForKeyFrame(at time: MediaTime)
    func markAsFinished()
    func join()
    var ledger: Ledger { get }
    /// Samples that were captured and dropped; asked for every packet, and takes no lock.
    var dropped: Int64 { get }
    var queueDepth: Int { get }
    var effort: EncodingEffort? { get }
    var filledGaps: (count: Int, frames: Int64) { get }
    var driftPPM: Double? { get }
    var syncOffset: Double? { get }
}

extension LiveEncoder: TrackEncoder {}

/// Opens an encoder for what a device gives, at its frame rate. May take as long as an encoder needs to open.
typealias EncoderMaker = @Sendable (FormatDescription, Double?) throws(MediaError) -> any TrackEncoder

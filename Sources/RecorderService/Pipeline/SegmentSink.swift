import MediaTypes

/// What a file tells of its own accord.
enum SegmentEvent: Sendable {
    /// It will be there; nothing is there yet.
    case placed(OutputLocation)
    /// It is there, and nothing is in it yet.
    case opened
    /// It holds a sample: it can be played from now on.
    case began
    /// One track ended early; the other goes on.
    case trackFailed(MediaType, MediaError)
    /// It is whole and has its name.
    case finished
    /// Nothing more can be written. What was synced stays under the temporary name.
    case failed(MediaError)
}

/// One file of a recording while it is written. `SegmentFile` is the real one; tests have one that remembers.
///
/// Everything here is constant work and never waits: it is called on encoder threads, one call at a time.
protocol SegmentSink: AnyObject, Sendable {
    func append(_ packet: SampleBuffer)
    /// Enters a loss into the file's own account.
    func noteLoss(_ mediaType: MediaType, count: Int64, cause: DropCause)
    func addChapter(_ title: String, at time: MediaTime)
    /// Nothing more comes: the file becomes whole, and `finished` or `failed` tells of it.
    func finish(at end: MediaTime)
    /// The file is not wanted: removes it.
    func cancel()

    /// Where it ends, once `finish` said so.
    var end: MediaTime? { get }
    var bytesWritten: Int64 { get }
    /// Bytes of media that were given and are not in the file yet.
    var backlog: Int64 { get }
    func ledger(_ mediaType: MediaType) -> Ledger
}

/// Begins a file. `events` is called from any thread, in order.
typealias SegmentMaker =
    @Sendable (SegmentOpening, _ events: @escaping @Sendable (SegmentEvent) -> Void) -> any SegmentSink

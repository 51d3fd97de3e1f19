import MediaTypes

/// One track of the movie being written, as a device's thread sees it.
protocol TrackSink: Sendable {
    /// Constant work, never waits. A sample it refuses is in the ledger, with the cause.
    func append(_ sample: SampleBuffer)
    /// Enters a loss that happened before the sample could reach us.
    func noteLoss(count: Int64, cause: DropCause)
    func markAsFinished()
    var ledger: Ledger { get }
    /// Samples waiting for the encoder.
    var queueDepth: Int { get }
    /// Stretches of sound that never came and were filled with silence, and their audio frames in all.
    var filledGaps: (count: Int, frames: Int64) { get }
}

/// What a movie sink tells of its own accord.
enum MovieSinkEvent: Sendable {
    /// The file holds a sample: it can be played from now on.
    case firstSampleWritten
    /// One track ended early; the other goes on.
    case trackFailed(MediaType, MediaError)
    /// Nothing more can be written. What was synced stays under the temporary name.
    case failed(MediaError)
}

/// The movie file being written. `AssetSink` is the real one; tests have one that remembers.
protocol MovieSink: Sendable {
    var video: (any TrackSink)? { get }
    var audio: (any TrackSink)? { get }
    var bytesWritten: Int64 { get }

    /// Hands every event to `body`, in order; returns when the sink has ended. For one caller.
    func forEachEvent(_ body: @Sendable (MovieSinkEvent) -> Void) async
    /// Creates the file under its temporary name.
    func start() throws(MediaError)
    /// Constant work; called on a device's thread.
    func startSession(at time: MediaTime) throws(MediaError)
    /// Writes what is queued, makes the file whole, gives it its name. Both tracks have been marked as finished.
    func finish(endingAt end: MediaTime) async throws(MediaError)
    /// Removes the file.
    func cancel()
}

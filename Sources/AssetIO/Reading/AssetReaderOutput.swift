import MediaCodecs
public import MediaTypes

/// Where a reader's samples come out: `TrackOutput`, `AudioMixOutput`, `VideoCompositionOutput`. The model is
/// AVFoundation's `AVAssetReaderOutput`.
///
/// Each output reads its tracks for itself and leaves the others out: outputs can be read in any order, one to its end
/// before the other, in bounded memory. Any thread may call; two that read at once take turns.
public protocol AssetReaderOutput: AnyObject, Sendable {
    var mediaType: MediaType { get }
    /// What the reader holds of it.
    var core: ReaderOutputCore { get }
}

extension AssetReaderOutput {
    public var alwaysCopiesSampleData: Bool { core.configuration.alwaysCopiesSampleData }
    public var supportsRandomAccess: Bool { core.configuration.supportsRandomAccess }

    /// What was left out up to now, of a reader with `skipsDamagedMedia`: sorted by track and time.
    public var damagedTimeRanges: [DamagedTimeRange] { core.configuration.damage?.ranges ?? [] }

    /// How many times memory for samples was taken from the system: flat once reading runs.
    var allocationCount: Int { core.allocationCount }

    /// Changes what can be chosen.
    ///
    /// - Throws: `invalidState` once reading has started.
    public func configure(_ change: (inout ReaderOutputConfiguration) -> Void) throws(MediaError) {
        try core.configure(change)
    }

    /// The next sample; blocks while it is read and decoded.
    ///
    /// Pictures come in the order of showing them, stored samples in that of the file. Of stored video those before the
    /// reader's time range come too that decoding needs.
    ///
    /// - Returns: nil at the end, and after a failure or cancellation: the reader's `status` says which.
    public func copyNextSampleBuffer() -> SampleBuffer? { core.copyNextSampleBuffer() }

    /// The next sample; nil at the end. Suspends while it is read and decoded, on a thread of the output's own.
    ///
    /// - Throws: why the reader failed, `cancelled` after `cancelReading` or when the task is cancelled, `invalidState`
    ///   before `startReading`.
    public func next() async throws(MediaError) -> SampleBuffer? { try await core.next() }

    /// Reads other ranges, or the same once more, after `copyNextSampleBuffer` has returned nil.
    ///
    /// - Parameter ranges: in ascending order, not overlapping; none ends the output.
    /// - Throws: `invalidState` unless `supportsRandomAccess`, before the end of the former ranges, after
    ///   `markConfigurationAsFinal` and when the reader no longer reads; `invalidSettings` for ranges that are empty or out of
    ///   order.
    public func reset(forReadingTimeRanges ranges: [TimeRange]) throws(MediaError) {
        try core.reset(forReadingTimeRanges: ranges)
    }

    /// No other ranges will be asked for: the output ends with those it has. Idempotent.
    public func markConfigurationAsFinal() { core.markConfigurationAsFinal() }
}

/// What can be chosen of an output until reading starts.
public struct ReaderOutputConfiguration: Sendable, Hashable {
    /// Pictures are copied out of the decoder's memory. false lends that memory where no conversion is needed; it is
    /// used again once the sample is let go of.
    public var alwaysCopiesSampleData = true
    /// Allows `reset(forReadingTimeRanges:)`; the output then ends with `markConfigurationAsFinal()`.
    public var supportsRandomAccess = false
    /// Stored samples may come as places in their file, whose bytes nobody has read: for whoever passes them on and does not
    /// look into them. What is read late cannot fail with an error.
    var leavesUnread = false
    /// Of stored samples: this range of the track's media is given, whatever the reader's range is, with the times of the media.
    var mediaRange: TimeRange?
    /// Of stored video samples those come too that are not shown, because others need them. false: for whoever wants times alone.
    package var givesHiddenSamples = true
    /// Gives the frame that is on screen where the range begins. false: the first frame is one that begins in the range.
    var showsHeldFrame = true
    /// Whoever takes the pictures has no use for more bits in a sample; nil: for all that are stored.
    var usefulBitDepth: Int?
    /// Where the reader wants to know what was left out; nil: damage is an error. The reader sets it.
    var damage: DamageLog?
    /// Of coded pictures that are decoded. The reader sets it.
    var pictureMetadata: PictureMetadataLog?
    /// Threads that decode one track; 0: one for each processor. Each beyond the first holds a picture of its own.
    var decoderThreadCount = 0
}

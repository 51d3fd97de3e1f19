import MediaCodecs
public import MediaTypes

/// The output of a reader: `TrackOutput`, `AudioMixOutput`, `VideoCompositionOutput`. Modeled on AVFoundation's
/// `AVAssetReaderOutput`.
///
/// Each output reads only its own tracks. Outputs can be read in any order, even one completely before another. Memory
/// use is limited. Any thread may call; threads that read at the same time take turns.
public protocol AssetReaderOutput: AnyObject, Sendable {
    var mediaType: MediaType { get }
    /// The internal part of the output, which the reader uses.
    var core: ReaderOutputCore { get }
}

extension AssetReaderOutput {
    public var alwaysCopiesSampleData: Bool { core.configuration.alwaysCopiesSampleData }
    public var supportsRandomAccess: Bool { core.configuration.supportsRandomAccess }

    /// The damaged time ranges that were left out until now, sorted by track and time. Empty unless the reader's
    /// `skipsDamagedMedia` is set.
    public var damagedTimeRanges: [DamagedTimeRange] { core.configuration.damage?.ranges ?? [] }

    /// The number of times that memory for samples was allocated from the system. It is constant once reading runs.
    var allocationCount: Int { core.allocationCount }

    /// Changes the configuration.
    ///
    /// - Throws: `invalidState` once reading has started.
    public func configure(_ change: (inout ReaderOutputConfiguration) -> Void) throws(MediaError) {
        try core.configure(change)
    }

    /// Returns the next sample. Blocks while it is read and decoded.
    ///
    /// Frames come in presentation order, stored samples in the order of the file. Stored video also includes the
    /// samples before the reader's time range that decoding needs.
    ///
    /// - Returns: nil at the end, and after a failure or cancellation; the reader's `status` shows which.
    public func copyNextSampleBuffer() -> SampleBuffer? { core.copyNextSampleBuffer() }

    /// Returns the next sample; nil at the end. Suspends while it is read and decoded, on the output's own thread.
    ///
    /// - Throws: the error of a failed reader; `cancelled` after `cancelReading` or if the task is cancelled;
    ///   `invalidState` before `startReading`.
    public func next() async throws(MediaError) -> SampleBuffer? { try await core.next() }

    /// Reads other ranges, or the same ranges again, after `copyNextSampleBuffer` has returned nil.
    ///
    /// - Parameter ranges: the time ranges in ascending order, not overlapping; an empty list ends the output.
    /// - Throws: `invalidState` unless `supportsRandomAccess`, before the end of the previous ranges, after
    ///   `markConfigurationAsFinal`, and if the reader no longer reads; `invalidSettings` for ranges that are empty or
    ///   out of order.
    public func reset(forReadingTimeRanges ranges: [TimeRange]) throws(MediaError) {
        try core.reset(forReadingTimeRanges: ranges)
    }

    /// Declares that no further ranges follow: the output ends with the present ones. A second call has no effect.
    public func markConfigurationAsFinal() { core.markConfigurationAsFinal() }
}

/// The settings of an output that can be changed until reading starts.
public struct ReaderOutputConfiguration: Sendable, Hashable {
    /// True if frames are copied out of the decoder's memory. If false, that memory is lent if no conversion is needed,
    /// and is reused once the sample is released.
    public var alwaysCopiesSampleData = true
    /// True to allow `reset(forReadingTimeRanges:)`; the output then ends with `markConfigurationAsFinal()`.
    public var supportsRandomAccess = false
    /// True if stored samples may be references into their file, with bytes that are not read yet. This is for callers
    /// that pass the samples on without using their content. A late read of the bytes cannot report an error.
    var leavesUnread = false
    /// The range of the track's media to return as stored samples, with the times of the media. It replaces the
    /// reader's time range; nil to use that range.
    var mediaRange: TimeRange?
    /// True if stored video also contains samples that are not shown, because others depend on them. Set to false by
    /// callers that only need times.
    package var givesHiddenSamples = true
    /// True if stored audio also contains the packets before the range without which the first ones of the range are
    /// decoded wrongly.
    var givesPreroll = false
    /// True if the frame that is on screen at the start of the range is returned. If false, the first frame is one that
    /// begins in the range.
    var showsHeldFrame = true
    /// The number of bits per sample that the caller can use; nil if it can use all stored bits.
    var usefulBitDepth: Int?
    /// The log of damage that was left out; nil if damage is an error. The reader sets it.
    var damage: DamageLog?
    /// The log of metadata in decoded frames. The reader sets it.
    var frameMetadata: FrameMetadataLog?
    /// Ends reading early. The reader sets it.
    var stop: ReadingStop?
    /// The number of threads that decode one track, or 0 for one thread per processor. Each thread after the first
    /// holds a frame of its own.
    var decoderThreadCount = 0
}

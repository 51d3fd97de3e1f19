import MediaTypes

/// What an output draws its samples from, range by range: a track of a file, or something put together from several.
///
/// One thread at a time calls it; it blocks while it reads and decodes. Samples of video come in the order of showing
/// them when they are decoded, in that of the file when they are stored.
protocol SampleSource: AnyObject, Sendable {
    /// The next sample; nil when the last range has ended.
    ///
    /// - Throws: `corruptData` with the place, for a file that is damaged or cut short; everything before was given.
    func next() throws(MediaError) -> SampleBuffer?

    /// Further ranges, once the former ones have ended.
    func restart(ranges: [TimeRange])

    /// How many times memory for samples was taken from the system: flat once reading runs.
    var allocationCount: Int { get }
}

/// How a track is read.
struct SourceOptions: Sendable {
    /// nil: samples come as they are stored.
    var settings: TrackOutput.Settings?
    /// Lends the decoder's own pictures where they need no conversion.
    var sharesMemory = false
    /// Threads of the decoder; 0: one for each processor.
    var threadCount = 0
}

extension Asset {
    /// Opens a track. Blocks while the header is read.
    ///
    /// - Throws: what opening the file or the decoder throws; `invalidSettings` for settings that do not fit the track.
    func source(
        of track: AssetTrack, ranges: [TimeRange], _ options: SourceOptions
    ) throws(MediaError) -> any SampleSource {
        try TrackSource(path: url.path, track: track.index, options: options, ranges: ranges)
    }
}

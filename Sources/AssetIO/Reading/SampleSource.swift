import MediaCodecs
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

    /// Reads these ranges from now on. What is left of the former ones is dropped, and so is a failure; the file and the
    /// decoder stay open.
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
    /// Stored samples may come as places in their file: for whoever passes them on and does not look into them.
    var leavesUnread = false
    /// Times are those of the track's media, without its edit list.
    var readsMedia = false
    /// Of stored video samples those come too that are not shown, because others need them.
    var givesHiddenSamples = true
    /// The first frame of a range is the one on screen where the range begins; false: the first that begins in the range.
    var showsHeldFrame = true
    /// Pictures whose format has to change anyway come with no more bits in a sample; nil: with all that are stored.
    var usefulBitDepth: Int?
    /// Threads of the decoder; 0: one for each processor.
    var threadCount = 0
    /// Where damage is told that was left out; nil: damage is an error.
    var damage: DamageLog?
    /// Where is told what the pictures have that no decoded one keeps.
    var pictureMetadata: PictureMetadataLog?
}

extension Asset {
    /// The frame of video that is on screen at a time: when it is shown, up to the next one, or `end` where none comes before.
    /// Reads no more than the header where the file has an index.
    ///
    /// - Returns: nil for a track without a frame then, and for one whose frames are stored out of order.
    func frame(
        of track: AssetTrack, onScreenAt time: MediaTime, before end: MediaTime
    ) throws(MediaError) -> TimeRange? {
        let source = try source(
            of: track, ranges: [TimeRange(start: time, end: end)], SourceOptions(leavesUnread: true))
        var (start, next): (MediaTime?, MediaTime) = (nil, end)
        while let sample = try source.next() {
            // libavformat gives frames out of order wrong times behind an edit of one frame.
            if sample.decodeTime != nil { return nil }
            if sample.presentationTime >= next { break }
            if sample.presentationTime > time {
                next = min(next, sample.presentationTime)
            } else {
                start = max(start ?? sample.presentationTime, sample.presentationTime)
            }
        }
        return start.map { TimeRange(start: $0, end: next) }
    }

    /// Opens a track. Blocks while the header is read.
    ///
    /// - Throws: what opening the file or the decoder throws; `invalidSettings` for settings that do not fit the track.
    func source(
        of track: AssetTrack, ranges: [TimeRange], _ options: SourceOptions
    ) throws(MediaError) -> any SampleSource {
        switch origin {
        case .file(let url):
            if track.hasEditsOfItsOwn, !options.readsMedia {
                return try CompositionSource(Composition.Track(of: track, in: self), options: options, ranges: ranges)
            }
            var options = options
            options.readsMedia = options.readsMedia || track.readsMedia
            return try TrackSource(
                path: url.path, track: track.index, known: track.neighbours, options: options, ranges: ranges)
        case .composition(let composition):
            guard let track = composition.track(withID: track.id) else {
                throw MediaError(.invalidSettings, "cannot read track \(track.id)", reason: "the composition has none")
            }
            return try CompositionSource(track, options: options, ranges: ranges)
        }
    }
}

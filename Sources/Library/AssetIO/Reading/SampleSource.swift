import MediaCodecs
import MediaTypes

/// The source of an output's samples, range by range: a track of a file, or a combination of several.
///
/// Only one thread at a time may call. Calls block while the source reads and decodes. Decoded frames come in
/// presentation order, stored samples in the order of the file.
protocol SampleSource: AnyObject, Sendable {
    /// Returns the next sample; nil when the last range has ended, or after `SourceOptions.stop` was requested.
    ///
    /// - Throws: `corruptData` with the position of the damage, for a file that is damaged or truncated. All samples
    ///   before the damage are returned first.
    func next() throws(MediaError) -> SampleBuffer?

    /// Reads these ranges from now on. The rest of the previous ranges is discarded, and an earlier failure is
    /// forgotten. The file and the decoder stay open.
    func restart(ranges: [TimeRange])

    /// The number of times that memory for samples was allocated from the system. It is constant once reading runs.
    var allocationCount: Int { get }

    /// The end of the last range, if the video continues after that range. The range's last frame is on screen until
    /// then, even if the frame's own duration is shorter. nil if the video ends in the range, if media is missing after
    /// its last frame, and before `next` has returned nil.
    var lastFrameEnd: MediaTime? { get }
}

extension SampleSource {
    var lastFrameEnd: MediaTime? { nil }
}

/// The options for reading a track.
struct SourceOptions: Sendable {
    /// The output settings; nil if samples are returned as they are stored.
    var settings: TrackOutput.Settings?
    /// True to lend the decoder's own frames if they need no conversion.
    var sharesMemory = false
    /// True if stored samples may be references into their file, for callers that pass them on without using their
    /// content.
    var leavesUnread = false
    /// True if times are those of the track's media, without its edit list.
    var readsMedia = false
    /// True if stored video also contains samples that are not shown, because others depend on them.
    var givesHiddenSamples = true
    /// True if stored audio also contains the packets before the range without which the first ones of the range are
    /// decoded wrongly.
    var givesPreroll = false
    /// True if the first frame of a range is the frame on screen at the range's start. If false, it is the first frame
    /// that begins in the range.
    var showsHeldFrame = true
    /// The maximum useful bit depth of frames that must be converted anyway; nil for the stored bit depth.
    var usefulBitDepth: Int?
    /// The number of decoder threads, or 0 for one thread per processor.
    var threadCount = 0
    /// The log of damage that was left out; nil if damage is an error.
    var damage: DamageLog?
    /// The log of frame metadata that decoded frames do not keep.
    var frameMetadata: FrameMetadataLog?
    /// Ends reading early.
    var stop: ReadingStop?
}

extension SourceOptions {
    /// Creates the options for one track of an output that combines several. Damage is left out, and reading is
    /// stopped, as the output's configuration says.
    init(settings: TrackOutput.Settings, sharesMemory: Bool = false, of output: ReaderOutputConfiguration) {
        self.init(
            settings: settings, sharesMemory: sharesMemory, threadCount: output.decoderThreadCount,
            damage: output.damage, frameMetadata: output.frameMetadata, stop: output.stop)
    }
}

extension Asset {
    /// Returns the time range of the video frame that is on screen at a time. The range ends at the next frame, or at
    /// `end` if that is earlier. Reads only the header if the file has an index.
    ///
    /// - Returns: nil for a track without a frame at that time.
    func frame(
        of track: AssetTrack, onScreenAt time: MediaTime, before end: MediaTime
    ) throws(MediaError) -> TimeRange? {
        let source = try source(
            of: track, ranges: [TimeRange(start: time, end: end)], SourceOptions(leavesUnread: true))
        var (start, next): (MediaTime?, MediaTime) = (nil, end)
        while let sample = try source.next() {
            // Packets come in decode order, and no frame is shown before it is decoded.
            if sample.decodeTime ?? sample.presentationTime >= next { break }
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
    /// - Throws: the errors of opening the file or the decoder; `invalidSettings` for settings that do not fit the
    ///   track.
    func source(
        of track: AssetTrack, ranges: [TimeRange], _ options: SourceOptions
    ) throws(MediaError) -> any SampleSource {
        switch origin {
        case .file(let url):
            let isShown = options.settings != nil || !options.givesHiddenSamples
            if track.isReadByEdits(forShownFrames: isShown), !options.readsMedia {
                return try CompositionSource(Composition.Track(of: track, in: self), options: options, ranges: ranges)
            }
            var options = options
            options.readsMedia = options.readsMedia || track.readsMedia
            return try TrackSource(
                path: url.path, track: track.index, known: track.neighbours, options: options, ranges: ranges)
        case .composition(let composition):
            guard let track = composition.track(withID: track.id) else {
                throw MediaError(
                    .invalidSettings, "cannot read track \(track.id)", reason: "no such track in the composition")
            }
            return try CompositionSource(track, options: options, ranges: ranges)
        }
    }
}

public import Foundation
public import MediaTypes
import RealTime

extension AssetWriter {
    /// The settings that can be changed before writing starts.
    public struct Configuration: Sendable, Hashable {
        /// Ticks per second of movie-level durations.
        public var movieTimeScale: Int32 = 1_000_000
        /// The maximum duration of a fragment. A crash loses at most this much. Tracks of sources that can wait are
        /// kept at most this far apart, and at most one second.
        public var movieFragmentInterval = MediaTime(value: 1, timescale: 1)
        /// The maximum duration of the first fragment, or zero to write the file as soon as possible.
        public var initialMovieFragmentInterval = MediaTime.zero
        /// True if every fragment is synced as it is written, so that a crash loses at most one fragment. Use it for
        /// samples that cannot be captured again. If false, the movie is synced only once, when it is finalized, and
        /// nothing waits for the disk before that.
        public var isRecoverable = true
        /// True if an existing file with the final name is replaced, in one step, at the end. If false, `startWriting`
        /// fails.
        public var overwritesExistingFile = false
        /// True if the header is stored before the media, so that a player can begin while the file is being
        /// downloaded. The media is copied once at the end, and the disk must have room for both copies until then.
        public var shouldOptimizeForNetworkUse = false
        /// The directory for the statistics of multi-pass encoding; nil for the system's temporary directory. With
        /// `shouldOptimizeForNetworkUse`, it also contains the recording until the media is copied. If no directory is
        /// set, the recording is in the output's directory, like any other recording, so that it gets its final name in
        /// one step.
        public var directoryForTemporaryFiles: URL?
        /// The intended length of the segments of a segmented movie. Each segment ends before the first keyframe that
        /// comes at least this long after the segment's start. If it is infinite, only `flushSegment` ends a segment.
        /// Has no effect on a movie in one file.
        public var segmentInterval = MediaTime(value: 6, timescale: 1)
        /// The time on the samples' clock from which the length of the first segment is measured. If nil, it is
        /// measured from the first frame, or from the first audio sample if there is no video.
        public var segmentStart: MediaTime?
        /// The profile of a movie in segments. `.cmaf` permits only one input: `startWriting` refuses more.
        public var segmentProfile = AssetSegment.Profile.hls
        /// Metadata of the movie.
        public var metadata: [MetadataItem] = []
        /// The creation date in the header.
        public var creationDate = Date()
        /// True to create a chapter track, so that `addChapter` can be called while writing.
        public var writesChapters = false
        /// The title of a chapter that is added before the first one, if the first one begins later than the session.
        /// The chapters then cover the movie from its start. If nil, no chapter is added.
        public var openingChapterTitle: String?
        /// The format of a timecode track that counts the time of day, in local time, from the call of `startSession`
        /// on; nil for none.
        public var timecode: TimecodeFormat?

        public init() {}
    }

    public var configuration: Configuration { configurationBox.withLock { $0 } }

    /// Changes the configuration.
    ///
    /// - Throws: `invalidState` once writing has started; `invalidSettings`, with the name of the property, for an
    ///   invalid value. The configuration is then unchanged.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try core.state.requireUnstarted("cannot configure the writer")
        var changed = configuration
        change(&changed)
        if let fault = changed.fault {
            throw MediaError(.invalidSettings, "cannot configure the writer", reason: fault)
        }
        configurationBox.withLock { $0 = changed }
    }
}

extension AssetWriter.Configuration {
    fileprivate var fault: String? {
        if movieTimeScale <= 0 { return "movieTimeScale of \(movieTimeScale) is not positive" }
        if !movieFragmentInterval.isNumeric || movieFragmentInterval <= .zero {
            return "movieFragmentInterval of \(movieFragmentInterval) is not positive"
        }
        if !initialMovieFragmentInterval.isNumeric || initialMovieFragmentInterval < .zero {
            return "initialMovieFragmentInterval of \(initialMovieFragmentInterval) is negative or not a number"
        }
        if segmentInterval <= .zero { return "segmentInterval of \(segmentInterval) is not positive" }
        if let segmentStart, !segmentStart.isNumeric { return "segmentStart of \(segmentStart) is not a number" }
        guard let timecode else { return nil }
        if !(1...255).contains(timecode.framesPerSecond) {
            return "timecode has \(timecode.framesPerSecond) frames per second, not 1 to 255"
        }
        if !timecode.frameDuration.isNumeric || timecode.frameDuration <= .zero {
            return "timecode has a frameDuration of \(timecode.frameDuration), which is not positive"
        }
        return nil
    }
}

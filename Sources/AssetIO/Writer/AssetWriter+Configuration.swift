public import Foundation
public import MediaTypes
import RealTime

extension AssetWriter {
    /// What can be set before writing starts.
    public struct Configuration: Sendable, Hashable {
        /// Ticks per second of movie-level durations.
        public var movieTimeScale: Int32 = 1_000_000
        /// The longest stretch that one fragment holds: what a crash can cost. Tracks of sources that can wait are held
        /// together within it, or within a second where it is longer.
        public var movieFragmentInterval = MediaTime(value: 1, timescale: 1)
        /// The same for the first fragment; zero: the file begins to exist as soon as possible.
        public var initialMovieFragmentInterval = MediaTime.zero
        /// Syncs every fragment as it is written, so that a crash costs no more than one: what cannot be had again. false: the
        /// movie is synced once, when it is whole, and nobody waits for the disk before.
        public var isRecoverable = true
        /// Replace a file that has the final name, in one step, at the end. Otherwise `startWriting` fails.
        public var overwritesExistingFile = false
        /// Puts the header before the media, so that a player can begin while the file is still being downloaded. The media
        /// is copied once at the end, and the disk must hold both for that moment.
        public var shouldOptimizeForNetworkUse = false
        /// Where the statistics of multi-pass encoding go while writing; nil: the system's directory for such files. With
        /// `shouldOptimizeForNetworkUse` the recording goes there too until it is copied; nil: beside the output, where any
        /// other recording stands, so that it gets its name in one step.
        public var directoryForTemporaryFiles: URL?
        /// How long the segments of a segmented movie are meant to be: each ends before the first key frame that comes so
        /// much after its start. Infinite: only `flushSegment` ends one. Of no meaning for a movie in one file.
        public var segmentInterval = MediaTime(value: 6, timescale: 1)
        /// The moment of the samples' clock that the first segment's length is counted from; nil: its first picture, or the first
        /// of its sound where there is none.
        public var segmentStart: MediaTime?
        /// Of a movie in segments. `.cmaf` takes one input alone: `startWriting` refuses more.
        public var segmentProfile = AssetSegment.Profile.hls
        /// Facts about the movie.
        public var metadata: [MetadataItem] = []
        /// Seconds since 1970, for the header.
        public var creationDate = Date()
        /// Makes a chapter track, so that `addChapter` can be called while writing.
        public var writesChapters = false
        /// The title of what comes before the first chapter, where that begins later than the session: chapters then cover
        /// the movie from its start. nil: none.
        public var openingChapterTitle: String?
        /// Makes a timecode track that counts the time of day, in local time, from the moment of `startSession` on; nil for
        /// none.
        public var timecode: TimecodeFormat?

        public init() {}
    }

    public var configuration: Configuration { configurationBox.withLock { $0 } }

    /// Changes the set-up.
    ///
    /// - Throws: `invalidState` once writing has started, `invalidSettings` naming what cannot be. Nothing is changed then.
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
            return "initialMovieFragmentInterval of \(initialMovieFragmentInterval) is negative or no number"
        }
        if segmentInterval <= .zero { return "segmentInterval of \(segmentInterval) is not positive" }
        if let segmentStart, !segmentStart.isNumeric { return "segmentStart of \(segmentStart) is no number" }
        guard let timecode else { return nil }
        if !(1...255).contains(timecode.framesPerSecond) {
            return "timecode counts \(timecode.framesPerSecond) frames a second; 1 to 255 are possible"
        }
        if !timecode.frameDuration.isNumeric || timecode.frameDuration <= .zero {
            return "timecode has a frameDuration of \(timecode.frameDuration), which is not positive"
        }
        return nil
    }
}

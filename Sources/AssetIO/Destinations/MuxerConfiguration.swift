import Foundation
import MediaTypes
import MovieFile

/// How a movie is put into its file, or out in segments.
package struct MuxerConfiguration: Sendable {
    var fileType: FileType
    /// Ticks per second of movie-level durations.
    var movieTimeScale: Int32 = 1_000_000
    /// The longest stretch that one fragment holds: what a crash can cost.
    var fragmentInterval = MediaTime(value: 1, timescale: 1)
    /// The same for the first fragment; zero: the file begins to exist as soon as possible.
    var initialFragmentInterval = MediaTime.zero
    /// How long the segments of a segmented movie are meant to be.
    var segmentInterval = MediaTime(value: 6, timescale: 1)
    /// What the first segment's length is counted from, on the packets' clock; nil: its first packet.
    var segmentStart: MediaTime?
    var segmentProfile = AssetSegment.Profile.hls
    /// Every fragment is synced as it is written; otherwise the movie once, when it is whole.
    var isRecoverable = true
    /// Replaces a file that has the final name, in one step, at the end.
    var overwritesExistingFile = false
    /// Where somebody takes the final name while the movie is written it gets a number, instead of none. For recordings,
    /// which nobody can make again.
    var numbersTakenName = false
    /// What could not be written any more, because the file may not grow, is given to another one: it is taken off this one's
    /// end, so that it is not in both.
    var isContinuedElsewhere = false
    /// Puts the header before the media, by a copy at the end.
    var shouldOptimizeForNetworkUse = false
    /// Where the recording is until that copy is made; nil: beside the output.
    var directoryForTemporaryFiles: URL?
    /// Facts about the movie.
    var metadata: [MetadataItem] = []
    var creationDate = Date()
    /// Gives each fragment a seal; nil: nobody does.
    var sealing: (any FragmentSealing)?
    /// The title of what comes before the first chapter, where that begins later than the session; nil: none.
    var openingChapterTitle: String?
    /// Nothing but packets of other files, and nobody reads it before it is whole: fragments end at one moment for all tracks, so
    /// that what stands together in the source is copied in one go.
    var movesPackets = false
    /// Some of its tracks are fed by sources that cannot wait.
    var isLive = true
    /// Tracks of sound and pictures, where the sources of all of them can wait: their packets go on in the order of their times.
    var orderedTracks: Set<Int> = []
    /// Some are fed by sources that wait for one another, and are in no hurry.
    var isPatient = false

    init(_ fileType: FileType) { self.fileType = fileType }
}

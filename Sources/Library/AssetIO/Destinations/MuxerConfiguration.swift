import Foundation
import MediaTypes
import MovieFile

/// The settings for muxing a movie into a file or into segments.
package struct MuxerConfiguration: Sendable {
    var fileType: FileType
    /// Ticks per second of movie-level durations.
    var movieTimeScale: Int32 = 1_000_000
    /// The maximum duration of a fragment. A crash loses at most this much.
    var fragmentInterval = MediaTime(value: 1, timescale: 1)
    /// The maximum duration of the first fragment, or zero to write the file as soon as possible.
    var initialFragmentInterval = MediaTime.zero
    /// The intended length of the segments of a segmented movie.
    var segmentInterval = MediaTime(value: 6, timescale: 1)
    /// The time on the packets' clock from which the length of the first segment is measured; nil to measure it from
    /// the segment's first packet.
    var segmentStart: MediaTime?
    var segmentProfile = AssetSegment.Profile.hls
    /// True if every fragment is synced as it is written. Otherwise the movie is synced once, when it is finalized.
    var isRecoverable = true
    /// True if an existing file with the final name is replaced, in one step, at the end.
    var overwritesExistingFile = false
    /// True if the movie gets a numbered name when another program has taken its final name. If false, the movie keeps
    /// its temporary name in that case. Set for recordings, which cannot be repeated.
    var numbersTakenName = false
    /// True if another file continues when this file may not grow any more. Data that does not fit completely is
    /// removed from the end of this file, so that it is not in both files.
    var isContinuedElsewhere = false
    /// True if the header is stored before the media, by a copy at the end.
    var shouldOptimizeForNetworkUse = false
    /// The directory of the file until it is copied with its header first; nil for the directory of the output.
    var directoryForTemporaryFiles: URL?
    /// Metadata of the movie.
    var metadata: [MetadataItem] = []
    var creationDate = Date()
    /// Seals each fragment; nil if fragments are not sealed.
    var sealing: (any FragmentSealing)?
    /// The title for the time before the first chapter, if that chapter begins later than the session; nil for no
    /// title.
    var openingChapterTitle: String?
    /// True if all packets come from other files, and the file is not read before it is finalized. Fragments then end
    /// at the same time for all tracks, so that media stored together in the source is copied in one operation.
    var movesPackets = false
    /// True if some tracks are fed by sources that cannot wait.
    var isLive = true
    /// The tracks of audio and video, if the sources of all of them can wait. Their packets are passed on in the order
    /// of their times.
    var orderedTracks: Set<Int> = []
    /// True if some tracks are fed by sources that wait for one another and that have no deadline.
    var isPatient = false

    init(_ fileType: FileType) { self.fileType = fileType }
}

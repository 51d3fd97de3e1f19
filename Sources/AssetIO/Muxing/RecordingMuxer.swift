package import Foundation
package import MediaTypes
package import MovieFile
package import RealTime

extension Muxer {
    /// What a live movie of packets in a file is like, apart from what it holds.
    package struct Recording: Sendable {
        package var fileType = FileType.mov
        package var video: FormatDescription?
        package var audio: FormatDescription?
        /// Counts the time of day; nil: no such track, which only QuickTime has.
        package var timecode: TimecodeFormat?
        package var fragmentInterval = MediaTime(value: 1, timescale: 1)
        /// The wall clock at its start.
        package var created = Date()
        package var metadata: [MetadataItem] = []
        package var openingChapterTitle: String?
        /// Gives each fragment a seal; nil: nobody does.
        package var sealing: (any FragmentSealing)?

        package init() {}

        /// The place of a track among the muxer's; nil: there is none.
        package func index(_ type: MediaType) -> Int? {
            switch type {
            case .video: video == nil ? nil : 0
            case .audio: audio == nil ? nil : video == nil ? 0 : 1
            default: nil
            }
        }

        fileprivate var tracks: MuxerTracks {
            get throws(MediaError) {
                var tracks = MuxerTracks(of: [video, audio].compactMap(\.self))
                try tracks.addChapters()
                if let timecode, fileType == .mov { try tracks.addTimecode(timecode) }
                return tracks
            }
        }

        fileprivate var configuration: MuxerConfiguration {
            var configuration = MuxerConfiguration(fileType)
            configuration.fragmentInterval = fragmentInterval
            configuration.creationDate = created
            configuration.metadata = metadata
            configuration.openingChapterTitle = openingChapterTitle
            configuration.sealing = sealing
            configuration.numbersTakenName = true
            configuration.isContinuedElsewhere = true
            return configuration
        }
    }

    /// - Throws: `invalidSettings` for a recording without tracks, `unsupported` for a format that such a file does not hold.
    package convenience init(_ recording: Recording) throws(MediaError) {
        let tracks = try recording.tracks
        try tracks.check(recording.fileType)
        self.init(recording.configuration, tracks: tracks)
    }

    /// Says which moment of the packets' clock is time 0, and what the wall clock was then. Once, before the first packet.
    package func begin(at start: MediaTime, date: Date) { begin(at: start, timeOfDay: TimeOfDay.of(date)) }

    /// Makes the file of a recording. Blocks; for the closure of `start`.
    ///
    /// - Parameters:
    ///   - path: of the finished movie.
    ///   - overwrites: replaces what has that name, in one step, at the end.
    ///   - writeLatency: learns how long each write takes.
    ///   - syncLatency: the same for syncs.
    ///   - whenMoved: learns within a fragment that the file was moved, and where to; nil where no path leads to it. A file
    ///     that was deleted fails with `notFound`. Called by the file's thread.
    /// - Throws: `outputExists`, `cannotCreate`, `notPermitted`, …; nothing of ours is left then.
    package func makeFile(
        at path: String, overwrites: Bool, writeLatency: LatencyMeter, syncLatency: LatencyMeter,
        whenMoved: @escaping @Sendable (String?) -> Void
    ) throws(MediaError) -> any MovieDestination {
        var configuration = configuration
        configuration.overwritesExistingFile = overwrites
        try FileDestination.checkRecording(path)
        let destination = FileDestination.recording(
            path: path, writeLatency: writeLatency, syncLatency: syncLatency, whenMoved: whenMoved)
        try destination.open(configuration)
        return destination
    }
    /// One of the two files of a recording on two disks. What is called here may block, and runs on that file's thread.
    package struct Copy: Sendable {
        /// Of the finished movie.
        package var path: String
        package var overwrites: Bool
        /// Makes the directories that it needs, also when its disk is back: throws while that is away.
        package var prepare: @Sendable () throws(MediaError) -> Void
        /// Why nothing more should be written there, such as a disk that is full up to its reserve; nil: nothing. Asked twice a
        /// second, and heeded where the other copy can be written.
        package var refusal: @Sendable () -> MediaError?
        /// As of `makeFile`.
        package var whenMoved: @Sendable (String?) -> Void
        /// Learns how it stands, at each change; on any thread.
        package var changed: @Sendable (CopyStatus) -> Void

        package init(
            path: String, overwrites: Bool, prepare: @escaping @Sendable () throws(MediaError) -> Void,
            refusal: @escaping @Sendable () -> MediaError?, whenMoved: @escaping @Sendable (String?) -> Void,
            changed: @escaping @Sendable (CopyStatus) -> Void
        ) {
            (self.path, self.overwrites, self.prepare, self.refusal) = (path, overwrites, prepare, refusal)
            (self.whenMoved, self.changed) = (whenMoved, changed)
        }
    }

    /// Makes the two files of a recording, of which one is enough to begin. Blocks; for the closure of `start`.
    ///
    /// - Parameter copies: two, the recording's own first.
    /// - Throws: `outputExists` where one of the names is taken, or why neither can be made; nothing of ours is left then.
    package func makeFiles(
        _ copies: [Copy], writeLatency: LatencyMeter, syncLatency: LatencyMeter
    ) throws(MediaError) -> any MovieDestination {
        let places = copies.map { copy in
            FileMirror.Place(
                destination: FileDestination.recording(
                    path: copy.path, writeLatency: writeLatency, syncLatency: syncLatency, whenMoved: copy.whenMoved),
                prepare: { () throws(MediaError) in
                    try copy.prepare()
                    try FileDestination.checkRecording(copy.path)
                }, refusal: copy.refusal, changed: copy.changed)
        }
        var configuration = configuration
        configuration.overwritesExistingFile = copies[0].overwrites
        let destination = MirroredDestination(FileMirror(places, configuration))
        try destination.open(configuration)
        return destination
    }

    /// How the copies of a recording on two disks stand; empty for one that is in one place.
    package var copies: [CopyStatus] { state.withLock { $0.destination }?.copies ?? [] }
}

package import Foundation
package import MediaTypes
package import MovieFile
package import RealTime

extension Muxer {
    /// The properties of a recording: a live movie that is made of packets and written to a file.
    package struct Recording: Sendable {
        package var fileType = FileType.mov
        package var video: FormatDescription?
        package var audio: FormatDescription?
        /// The format of the time-of-day timecode; nil for no timecode track. Only QuickTime files can have one.
        package var timecode: TimecodeFormat?
        package var fragmentInterval = MediaTime(value: 1, timescale: 1)
        /// The wall-clock time at the start of the recording.
        package var created = Date()
        package var metadata: [MetadataItem] = []
        package var openingChapterTitle: String?
        /// Seals each fragment; nil if fragments are not sealed.
        package var sealing: (any FragmentSealing)?

        package init() {}

        /// Returns the index of a track in the muxer; nil if there is none.
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

    /// Creates a muxer for a recording.
    ///
    /// - Throws: `invalidSettings` for a recording without tracks, `unsupported` for a format that such a file cannot
    ///   store.
    package convenience init(_ recording: Recording) throws(MediaError) {
        let tracks = try recording.tracks
        try tracks.check(recording.fileType)
        self.init(recording.configuration, tracks: tracks)
    }

    /// Sets which time of the packets' clock is time 0 of the movie, and which wall-clock time it is then. Called once,
    /// before the first packet.
    package func begin(at start: MediaTime, date: Date) { begin(at: start, timeOfDay: TimeOfDay.of(date)) }

    /// Creates the file of a recording. Blocks. Must be called in the closure of `start`.
    ///
    /// - Parameters:
    ///   - path: the path of the finished movie.
    ///   - overwrites: true if an existing file is replaced, in one step, at the end.
    ///   - writeLatency: a meter for the duration of each write.
    ///   - syncLatency: a meter for the duration of each sync.
    ///   - whenMoved: called on the file's thread, at most one fragment after the file was moved. Gets the new path, or
    ///     nil if no path leads to the file. If the file was deleted, the movie fails with `notFound`.
    /// - Throws: `outputExists`, `cannotCreate`, `notPermitted`, …; in that case, nothing that was created is left.
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
    /// One of the two mirrored files of a recording on two disks. The callbacks may block, and run on that file's
    /// thread, except `changed`.
    package struct MirroredOutput: Sendable {
        /// The path of the finished movie.
        package var path: String
        package var overwrites: Bool
        /// Creates the missing directories. Called again when the disk may be connected again. Throws while the disk is
        /// disconnected.
        package var prepare: @Sendable () throws(MediaError) -> Void
        /// Returns the reason why the file should not be written any more, such as a disk that is full up to its
        /// reserve. Returns nil if there is no reason. Called twice a second. Writing stops only if the other file can
        /// be written.
        package var refusal: @Sendable () -> MediaError?
        /// Called after the file was moved, as in `makeFile`.
        package var whenMoved: @Sendable (String?) -> Void
        /// Called with the file's state at each change, on any thread.
        package var changed: @Sendable (MirroredFileStatus) -> Void

        package init(
            path: String, overwrites: Bool, prepare: @escaping @Sendable () throws(MediaError) -> Void,
            refusal: @escaping @Sendable () -> MediaError?, whenMoved: @escaping @Sendable (String?) -> Void,
            changed: @escaping @Sendable (MirroredFileStatus) -> Void
        ) {
            (self.path, self.overwrites, self.prepare, self.refusal) = (path, overwrites, prepare, refusal)
            (self.whenMoved, self.changed) = (whenMoved, changed)
        }
    }

    /// Creates the two mirrored files of a recording. One of them is enough to begin. Blocks. Must be called in the
    /// closure of `start`.
    ///
    /// - Parameter files: the two files, the recording's own first.
    /// - Throws: `outputExists` if one of the names exists, or the reason why neither can be created. In that case,
    ///   nothing that was created is left.
    package func makeFiles(
        _ files: [MirroredOutput], writeLatency: LatencyMeter, syncLatency: LatencyMeter
    ) throws(MediaError) -> any MovieDestination {
        let places = files.map { file in
            FileMirror.Place(
                destination: FileDestination.recording(
                    path: file.path, writeLatency: writeLatency, syncLatency: syncLatency, whenMoved: file.whenMoved),
                prepare: { () throws(MediaError) in
                    try file.prepare()
                    try FileDestination.checkRecording(file.path)
                }, refusal: file.refusal, changed: file.changed)
        }
        var configuration = configuration
        configuration.overwritesExistingFile = files[0].overwrites
        let destination = MirroredDestination(FileMirror(places, configuration))
        try destination.open(configuration)
        return destination
    }

    /// The states of the mirrored files of a recording on two disks; empty for a recording that is not mirrored.
    package var mirroredFiles: [MirroredFileStatus] { state.withLock { $0.destination }?.mirroredFiles ?? [] }
}

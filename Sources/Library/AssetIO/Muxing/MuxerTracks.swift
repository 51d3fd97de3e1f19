import MediaTypes
import MovieFile

/// The tracks of a movie in its muxer: first the tracks that are fed, then the chapter titles and the timecode, which
/// the muxer makes itself.
struct MuxerTracks: Sendable {
    struct Track: Sendable {
        var movie: MovieTrack
        /// True if the header can be written before the track's first packet.
        var isAnnounced: Bool
        /// The track's edit list. If it is empty, the movie shows the samples in the session.
        var edits: [TrackEdit] = []
    }

    private(set) var all: [Track]
    /// The index of the chapter track.
    private(set) var chapters: Int?
    /// The index and the format of the timecode track.
    private(set) var timecode: (index: Int, format: TimecodeFormat)?

    /// Creates tracks of packets.
    init(of formats: [FormatDescription]) {
        self.init(
            formats.enumerated().map { index, format in
                let movie = MovieTrack(
                    id: UInt32(index + 1), mediaType: format.mediaType, format: format,
                    timeScale: format.audio.map { Int32(clamping: $0.sampleRate) } ?? 1_000_000,
                    primingFrames: PassthroughPriming.frames(of: format))
                return Track(movie: movie, isAnnounced: true)
            })
    }

    init(_ fed: [Track]) { all = fed }

    /// Adds a track of chapter titles. The first video track refers to it, or the first audio track if there is no
    /// video.
    ///
    /// - Throws: `invalidSettings` if there is neither.
    mutating func addChapters() throws(MediaError) {
        // Titles are shown in the player's list, not in the video.
        let format = FormatDescription.text(TextFormat())
        chapters = try add("chapters", format, timeScale: 1000, .chapterList, isEnabled: false, isAnnounced: true)
    }

    /// Adds a timecode track with a format.
    mutating func addTimecode(_ format: TimecodeFormat) throws(MediaError) {
        // The timecode's sample is added when the session begins, and belongs to the first fragment.
        let index = try add(
            "a timecode", .timecode(format), timeScale: max(1, format.frameDuration.timescale), .timecode,
            isEnabled: true, isAnnounced: false)
        timecode = (index, format)
    }

    private mutating func add(
        _ what: String, _ format: FormatDescription, timeScale: Int32, _ association: TrackAssociation,
        isEnabled: Bool, isAnnounced: Bool
    ) throws(MediaError) -> Int {
        let types = all.map(\.movie.mediaType)
        guard let main = types.firstIndex(of: .video) ?? types.firstIndex(of: .audio) else {
            throw MediaError(
                .invalidSettings, "cannot write \(what)",
                reason: "the movie has no video or audio track to refer to it")
        }
        let id = UInt32(all.count + 1)
        let movie = MovieTrack(
            id: id, mediaType: format.mediaType, format: format, timeScale: timeScale, isEnabled: isEnabled)
        all[main].movie.references[association, default: []].append(id)
        all.append(Track(movie: movie, isAnnounced: isAnnounced))
        return all.count - 1
    }

    /// Checks that the file type can store the known formats.
    ///
    /// - Throws: `unsupported` for a format that it cannot store.
    func check(_ fileType: FileType) throws(MediaError) {
        for format in all.compactMap(\.movie.format) {
            if let refusal = ContainerRules.refusal(of: format, in: fileType) { throw refusal }
        }
    }

    /// The index of the track that decides where fragments end.
    var reference: Int {
        let types = all.map(\.movie.mediaType)
        return types.firstIndex(of: .video) ?? types.firstIndex(of: .audio) ?? 0
    }

    /// The tracks whose times do not show the progress of the recording.
    var sparse: Set<Int> {
        Set(all.indices.filter { [.text, .timecode, .metadata].contains(all[$0].movie.mediaType) })
    }
}

/// The maximum amount of audio before the start that `SessionEntry` stores: the packets that decoding needs, and the
/// one that contains the start. The muxer needs this number if the file's header is written before the first packet
/// arrives.
enum PassthroughPriming {
    static func frames(of format: FormatDescription?) -> Int {
        guard let audio = format?.audio, audio.bytesPerFrame == nil else { return 0 }
        return (AudioPreroll.stored(audio) + 1) * max(0, min(audio.framesPerPacket, 1 << 16))
    }
}

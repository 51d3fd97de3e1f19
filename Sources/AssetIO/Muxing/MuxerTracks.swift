import MediaTypes
import MovieFile

/// The tracks of a movie as its muxer knows them: those that are fed, then the titles of chapters and the timecode, which it
/// makes by itself.
struct MuxerTracks: Sendable {
    struct Track: Sendable {
        var movie: MovieTrack
        /// The header can be written before its first packet.
        var isAnnounced: Bool
        /// Which of its samples the movie shows when; empty: what lies in the session.
        var edits: [TrackEdit] = []
    }

    private(set) var all: [Track]
    /// The place of the chapters' titles.
    private(set) var chapters: Int?
    /// The place of the timecode, and how it counts.
    private(set) var timecode: (index: Int, format: TimecodeFormat)?

    /// Tracks of packets.
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

    /// Adds a track of titles, to which the first video track refers, or the first audio track where there is none.
    ///
    /// - Throws: `invalidSettings` where there is neither.
    mutating func addChapters() throws(MediaError) {
        // Titles are for the player's list, not for its picture.
        let format = FormatDescription.text(TextFormat())
        chapters = try add("chapters", format, timeScale: 1000, .chapterList, isEnabled: false, isAnnounced: true)
    }

    /// Adds a timecode track, in the same way.
    mutating func addTimecode(_ format: TimecodeFormat) throws(MediaError) {
        // It comes with the session, and belongs to the first fragment.
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

    /// - Throws: `unsupported` for what a file of this type does not hold, as far as formats are known.
    func check(_ fileType: FileType) throws(MediaError) {
        for format in all.compactMap(\.movie.format) {
            if let refusal = ContainerRules.refusal(of: format, in: fileType) { throw refusal }
        }
    }

    /// The one that sets the rhythm of the fragments.
    var reference: Int {
        let types = all.map(\.movie.mediaType)
        return types.firstIndex(of: .video) ?? types.firstIndex(of: .audio) ?? 0
    }

    /// Tracks whose times say nothing about how far the recording is.
    var sparse: Set<Int> {
        Set(all.indices.filter { [.text, .timecode].contains(all[$0].movie.mediaType) })
    }
}

/// Sound from before the start that `SessionEntry` stores at most: two packets to lean on, and the one that the start
/// divides. Of use where the file's header is written before the first packet is there.
enum PassthroughPriming {
    static func frames(of format: FormatDescription?) -> Int {
        guard let audio = format?.audio, audio.bytesPerFrame == nil else { return 0 }
        return 3 * max(0, min(audio.framesPerPacket, 1 << 16))
    }
}

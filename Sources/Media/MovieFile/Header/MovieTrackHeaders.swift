package import MediaTypes

/// Values of a QuickTime file's track headers that libavformat does not return: references, language tags, sizes,
/// all sample descriptions, and the length of reordered video.
package struct MovieTrackHeaders: Sendable {
    package struct Track: Sendable {
        package var associations: [TrackAssociation: [Int]] = [:]
        /// BCP 47.
        package var extendedLanguageTag: String?
        /// Display size before the matrix is applied (QTFF, "Track Header Atoms"); zero for a track without video.
        package var width = 0.0
        package var height = 0.0
        /// The descriptions as stored in the file; more than one if the format changes within the track.
        package var descriptions: [StoredDescription] = []
        /// The description of subtitles and captions, if there is exactly one.
        package var text: StoredText?
        /// The keys of timed metadata, if there is exactly one description.
        package var metadata: MetadataFormat?
        /// The alternate group. Players choose one of the tracks of a group; 0 means no group.
        package var alternateGroup = 0
        /// The display matrix: a b u c d v x y w. The last column is in 2.30 bits, the others in 16.16. Incomplete if
        /// the header is truncated.
        package var matrix: [Int32] = []
        /// The edits of a track that shows several parts of its media; empty for all others.
        package var edits: [TrackEdit] = []
        /// The edits of a track that shows one part of its media, and hides media beside it; empty for all others.
        package var hidingEdits: [TrackEdit] = []
        /// The length of the video, if its frames are stored out of order.
        package var shownMedia: ShownMedia?
    }

    /// The tracks by ID.
    package private(set) var tracks: [Int: Track] = [:]

    /// Creates the value for a file without track headers.
    package init() {}

    /// Reads the track headers in a `moov`. If it is damaged, there are no tracks.
    init(_ movie: [UInt8]) {
        guard let movie = Atom(parsing: movie) else { return }
        let scale = movie["mvhd"]?.timeScale
        for track in movie.all("trak") { read(track, movieScale: scale) }
    }

    /// Returns the handler type of the media (QTFF, "Handler Reference Atoms").
    private static func handler(_ track: Atom) -> FourCharCode? {
        var handler = ByteReader(track.find("mdia", "hdlr")?.payload ?? [])
        return handler.skip(8) ? handler.code() : nil
    }

    /// The maximum size of a description of subtitles. Even descriptions with fonts and styles are rarely larger.
    private static let largestText = 64 << 10

    private static func text(_ table: [UInt8], _ handler: FourCharCode?) -> StoredText? {
        var reader = ByteReader(table)
        guard let handler, StoredText.handlers.contains(handler), reader.skip(4), reader.u32() == 1,
            let size = reader.u32(), let code = reader.code(), (16...UInt32(largestText)).contains(size),
            let body = reader.slice(Int(size) - 8)
        else { return nil }
        return StoredText(handler: handler, code: code, body: Array(body))
    }

    private mutating func read(_ track: Atom, movieScale: Int32?) {
        guard let header = track["tkhd"]?.payload, let version = header.first else { return }
        var reader = ByteReader(header)
        // Version and flags, then two times of four or eight bytes (QTFF, "Track Header Atoms").
        guard reader.skip(version == 1 ? 20 : 12), let id = reader.u32() else { return }
        var result = Track()
        // A reserved number and the duration, then two more numbers, layer, group, volume and the matrix.
        if reader.skip(version == 1 ? 12 : 8), reader.skip(10), let group = reader.u16(), reader.skip(4) {
            result.alternateGroup = Int(group)
            result.matrix = (0..<9).compactMap { _ in reader.s32() }
        }
        if let width = reader.u32(), let height = reader.u32() {
            (result.width, result.height) = (Double(width) / 65_536, Double(height) / 65_536)
        }
        let handler = Self.handler(track)
        if let movieScale {
            result.edits = TrackEdit.several(in: track, movieScale: movieScale)
            if handler == "vide" || handler == "soun" {
                result.hidingEdits = TrackEdit.hiding(in: track, movieScale: movieScale)
            }
        }
        if handler == "vide" { result.shownMedia = ShownMedia(of: track, movieScale: movieScale) }
        if let table = track.find("mdia", "minf", "stbl", "stsd")?.payload {
            let mediaType: MediaType? = handler == "vide" ? .video : handler == "soun" ? .audio : nil
            result.descriptions = StoredDescription.all(in: table, mediaType: mediaType)
            result.text = Self.text(table, handler)
            result.metadata = MetadataDescription.read(table, handler: handler)
        }
        if let language = track.find("mdia", "elng")?.payload, language.count > 4 {
            result.extendedLanguageTag = String(decoding: language.dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
        }
        var references = ByteReader(track["tref"]?.payload ?? [])
        while let size = references.u32(), let type = references.code(), size >= 8,
            let list = references.slice(Int(size) - 8)
        {
            var ids = ByteReader(list)
            var found: [Int] = []
            while let id = ids.u32() { found.append(Int(id)) }
            result.associations[TrackAssociation(rawValue: type), default: []] += found.filter { $0 > 0 }
        }
        tracks[Int(id)] = result
    }
}

import CFFmpeg
import MediaCodecs
import MediaTypes
import MovieFile

/// The format of each packet, for a track whose format changes. Such a track has several entries in its sample
/// description table, or several sequence headers in a Flash video file.
struct FormatChanges {
    /// The sample descriptions of the chunks, by index of the track, for QuickTime and MPEG-4 tracks that have several.
    private let places: [Int: EntryPlaces]
    /// The configurations of a Flash video file, read at the first seek.
    private var flash: FlashConfigurations?
    /// The latest decoder configuration that a packet of each track had, and the format that results from it.
    private var current: [Int: (bytes: [UInt8], format: FormatDescription)] = [:]

    init(path: String, tracks: [MovieDemuxer.Track]) {
        let counts = Dictionary(
            tracks.compactMap { track in track.entryCount > 0 ? (track.id, track.entryCount) : nil },
            uniquingKeysWith: { first, _ in first })
        let found = counts.isEmpty ? [:] : EntryPlaces.read(path, entryCounts: counts)
        places = Dictionary(
            tracks.compactMap { track in found[track.id].map { (track.index, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the number of a packet's sample description, counted from 1, if the track's table does not contain that
    /// description; otherwise nil.
    func missingEntry(of packet: AVPacket, _ track: MovieDemuxer.Track) -> Int? {
        guard packet.pos >= 0, let entry = places[track.index]?.entry(at: packet.pos), entry >= track.entryCount else {
            return nil
        }
        return entry + 1
    }

    /// Prepares for packets from another position in the file.
    mutating func jump(path: String, container: String) {
        if container == "flv", flash == nil { flash = FlashConfigurations(path: path) }
    }

    /// Returns the format of a packet; nil for a track without a format.
    mutating func format(
        of packet: UnsafeMutablePointer<AVPacket>, _ track: MovieDemuxer.Track
    ) -> FormatDescription? {
        let place = packet.pointee.pos
        if let places = places[track.index] {
            let entry = places.entry(at: place)
            return track.formats.indices.contains(entry) ? track.formats[entry] : track.format
        }
        let bytes = place >= 0 ? flash?.bytes(for: track.mediaType, at: place) : nil
        if let bytes = bytes ?? Self.newConfiguration(packet), let first = track.format {
            if current[track.index]?.bytes != bytes { current[track.index] = (bytes, first.configured(bytes)) }
        }
        return current[track.index]?.format ?? track.format
    }

    private static func newConfiguration(_ packet: UnsafeMutablePointer<AVPacket>) -> [UInt8]? {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0 else { return nil }
        return Array(UnsafeBufferPointer(start: data, count: size))
    }
}

extension FormatDescription {
    /// Returns this format with another decoder configuration, and with the frame size that the configuration states.
    fileprivate func configured(_ bytes: [UInt8]) -> FormatDescription {
        switch self {
        case .video(var video):
            guard video.decoderConfiguration != bytes else { return self }
            (video.decoderConfiguration, video.storedEntry) = (bytes, nil)
            let record: ParameterSets.Record? =
                switch video.codec {
                case .h264:
                    ParameterSets.h264Sets(bytes).flatMap { found in
                        ParameterSets.h264Record(found.sets.map { Array(bytes[$0]) }, lengthSize: found.lengthSize)
                    }
                case .hevc:
                    ParameterSets.hevcSets(bytes).flatMap { found in
                        ParameterSets.hevcRecord(found.sets.map { Array(bytes[$0]) }, lengthSize: found.lengthSize)
                    }
                default: nil
                }
            if let record, (video.width, video.height) != (record.width, record.height) {
                (video.width, video.height, video.cleanAperture) = (record.width, record.height, nil)
            }
            return .video(video)
        case .audio(var audio):
            // libavformat returns the complete atom.
            audio.decoderConfiguration = audio.codec == .alac && bytes.count == 36 ? Array(bytes.dropFirst(12)) : bytes
            audio.storedEntry = nil
            return .audio(audio)
        case .timecode, .text, .metadata: return self
        }
    }
}

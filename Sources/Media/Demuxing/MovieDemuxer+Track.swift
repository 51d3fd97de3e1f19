import CFFmpeg
package import MediaTypes
import MovieFile

extension MovieDemuxer {
    package struct Track: Sendable {
        /// Index among the file's tracks, from 0.
        package var index: Int
        /// The track number in the file; the index plus 1 if the container has none.
        package var id: Int
        /// The media type; nil for a track of any other type, and for the cover image of a file.
        package var mediaType: MediaType?
        /// The format; nil for a format that this build does not know.
        package var format: FormatDescription?
        /// The formats of all entries of the sample description table, if the track has several; otherwise empty.
        package var formats: [FormatDescription] = []
        /// The length of the sample description table; 0 if the container has none.
        package var entryCount = 0
        /// The first entry of the sample description table, as it is stored; nil if the container has none.
        package var firstEntry: StoredEntry?
        /// True if the container states the order of the fields; false if only the frames may state it.
        package var statesFieldOrder = false
        /// The codec's short name, such as `h264`.
        package var codecName: String
        /// Ticks per second of the times in the file.
        package var timeScale: Int32
        package var isDefault: Bool
        /// ISO 639-2/T; nil if undetermined.
        package var language: String?
        /// Values that some decoders need besides the format: libavcodec's fields of these names.
        package var bitsPerCodedSample: Int
        package var blockAlign: Int
        package var initialPadding: Int
        package var videoDelay: Int
        /// True if frames are stored out of order, and the file has only decode times.
        package var lacksPresentationTimes = false
        /// The tag as in the file, lowest byte first.
        package var codecTag: UInt32
        /// Bits per second; 0 if unknown.
        package var bitRate: Int64
        /// The mean number of frames per second (`averageFrameRate`), and the lowest rate whose ticks include the time
        /// of every frame (`realFrameRate`). 0/1 if unknown.
        package var averageFrameRate: Ratio
        package var realFrameRate: Ratio
        /// The start and the duration, from the header or estimated by libavformat; nil if unknown.
        package var start: MediaTime?
        package var duration: MediaTime?
        /// The 3 × 3 display matrix as in `tkhd`, by rows; nil if there is none. Numbers are 16.16 fixed-point, in the
        /// last column 2.30.
        package var displayMatrix: [Int32]?
        package var metadata: [MetadataItem]
        /// True if the header lists every sample of the file, and none of this track.
        package var isEmpty = false
        /// The descriptions of the frames that a copy lacks.
        package var uncopied: [UncopiedDescription] = []
    }

    static func track(
        _ stream: UnsafeMutablePointer<AVStream>, index: Int, origin: MediaTime, isQuickTime: Bool,
        hasTimes: Bool
    ) -> Track {
        let fields = stream.pointee
        let parameters = fields.codecpar.pointee
        let metadata = items(fields.metadata)
        let language = metadata.first { $0.key == "language" }?.value
        let start = time(fields.start_time, fields.time_base)
        // Without times, FFmpeg 7 returns 25 as the average rate, and the rate of the fields as the real one.
        let stated = ratio(cffmpeg_stated_frame_rate(fields.codecpar))
        let usesStated = !hasTimes && stated.numerator > 0
        return Track(
            index: index, id: fields.id > 0 ? Int(fields.id) : index + 1,
            mediaType: mediaType(
                parameters, isCover: fields.disposition & AV_DISPOSITION_ATTACHED_PIC != 0, isQuickTime: isQuickTime),
            format: FormatDescription(parameters, stream: fields, isQuickTime: isQuickTime),
            codecName: String(cString: avcodec_get_name(parameters.codec_id)),
            timeScale: max(1, fields.time_base.den),
            isDefault: fields.disposition & AV_DISPOSITION_DEFAULT != 0,
            language: language.flatMap(LanguageCode.terminological),
            bitsPerCodedSample: Int(parameters.bits_per_coded_sample), blockAlign: Int(parameters.block_align),
            initialPadding: Int(max(0, parameters.initial_padding)), videoDelay: Int(max(0, parameters.video_delay)),
            codecTag: parameters.codec_tag, bitRate: max(0, parameters.bit_rate),
            averageFrameRate: usesStated ? stated : ratio(fields.avg_frame_rate),
            realFrameRate: usesStated ? stated : ratio(fields.r_frame_rate),
            start: start.map { $0 - origin }, duration: time(fields.duration, fields.time_base),
            displayMatrix: displayMatrix(stream) ?? taggedMatrix(metadata, parameters), metadata: metadata,
            uncopied: parameters.codec_type == AVMEDIA_TYPE_VIDEO ? UncopiedDescription.all(of: stream, metadata) : [])
    }

    private static func mediaType(
        _ parameters: AVCodecParameters, isCover: Bool, isQuickTime: Bool
    ) -> MediaType? {
        switch parameters.codec_type {
        case AVMEDIA_TYPE_VIDEO: isCover ? nil : .video
        case AVMEDIA_TYPE_AUDIO: .audio
        case AVMEDIA_TYPE_SUBTITLE: .text
        case AVMEDIA_TYPE_DATA:
            switch FourCharCode(rawValue: parameters.codec_tag.byteSwapped) {
            case "tmcd": .timecode
            // Types that libavformat does not know.
            case "text", "wvtt", "stpp", "c608", "c708": .text
            default: isQuickTime ? .metadata : nil
            }
        default: nil
        }
    }

    private static func ratio(_ rate: AVRational) -> Ratio {
        rate.num > 0 && rate.den > 0 ? Ratio(rate.num, rate.den) : Ratio(0, 1)
    }

    /// Returns the matrix for a metadata tag that states the clockwise rotation in degrees, as in Matroska.
    private static func taggedMatrix(_ metadata: [MetadataItem], _ parameters: AVCodecParameters) -> [Int32]? {
        let (one, whole): (Int32, Int32) = (1 << 16, 1 << 30)
        func pixels(_ count: Int32) -> Int32 { Int32(clamping: Int64(count) * Int64(one)) }
        switch rotation(metadata) {
        case 90: return [0, one, 0, -one, 0, 0, pixels(parameters.height), 0, whole]
        case 180: return [-one, 0, 0, 0, -one, 0, pixels(parameters.width), pixels(parameters.height), whole]
        case 270: return [0, -one, 0, one, 0, 0, 0, pixels(parameters.width), whole]
        default: return nil
        }
    }

    /// Returns the rotation in degrees clockwise, 0 to 359, from the tag `rotate`.
    static func rotation(_ metadata: [MetadataItem]) -> Int {
        let text = metadata.first { $0.key.lowercased() == "rotate" }?.value
        return text.flatMap { Int($0) }.map { ($0 % 360 + 360) % 360 } ?? 0
    }

    private static func displayMatrix(_ stream: UnsafeMutablePointer<AVStream>) -> [Int32]? {
        var size = 0
        guard let data = cffmpeg_stream_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else {
            return nil
        }
        return (0..<9).map { UnsafeRawPointer(data).loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
    }

    /// Converts a time in ticks. Returns nil for an unknown time, and for a time that does not fit.
    static func time(_ ticks: Int64, _ base: AVRational) -> MediaTime? {
        guard ticks != CFFMPEG_NOPTS_VALUE, base.den > 0 else { return nil }
        let (value, overflow) = ticks.multipliedReportingOverflow(by: Int64(base.num))
        return overflow ? nil : MediaTime(value: value, timescale: base.den)
    }

    /// Returns the entries of a dictionary in the order of the file.
    static func items(_ dictionary: OpaquePointer?) -> [MetadataItem] {
        var items: [MetadataItem] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            items.append(
                MetadataItem(key: String(cString: next.pointee.key), value: String(cString: next.pointee.value)))
            entry = next
        }
        return items
    }
}

extension MovieDemuxer.Track {
    /// Replaces libavformat's duration, which is the sum of the distances between decode times.
    mutating func set(_ shown: ShownMedia) {
        duration = shown.duration
        if let rate = shown.frameRate { averageFrameRate = Ratio(Int32(clamping: (rate * 1000).rounded()), 1000) }
    }
}

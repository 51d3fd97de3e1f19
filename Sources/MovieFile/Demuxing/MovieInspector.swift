import CFFmpeg
import Foundation
package import MediaTypes

/// Reads what a movie file says about itself: any container through libavformat, and our own file's state by its atoms.
package enum MovieInspector {
    /// Blocks while it reads headers and the first packets.
    ///
    /// - Throws: `notFound`, `notPermitted`, `corruptData` for what is no movie.
    package static func summary(ofFileAt path: String) throws(MediaError) -> MovieSummary {
        let file = try DiskFile(path: path, mode: .read)
        var context: UnsafeMutablePointer<AVFormatContext>?
        // Broken files are reported by our own words, once.
        av_log_set_level(AV_LOG_QUIET)
        let opened = avformat_open_input(&context, "file:" + path, nil, nil)
        guard opened >= 0, let movie = context else {
            throw MediaError(
                averror: opened, .corruptData, "cannot read \(path)", wayOut: "it is no movie, or a damaged one")
        }
        defer { avformat_close_input(&context) }
        let found = avformat_find_stream_info(movie, nil)
        guard found >= 0 else { throw MediaError(averror: found, .corruptData, "cannot read \(path)") }

        var metadata = dictionary(movie.pointee.metadata)
        let names = movie.pointee.iformat.flatMap { $0.pointee.name }.map { String(cString: $0) } ?? ""
        var summary = MovieSummary(
            file: path, container: container(names, brand: metadata.removeValue(forKey: "major_brand")),
            size: Int64(clamping: try file.size()))
        // The container's own affairs.
        for key in ["minor_version", "compatible_brands"] { metadata.removeValue(forKey: key) }
        if movie.pointee.duration != CFFMPEG_NOPTS_VALUE, movie.pointee.duration > 0 {
            summary.duration = Double(movie.pointee.duration) / Double(AV_TIME_BASE)
        }
        for index in 0..<Int(movie.pointee.nb_streams) {
            guard let stream = movie.pointee.streams[index] else { continue }
            summary.tracks.append(track(stream, movie: movie, number: index + 1))
        }
        for index in 0..<Int(movie.pointee.nb_chapters) {
            guard let chapter = movie.pointee.chapters[index] else { continue }
            let scale = seconds(of: chapter.pointee.time_base)
            summary.chapters.append(
                .init(
                    start: Double(chapter.pointee.start) * scale, end: Double(chapter.pointee.end) * scale,
                    title: dictionary(chapter.pointee.metadata)["title"]))
        }
        summary.metadata = metadata
        if let account = summary.metadata.removeValue(forKey: MetadataItem.ledgerKey) {
            summary.ledger = try? JSONDecoder().decode([String: Ledger].self, from: Data(account.utf8))
        }
        summary.health = try MovieFinisher.health(of: file)
        return summary
    }

    /// libavformat has one name for QuickTime's family, `mov,mp4,m4a,…`; the brand tells its members apart.
    private static func container(_ names: String, brand: String?) -> String {
        let first = names.split(separator: ",").first.map(String.init) ?? names
        guard first == "mov", let brand else { return first }
        switch brand.trimmingCharacters(in: .whitespaces) {
        case "qt": return "mov"
        case "M4A": return "m4a"
        case "M4V": return "m4v"
        default: return "mp4"
        }
    }

    private static func track(
        _ stream: UnsafeMutablePointer<AVStream>, movie: UnsafeMutablePointer<AVFormatContext>, number: Int
    ) -> MovieSummary.Track {
        let parameters = stream.pointee.codecpar.pointee
        let type = av_get_media_type_string(parameters.codec_type).map { String(cString: $0) } ?? "unknown"
        var track = MovieSummary.Track(
            id: stream.pointee.id > 0 ? Int(stream.pointee.id) : number, type: type == "subtitle" ? "text" : type,
            codec: String(cString: avcodec_get_name(parameters.codec_id)))
        let scale = seconds(of: stream.pointee.time_base)
        if stream.pointee.duration != CFFMPEG_NOPTS_VALUE { track.duration = Double(stream.pointee.duration) * scale }
        if stream.pointee.start_time != CFFMPEG_NOPTS_VALUE { track.start = Double(stream.pointee.start_time) * scale }
        if parameters.bit_rate > 0 { track.bitRate = Int(parameters.bit_rate) }
        let tags = dictionary(stream.pointee.metadata)
        track.language = tags["language"].flatMap { $0 == "und" ? nil : $0 }
        if parameters.codec_type == AVMEDIA_TYPE_VIDEO {
            track.width = Int(parameters.width)
            track.height = Int(parameters.height)
            let rate = stream.pointee.avg_frame_rate
            if rate.num > 0, rate.den > 0 { track.frameRate = Double(rate.num) / Double(rate.den) }
            if stream.pointee.nb_frames > 0 { track.frameCount = Int(stream.pointee.nb_frames) }
            track.rotation = rotation(stream)
        } else if parameters.codec_type == AVMEDIA_TYPE_AUDIO {
            track.sampleRate = Int(parameters.sample_rate)
            track.channels = Int(parameters.ch_layout.nb_channels)
        } else if FourCharCode(rawValue: parameters.codec_tag.byteSwapped) == "tmcd" {
            // To libavformat a time code is data without a codec.
            track.type = MediaType.timecode.rawValue
            track.codec = "tmcd"
            track.timecode = tags["timecode"]
        }
        return track
    }

    /// Degrees clockwise, from the display matrix.
    private static func rotation(_ stream: UnsafeMutablePointer<AVStream>) -> Int {
        guard let matrix = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, nil) else { return 0 }
        let degrees = matrix.withMemoryRebound(to: Int32.self, capacity: 9) { av_display_rotation_get($0) }
        guard degrees.isFinite else { return 0 }
        return (Int((-degrees).rounded()) % 360 + 360) % 360
    }

    private static func seconds(of base: AVRational) -> Double {
        base.den == 0 ? 0 : Double(base.num) / Double(base.den)
    }

    private static func dictionary(_ source: OpaquePointer?) -> [String: String] {
        var result: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(source, "", entry, AV_DICT_IGNORE_SUFFIX) {
            result[String(cString: next.pointee.key)] = String(cString: next.pointee.value)
            entry = next
        }
        return result
    }
}

extension MediaError {
    /// A failed call of FFmpeg's libraries, with its own words.
    init(averror number: Int32, _ code: MediaError.Code, _ action: String, wayOut: String = "") {
        var text = [CChar](repeating: 0, count: 128)
        av_strerror(number, &text, text.count)
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self.init(
            code, action, reason: String(decoding: bytes, as: UTF8.self), underlying: .averror(number), wayOut: wayOut)
    }
}

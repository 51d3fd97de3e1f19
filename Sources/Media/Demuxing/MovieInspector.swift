import CFFmpeg
import Foundation
package import MediaTypes
import MovieFile

/// Reads the headers of a movie file. Tracks and metadata come from libavformat, for any container. The state of a
/// recording of this library comes from its atoms.
package enum MovieInspector {
    /// Returns a summary of a file. Blocks while it reads headers and the first packets.
    ///
    /// - Throws: `notFound`, `notPermitted`, `unsupported` if it is not a regular file, `corruptData` if it is not a
    ///   movie.
    package static func summary(ofFileAt path: String) throws(MediaError) -> MovieSummary {
        let demuxer = try MovieDemuxer(path: path)
        let file = try DiskFile(path: path, mode: .read)
        let movie = demuxer.context
        var metadata = dictionary(movie.pointee.metadata)
        var summary = MovieSummary(
            file: path, container: container(demuxer.container, brand: metadata.removeValue(forKey: "major_brand")),
            size: Int64(clamping: try file.size()))
        // These values are internal to the container.
        for key in ["minor_version", "compatible_brands"] { metadata.removeValue(forKey: key) }
        if let duration = demuxer.headerDuration { summary.duration = duration.seconds }
        for track in demuxer.tracks {
            guard let stream = movie.pointee.streams[track.index] else { continue }
            var described = self.track(stream, track)
            if demuxer.extent.isIndexed, let stored = described.frameCount {
                let shown = shownCount(stream)
                if shown > 0, shown < stored { described.shownFrameCount = shown }
            }
            summary.tracks.append(described)
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
        if let clock = summary.metadata.removeValue(forKey: MetadataItem.clockKey) {
            summary.clock = RecordingClock(text: clock)
        }
        // Only `recorder verify` uses this value; it means nothing to a user.
        summary.metadata[MetadataItem.signedEndKey] = nil
        summary.health = try MovieFinisher.health(of: file)
        // If a file is being written, or a crash left it unfinished, it contains clock readings that are newer than its
        // header.
        if summary.health != .whole, let known = summary.clock, let clock = try MovieFinisher.clock(of: file) {
            summary.clock = known.adding(clock)
        }
        return summary
    }

    /// Returns the name of the container. libavformat has one name for all containers of QuickTime's family,
    /// `mov,mp4,m4a,…`. The brand distinguishes them.
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
        _ stream: UnsafeMutablePointer<AVStream>, _ demuxed: MovieDemuxer.Track
    ) -> MovieSummary.Track {
        let parameters = stream.pointee.codecpar.pointee
        let type = av_get_media_type_string(parameters.codec_type).map { String(cString: $0) } ?? "unknown"
        var track = MovieSummary.Track(
            id: demuxed.id, type: type == "subtitle" ? "text" : type,
            codec: String(cString: avcodec_get_name(parameters.codec_id)))
        let scale = seconds(of: stream.pointee.time_base)
        if let duration = demuxed.duration { track.duration = duration.seconds }
        if stream.pointee.start_time != CFFMPEG_NOPTS_VALUE { track.start = Double(stream.pointee.start_time) * scale }
        if parameters.bit_rate > 0 { track.bitRate = Int(parameters.bit_rate) }
        track.language = demuxed.language
        if parameters.codec_type == AVMEDIA_TYPE_VIDEO {
            track.width = Int(parameters.width)
            track.height = Int(parameters.height)
            let rate = demuxed.averageFrameRate
            if rate.numerator > 0 { track.frameRate = Double(rate.numerator) / Double(rate.denominator) }
            if stream.pointee.nb_frames > 0 { track.frameCount = Int(stream.pointee.nb_frames) }
            track.rotation = rotation(demuxed)
            if let video = demuxed.format?.video { track.describe(video, parameters) }
        } else if parameters.codec_type == AVMEDIA_TYPE_AUDIO {
            track.sampleRate = Int(parameters.sample_rate)
            track.channels = Int(parameters.ch_layout.nb_channels)
        } else if FourCharCode(rawValue: parameters.codec_tag.byteSwapped) == "tmcd" {
            // libavformat treats a timecode as data without a codec.
            track.type = MediaType.timecode.rawValue
            track.codec = "tmcd"
            track.timecode = demuxed.metadata.first { $0.key == "timecode" }?.value
        }
        return track
    }

    /// Returns the number of samples that the edit list does not hide. libavformat marks hidden samples, or leaves them
    /// out of its index.
    private static func shownCount(_ stream: UnsafeMutablePointer<AVStream>) -> Int {
        (0..<avformat_index_get_entries_count(stream)).reduce(0) { count, index in
            guard let entry = avformat_index_get_entry(stream, index) else { return count }
            return Int32(entry.pointee.flags) & AVINDEX_DISCARD_FRAME == 0 ? count + 1 : count
        }
    }

    /// Returns the rotation in degrees clockwise, from the display matrix.
    private static func rotation(_ track: MovieDemuxer.Track) -> Int {
        guard let matrix = track.displayMatrix else { return 0 }
        let degrees = av_display_rotation_get(matrix)
        guard degrees.isFinite else { return 0 }
        return (Int(clamping: (-degrees).rounded()) % 360 + 360) % 360
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

extension MovieSummary.Track {
    fileprivate mutating func describe(_ video: VideoFormat, _ parameters: AVCodecParameters) {
        let aspect = video.pixelAspectRatio
        if aspect.numerator != aspect.denominator { pixelAspectRatio = "\(aspect.numerator):\(aspect.denominator)" }
        pixelFormat = video.storedPixels?.name
        bitDepth = video.bitDepth
        if parameters.color_range != AVCOL_RANGE_UNSPECIFIED { isFullRange = video.color.isFullRange }
        func name(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "unknown" }
        if video.color.isSpecified {
            let names = [
                name(av_color_primaries_name(parameters.color_primaries)),
                name(av_color_transfer_name(parameters.color_trc)), name(av_color_space_name(parameters.color_space)),
            ]
            color = Set(names).count == 1 ? names[0] : names.joined(separator: "/")
        }
        fieldOrder = video.fieldOrder.map { "\($0)" }
    }
}

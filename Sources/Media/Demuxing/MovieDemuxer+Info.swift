import CFFmpeg
package import MediaTypes
import MovieFile

extension MovieDemuxer {
    package struct Chapter: Sendable {
        package var range: TimeRange
        package var title: String
        package var metadata: [MetadataItem]
    }

    /// The movie's metadata, in the order of the file.
    package var metadata: [MetadataItem] { Self.items(context.pointee.metadata) }

    /// Returns the timecode of a track's first sample; empty if libavformat has returned a timecode (`known`).
    /// libavformat rejects timecodes with the drop-frame flag at 24 and 25 frames per second.
    static func timecode(
        _ stream: UnsafeMutablePointer<AVStream>, _ format: TimecodeFormat, _ path: String, known: [MetadataItem]
    ) -> [MetadataItem] {
        guard !known.contains(where: { $0.key == "timecode" }),
            let entry = avformat_index_get_entry(stream, 0)?.pointee, entry.pos >= 0,
            Int(entry.size) == TimecodeFormat.sampleSize, let file = try? DiskFile(path: path, mode: .read)
        else { return [] }
        let bytes = file.bytes(at: UInt64(entry.pos), count: TimecodeFormat.sampleSize)
        guard bytes.count == TimecodeFormat.sampleSize else { return [] }
        let number = bytes.reduce(0) { $0 << 8 | Int64($1) }
        return [MetadataItem(key: "timecode", value: format.text(format.label(ofFrame: number)))]
    }

    /// Cover images, such as the sleeve of a record: JPEG or PNG files.
    package var covers: [MetadataItem] {
        (0..<tracks.count).compactMap { index in
            guard let stream = context.pointee.streams[index]?.pointee,
                stream.disposition & AV_DISPOSITION_ATTACHED_PIC != 0, let data = stream.attached_pic.data,
                (1...Self.largestCover).contains(stream.attached_pic.size)
            else { return nil }
            let bytes = Array(UnsafeBufferPointer(start: data, count: Int(stream.attached_pic.size)))
            switch stream.codecpar.pointee.codec_id {
            case AV_CODEC_ID_MJPEG: return MetadataItem(keySpace: .iTunes, key: "covr", content: .jpeg(bytes))
            case AV_CODEC_ID_PNG: return MetadataItem(keySpace: .iTunes, key: "covr", content: .png(bytes))
            default: return nil
            }
        }
    }

    /// The largest cover that a header may contain.
    private static let largestCover: Int32 = 16 << 20

    package var chapters: [Chapter] {
        (0..<Int(context.pointee.nb_chapters)).compactMap { index in
            guard let chapter = context.pointee.chapters[index]?.pointee,
                let start = Self.time(chapter.start, chapter.time_base),
                let end = Self.time(chapter.end, chapter.time_base)
            else { return nil }
            let metadata = Self.items(chapter.metadata)
            return Chapter(
                range: TimeRange(start: start - origin, end: max(start, end) - origin),
                title: metadata.first { $0.key == "title" }?.value ?? "", metadata: metadata)
        }
    }

    /// The duration from the header, or libavformat's estimate from bit rate and size; nil if unknown.
    package var estimatedDuration: MediaTime? {
        let ends = tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }.map { track -> MediaTime? in
            guard let start = track.start, let duration = track.duration else { return nil }
            return start + duration
        }
        let header = headerDuration
        guard !ends.isEmpty, !ends.contains(nil), let last = ends.compactMap({ $0 }).max() else { return header }
        // The header's duration is used only if it is clearly longer, because its ticks are coarser than the ticks of
        // the tracks.
        guard let header, (header.seconds - last.seconds).magnitude > 0.001, header > last else { return last }
        return header
    }

    /// The duration of the movie according to the header; nil if unknown.
    package var headerDuration: MediaTime? {
        if extent.isIndexed, let storedDuration { return storedDuration }
        let movie = context.pointee.duration
        return movie > 0 ? MediaTime(value: movie, timescale: AV_TIME_BASE) : nil
    }

    /// True if the header has an index of every sample, so its durations are exact.
    package var hasCompleteIndex: Bool { container.hasPrefix("mov") && !extent.isFragmented }

    /// True if the file stores the decode time of every packet. For other containers libavformat derives it from the
    /// presentation times, and needs the number of reordered frames for that.
    package var storesDecodeTimes: Bool {
        ["mov", "mpegts", "flv"].contains { container.hasPrefix($0) }
    }

    /// Returns true if the presentation times of a track are known even if reading begins in the middle of the file.
    ///
    /// They are unknown for reordered frames in AVI and in elementary streams, because these store no presentation
    /// times. In a program stream, only a few frames have a time. In WAVE, libavformat calculates the times of ADPCM
    /// blocks from the bit rate.
    package func knowsTimesInTheMiddle(of index: Int) -> Bool {
        guard tracks.indices.contains(index) else { return false }
        let track = tracks[index]
        if track.lacksPresentationTimes { return false }
        switch container {
        case "avi", "h264", "hevc", "m4v", "mpegvideo": return track.mediaType != .video || track.videoDelay == 0
        case "mpeg": return track.mediaType != .video
        case "wav", "w64": return track.codecName.hasPrefix("pcm")
        default: return true
        }
    }

    /// True if times in the container may restart, for example where transport streams were joined. A time may then
    /// occur more than once, and a seek to that time may arrive at any of these positions.
    package var mayRepeatTimes: Bool {
        context.pointee.iformat.map { $0.pointee.flags & AVFMT_TS_DISCONT != 0 } ?? false
    }
}

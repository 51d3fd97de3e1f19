import CFFmpeg
package import MediaTypes

extension MovieDemuxer {
    package struct Chapter: Sendable {
        package var range: TimeRange
        package var title: String
        package var metadata: [MetadataItem]
    }

    /// Facts about the movie, in the order of the file.
    package var metadata: [MetadataItem] { Self.items(context.pointee.metadata) }

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

    /// What the header says, or what libavformat makes of bit rate and size where it says nothing; nil when nobody knows.
    package var estimatedDuration: MediaTime? {
        let ends = tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }.map { track -> MediaTime? in
            guard let start = track.start, let duration = track.duration else { return nil }
            return start + duration
        }
        let movie = context.pointee.duration
        let header = movie > 0 ? MediaTime(value: movie, timescale: AV_TIME_BASE) : nil
        guard !ends.isEmpty, !ends.contains(nil), let last = ends.compactMap({ $0 }).max() else { return header }
        // The header counts in coarser ticks than the tracks, but a movie may be longer than its media.
        guard let header, (header.seconds - last.seconds).magnitude > 0.001, header > last else { return last }
        return header
    }

    /// The header has an index of every sample: its durations are exact.
    package var hasCompleteIndex: Bool { container.hasPrefix("mov") && !extent.isFragmented }

    /// Bits per second of the whole file, 0 when unknown.
    package var bitRate: Int64 { max(0, context.pointee.bit_rate) }
}

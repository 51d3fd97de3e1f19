import AssetIO
package import Foundation
package import MediaTypes

/// Compares a movie with its source by what is shown and heard: every frame's time, the similarity of some frames, and
/// some ranges of the audio. Memory use does not grow with the movies' length.
///
/// The entire timeline may begin later than the source's, because Matroska reserves time for an audio encoder's
/// priming.
package struct MovieComparer: Sendable {
    private let options: MovieComparisonOptions
    private let progress: MovieChecker.Progress?

    package init(_ options: MovieComparisonOptions = .init(), progress: MovieChecker.Progress? = nil) {
        (self.options, self.progress) = (options, progress)
    }

    /// Compares a movie with its source. Reads the timestamps of all packets of both files, and decodes only the frames
    /// and the audio that it compares.
    ///
    /// Differences are in the result. Media that cannot be decoded is a difference too, but a few such frames of the
    /// source are only noted. Tracks are compared in order: video with video, and audio with audio. Other tracks, such
    /// as subtitles or chapters, are not compared.
    ///
    /// - Throws: The reason why one of the two cannot be opened; `cancelled` if the task is cancelled.
    package func compare(_ url: URL, against source: URL) async throws(MediaError) -> MovieComparison {
        let pair = try await MoviePair(url, source)
        var comparison = MovieComparison(file: url.path, source: source.path)
        comparison.addTracks(pair)
        let tracks = pair.tracks
        // The offset found in the first track applies to the others.
        var offset: MediaTime?
        for (index, two) in tracks.enumerated() {
            let share = { (part: Double) in (Double(index) + part) / Double(tracks.count) }
            switch two.type {
            case .video:
                let found = try await FrameComparer(pair, two, options) { progress?(share($0)) }
                    .compare(into: &comparison, offset: offset)
                offset = offset ?? found
            default:
                let found = try await AudioComparer(pair, two, options) { progress?(share($0)) }
                    .compare(into: &comparison, offset: offset)
                offset = offset ?? found
            }
            if Task.isCancelled { throw Self.cancelled(url) }
        }
        comparison.offset = offset?.seconds ?? 0
        comparison.addLength(pair)
        progress?(1)
        return comparison
    }

    private static func cancelled(_ url: URL) -> MediaError {
        MediaError(.cancelled, "cannot compare \(url.path)", reason: "it was cancelled")
    }
}

/// A movie and its source, opened.
struct MoviePair: Sendable {
    struct Tracks: Sendable {
        let type: MediaType
        let copy: AssetTrack
        let source: AssetTrack

        /// The coarser of the two tracks' time resolutions, limited to the range from 1 ms to 5 ms. It is at least 1
        /// ms, because a movie may have been a Matroska file before, whose times are in milliseconds. It is at most 5
        /// ms, so that no frame is matched with its neighbor.
        var tick: MediaTime {
            let scale = max(1, min(copy.naturalTimeScale, source.naturalTimeScale))
            let millisecond = MediaTime(value: 1, timescale: 1000)
            return max(millisecond, min(MediaTime(value: 1, timescale: scale), MediaTime(value: 5, timescale: 1000)))
        }
    }

    let copy: Asset
    let source: Asset
    let copyDuration: MediaTime
    let sourceDuration: MediaTime
    private let copyTracks: [AssetTrack]
    private let sourceTracks: [AssetTrack]

    init(_ url: URL, _ sourceURL: URL) async throws(MediaError) {
        copy = Asset(url: url, prefersPreciseDurationAndTiming: true)
        source = Asset(url: sourceURL, prefersPreciseDurationAndTiming: true)
        (copyTracks, copyDuration) = try await copy.load(.tracks, .duration)
        (sourceTracks, sourceDuration) = try await source.load(.tracks, .duration)
    }

    /// The pairs of tracks to compare, video first.
    var tracks: [Tracks] {
        [MediaType.video, .audio].flatMap { type in
            let (copies, sources) = (of(type, copyTracks), of(type, sourceTracks))
            // A copy with one of several tracks has the one that players present.
            if copies.count == 1, let source = sources.presented(type) {
                return [Tracks(type: type, copy: copies[0], source: source)]
            }
            return zip(copies, sources).map { Tracks(type: type, copy: $0, source: $1) }
        }
    }

    func counts(_ type: MediaType) -> (copy: Int, source: Int) {
        (of(type, copyTracks).count, of(type, sourceTracks).count)
    }

    private func of(_ type: MediaType, _ tracks: [AssetTrack]) -> [AssetTrack] {
        tracks.filter { $0.mediaType == type }
    }
}

extension MovieComparison {
    /// The tolerated difference in duration, in seconds. A copy may differ slightly, because audio ends with a packet,
    /// and video with the end of its last frame.
    static let slackInLength = 0.1

    fileprivate mutating func addTracks(_ pair: MoviePair) {
        for (type, word) in [(MediaType.video, "video"), (.audio, "audio")] {
            let counts = pair.counts(type)
            guard counts.copy != counts.source else { continue }
            differences.append(
                .init(
                    .tracks,
                    "it has \(counts.copy) \(word) track\(counts.copy == 1 ? "" : "s"), the source \(counts.source)"))
        }
    }

    fileprivate mutating func addLength(_ pair: MoviePair) {
        let (length, due) = (pair.copyDuration.seconds - offset, pair.sourceDuration.seconds)
        if abs(length - due) > Self.slackInLength {
            differences.append(
                .init(
                    .length, "it is \(PositionText.place(length)) long, the source \(PositionText.place(due))",
                    from: min(length, due)))
        }
    }
}

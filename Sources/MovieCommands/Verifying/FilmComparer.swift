import AssetIO
package import Foundation
package import MediaTypes

/// Compares a film with the one that it was made of, by what is shown and heard: every picture's time, the likeness of some
/// pictures, and stretches of the sound. Memory does not grow with the films.
///
/// A time line may begin later than the other's, as a whole: Matroska makes room for what an encoder of sound puts in front.
package struct FilmComparer: Sendable {
    private let options: FilmComparisonOptions
    private let progress: FilmVerifier.Progress?

    package init(_ options: FilmComparisonOptions = .init(), progress: FilmVerifier.Progress? = nil) {
        (self.options, self.progress) = (options, progress)
    }

    /// Reads the places of all packets of both, and decodes what it looks at and listens to.
    ///
    /// What differs is in the result, also what cannot be decoded. Tracks are compared in their order, pictures with pictures and
    /// sound with sound; whatever else there is, subtitles or chapters, is not looked at.
    ///
    /// - Throws: why one of the two cannot be opened; `cancelled` when the task is.
    package func compare(_ url: URL, against source: URL) async throws(MediaError) -> FilmComparison {
        let pair = try await FilmPair(url, source)
        var comparison = FilmComparison(file: url.path, source: source.path)
        comparison.addTracks(pair)
        let tracks = pair.tracks
        // What the first track tells holds for the others.
        var offset: MediaTime?
        for (index, two) in tracks.enumerated() {
            let share = { (part: Double) in (Double(index) + part) / Double(tracks.count) }
            switch two.type {
            case .video:
                let found = try await PictureComparer(pair, two, options) { progress?(share($0)) }
                    .compare(into: &comparison, offset: offset)
                offset = offset ?? found
            default:
                let found = try await SoundComparer(pair, two, options) { progress?(share($0)) }
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

/// A film and its source, opened.
struct FilmPair: Sendable {
    struct Tracks: Sendable {
        let type: MediaType
        let copy: AssetTrack
        let source: AssetTrack

        /// What times are rounded to in the one that rounds more. At least 1 ms, for films that went through Matroska on their
        /// way; at most 5, because a picture must not pass for its neighbour.
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

    /// Those that can be compared, pictures first.
    var tracks: [Tracks] {
        [MediaType.video, .audio].flatMap { type in
            zip(of(type, copyTracks), of(type, sourceTracks)).map { Tracks(type: type, copy: $0, source: $1) }
        }
    }

    func counts(_ type: MediaType) -> (copy: Int, source: Int) {
        (of(type, copyTracks).count, of(type, sourceTracks).count)
    }

    private func of(_ type: MediaType, _ tracks: [AssetTrack]) -> [AssetTrack] {
        tracks.filter { $0.mediaType == type }
    }
}

extension FilmComparison {
    /// So much longer or shorter may a film be, in seconds: sound comes in packets, and the last picture lasts as long as one.
    static let slackInLength = 0.1

    fileprivate mutating func addTracks(_ pair: FilmPair) {
        for (type, word) in [(MediaType.video, "picture"), (.audio, "sound")] {
            let counts = pair.counts(type)
            guard counts.copy != counts.source else { continue }
            differences.append(
                .init(
                    .tracks,
                    "it has \(counts.copy) \(word) track\(counts.copy == 1 ? "" : "s"), its source \(counts.source)"))
        }
    }

    fileprivate mutating func addLength(_ pair: FilmPair) {
        let (length, due) = (pair.copyDuration.seconds - offset, pair.sourceDuration.seconds)
        if abs(length - due) > Self.slackInLength {
            differences.append(
                .init(
                    .length, "it is \(FilmText.place(length)) long, its source \(FilmText.place(due))",
                    from: min(length, due)))
        }
    }
}

import AssetIO
import CommandInterface
import Foundation
import MediaTypes

/// Compares the audio of two tracks: some ranges spread over the movie, each mixed to one channel at 8 kHz.
struct AudioComparer {
    private let pair: MoviePair
    private let tracks: MoviePair.Tracks
    private let options: MovieComparisonOptions
    private let reach: (Double) -> Void

    /// The sample rate of the comparison in hertz: enough for most audible frequencies, and to distinguish any two
    /// tracks.
    static let rate = 8000
    /// The length of one range in seconds.
    static let length = 1.0
    /// The maximum shift, in seconds, up to which the audio of a range is searched for in the copy.
    static let reachOfShift = 0.5

    init(
        _ pair: MoviePair, _ tracks: MoviePair.Tracks, _ options: MovieComparisonOptions,
        reach: @escaping (Double) -> Void
    ) {
        (self.pair, self.tracks, self.options, self.reach) = (pair, tracks, options, reach)
    }

    /// Compares the tracks.
    ///
    /// - Parameter known: The offset by which the copy's timeline begins later; if nil, it is determined from the
    ///   audio.
    /// - Returns: The offset; nil if unknown.
    /// - Throws: The disk's error; media that cannot be decoded is a difference.
    func compare(into comparison: inout MovieComparison, offset known: MediaTime?) async throws(MediaError)
        -> MediaTime?
    {
        let (copy, source) = (tracks.copy.timeRange, tracks.source.timeRange)
        var offset = known?.seconds
        var track = MovieComparison.Track(
            type: tracks.type.rawValue, id: tracks.copy.id, sourceID: tracks.source.id, duration: copy.duration.seconds,
            sourceDuration: source.duration.seconds)
        do throws(MediaError) {
            var tally = try await listen(source, at: offset ?? 0)
            // The offset is unknown if the movie has audio only. If all of its audio has the same offset, that is not a
            // difference.
            if offset == nil, let shift = tally.offset, shift != 0 {
                let moved = try await listen(source, at: shift)
                if moved.offset == 0 { (tally, offset) = (moved, shift) }
            }
            (track.audioCorrelation, track.audioOffset) = (tally.similarity, tally.offset)
            comparison.differences += tally.differences(track: track.id)
        } catch {
            guard error.code != .ioFailure, error.code != .notPermitted, error.code != .cancelled else { throw error }
            comparison.differences.append(.init(.decoding, error.reason, track: track.id))
        }
        let end = copy.end.seconds - (offset ?? 0)
        if abs(end - source.end.seconds) > MovieComparison.slackInLength {
            comparison.differences.append(
                .init(
                    .length,
                    "its audio ends at \(PositionText.place(end)), the source's at "
                        + PositionText.place(source.end.seconds), track: track.id, from: min(end, source.end.seconds)))
        }
        comparison.tracks.append(track)
        return offset.map { MediaTime(seconds: $0) }
    }

    private func listen(_ range: TimeRange, at offset: Double) async throws(MediaError) -> AudioCorrelationTally {
        let count = max(
            1, min(options.audioRanges, Int(clamping: (range.duration.seconds / Self.length).rounded(.down))))
        // Matroska rounds packet times to milliseconds, and may shift the entire movie.
        let tick = tracks.tick.seconds * (offset == 0 ? 1 : 2)
        let tolerance = Int(clamping: (tick * Double(Self.rate)).rounded(.up))
        var tally = AudioCorrelationTally()
        var (hasAudio, isDamaged) = (false, false)
        for index in 0..<count {
            if Task.isCancelled { throw MediaError(.cancelled, "cannot compare", reason: "it was cancelled") }
            reach(Double(index) / Double(count))
            let room = max(0, range.duration.seconds - Self.length)
            let start = range.start.seconds + (count == 1 ? room / 2 : room * Double(index) / Double(count - 1))
            let length = min(Self.length, range.duration.seconds)
            let source = try await samples(pair.source, tracks.source, from: start, length: length)
            let copy = try await samples(
                pair.copy, tracks.copy, from: start + offset - Self.reachOfShift,
                length: length + 2 * Self.reachOfShift)
            hasAudio = hasAudio || source.hasAudio
            isDamaged = isDamaged || source.isDamaged
            tally.add(
                AudioCorrelation(copy: copy.frames, source: source.frames, tolerance: tolerance), at: start)
        }
        // Audio that cannot be decoded would count as silence, and a silent copy would seem to be the same.
        guard hasAudio || !isDamaged else {
            throw MediaError(.corruptData, "cannot compare", reason: "the audio of the source cannot be decoded")
        }
        return tally
    }

    /// The audio of a range of a track.
    private struct Excerpt {
        /// One channel; missing audio is silence.
        var frames: [Float]
        /// True if some audio was decoded.
        var hasAudio = false
        /// True if some audio could not be decoded.
        var isDamaged = false
    }

    /// Returns one channel of audio with exactly this length.
    private func samples(
        _ asset: Asset, _ track: AssetTrack, from start: Double, length: Double
    ) async throws(MediaError) -> Excerpt {
        let rate = Int32(Self.rate)
        let first = Int(clamping: (start * Double(rate)).rounded())
        var excerpt = Excerpt(frames: [Float](repeating: 0, count: Int(clamping: length * Double(rate))))
        let reader = try AssetReader(asset: asset)
        // A decoder that begins in the middle of audio, and a resampler, need some audio to settle.
        let from = max(0, start - 0.1)
        try reader.configure {
            $0.skipsDamagedMedia = true
            $0.timeRange = TimeRange(
                start: MediaTime(seconds: from, timescale: rate),
                end: MediaTime(seconds: max(from, start + length) + 0.1, timescale: rate))
        }
        let output = try TrackOutput(
            track: track, outputSettings: .pcm(TrackOutput.PCM(.float32, sampleRate: Self.rate, channelCount: 1)))
        try reader.add(output)
        try reader.startReading()
        while let sample = try await output.next() {
            guard case .data(let data) = sample.content else { continue }
            let place = Int(clamping: sample.presentationTime.ticks(in: rate)) - first
            excerpt.hasAudio = true
            data.bytes.withMemoryRebound(to: Float.self) { heard in
                for (index, value) in heard.enumerated() where excerpt.frames.indices.contains(place + index) {
                    // A floating point file may contain any value.
                    excerpt.frames[place + index] = abs(value) < 1e6 ? value : 0
                }
            }
        }
        excerpt.isDamaged = reader.damagedTimeRanges.contains { !$0.isMended }
        reader.cancelReading()
        return excerpt
    }
}

import AssetIO
import Foundation
import MediaTypes
import RealTime

/// One pass over all decodable media of a movie, with one task per track.
struct DecodingPass: Sendable {
    /// The result for one track.
    struct Result: Sendable {
        let track: AssetTrack
        /// The number of decoded frames, or of audio frames.
        var count: Int64 = 0
        var packets: Int64 = 0
        var start: MediaTime?
        var end: MediaTime = .zero
        /// The duration of the longest sample.
        var longest: MediaTime = .zero
        /// Gaps in the audio of at least 0.1 s.
        var holes: [TimeRange] = []
        var damage: [DamagedTimeRange] = []
        /// The reason why decoding failed or stopped.
        var failure: MediaError?
        var isDecoded = false
    }

    /// The maximum number of tracks. Each track has its own reader, which also reads the start of every other track, so
    /// the time grows with the square of the number of tracks.
    static let mostTracks = 128

    let summary: MovieSummary
    let asset: Asset
    private let tracks: [AssetTrack]
    private let duration: MediaTime

    var trackCount: Int { tracks.count }

    /// Opens a movie.
    ///
    /// - Throws: `corruptData` if the file is not a movie; the errors of opening it.
    init(_ url: URL) async throws(MediaError) {
        summary = try MovieSummary(contentsOf: url)
        asset = Asset(url: url)
        (tracks, duration) = try await asset.load(.tracks, .duration)
    }

    /// Decodes all tracks.
    ///
    /// - Throws: `cancelled`; the disk's error. All other errors are in the results.
    func run(_ progress: MovieChecker.Progress?) async throws(MediaError) -> [Result] {
        let meter = PassMeter(tracks: tracks.count, duration: duration.seconds, progress)
        var results: [Int: Result] = [:]
        await withTaskGroup(of: (Int, Result).self) { group in
            for (index, track) in tracks.enumerated() {
                group.addTask { (index, await read(track) { meter.reach($0, track: index) }) }
            }
            for await (index, result) in group { results[index] = result }
        }
        if Task.isCancelled {
            throw MediaError(
                .cancelled, "cannot check \(asset.url?.path ?? "the movie")", reason: "it was cancelled")
        }
        meter.end()
        for result in results.values {
            if let failure = result.failure, failure.code == .ioFailure || failure.code == .notPermitted {
                throw failure
            }
        }
        return results.sorted { $0.key < $1.key }.map(\.value)
    }

    private func read(_ track: AssetTrack, _ reach: (Double) -> Void) async -> Result {
        var result = Result(track: track)
        guard track.mediaType == .video || track.mediaType == .audio else { return result }
        let reader: AssetReader
        let output: TrackOutput
        do throws(MediaError) {
            guard track.formatDescription != nil else {
                throw MediaError(
                    .unsupported, "cannot decode track \(track.id)",
                    reason: "its codec, \(track.codecName), is unknown to this build")
            }
            reader = try AssetReader(asset: asset)
            // Reads to the last sample, because the duration in the header may be wrong.
            try reader.configure {
                $0.skipsDamagedMedia = true
                $0.timeRange = TimeRange(start: .zero, end: .positiveInfinity)
            }
            output = try TrackOutput(
                track: track, outputSettings: track.mediaType == .video ? .pixels(nil) : .pcm(.float32))
            try output.configure { $0.alwaysCopiesSampleData = false }
            try reader.add(output)
            try reader.startReading()
        } catch {
            result.failure = error
            return result
        }
        do throws(MediaError) {
            while let sample = try await output.next() {
                result.take(sample)
                reach(result.end.seconds)
                if Task.isCancelled { break }
            }
            result.isDecoded = true
        } catch { result.failure = error }
        result.damage = reader.damagedTimeRanges
        reader.cancelReading()
        return result
    }
}

extension DecodingPass.Result {
    private static let mostHoles = 1000
    private static let hole = MediaTime(value: 1, timescale: 10)

    fileprivate mutating func take(_ sample: SampleBuffer) {
        count += Int64(sample.sampleCount)
        packets += 1
        let time = sample.presentationTime
        if start == nil { start = time }
        if track.mediaType == .audio, packets > 1, time - end > Self.hole, holes.count < Self.mostHoles {
            holes.append(TimeRange(start: end, end: time))
        }
        end = max(end, sample.endTime)
        if let duration = sample.duration { longest = max(longest, duration) }
    }
}

/// Sums the progress of all tracks, and reports it at most a hundred times.
private final class PassMeter: Sendable {
    private let report: MovieChecker.Progress?
    private let duration: Double
    private let state: Locked<(reached: [Double], told: Double)>

    init(tracks: Int, duration: Double, _ report: MovieChecker.Progress?) {
        (self.report, self.duration) = (report, duration)
        state = Locked(([Double](repeating: 0, count: tracks), 0))
    }

    func reach(_ seconds: Double, track: Int) {
        guard let report, duration > 0 else { return }
        let fraction: Double? = state.withLock { state in
            state.reached[track] = max(state.reached[track], min(seconds / duration, 1))
            // The track that is least advanced determines the progress. Usually it is the video, which takes the most
            // time to decode.
            let moving = state.reached.filter { $0 > 0 }
            let fraction = moving.min() ?? 0
            guard fraction >= state.told + 0.01 else { return nil }
            state.told = fraction
            return fraction
        }
        if let fraction { report(fraction) }
    }

    func end() { report?(1) }
}

import Demuxing
import Dispatch
import MediaCodecs
public import MediaTypes
import RealTime

extension Waveform {
    /// The resolution of a waveform.
    public enum Resolution: Sendable, Hashable {
        /// A number of buckets for the time range. Their lengths differ by at most one frame.
        case buckets(Int)
        /// One bucket for each interval of this length; the last may be shorter.
        case every(MediaTime)
    }

    /// The maximum number of buckets in a waveform.
    public static let greatestBucketCount = 10_000_000

    /// Decodes a track and measures it. Suspends meanwhile; it needs only the memory of the result.
    ///
    /// A gap in the time range counts as silence.
    ///
    /// - Parameters:
    ///   - track: the audio track; nil for the first one.
    ///   - timeRange: the time range; nil for the full track.
    /// - Throws: `unsupported` for an asset without audio; `invalidSettings` for a track of a different asset, a time
    ///   range that is empty or outside the track, and an invalid resolution; `cancelled` if the task is cancelled; the
    ///   errors of reading.
    public static func load(
        track: AssetTrack? = nil, of asset: Asset, timeRange: TimeRange? = nil, resolution: Resolution
    ) async throws(MediaError) -> Waveform {
        let action = "cannot measure the audio of \(asset.origin.name)"
        guard let track = if let track { track } else { try await asset.tracks(withMediaType: .audio).first } else {
            throw MediaError(.unsupported, action, reason: "it has no audio track")
        }
        guard track.mediaType == .audio, track.assetID == asset.id else {
            throw MediaError(.invalidSettings, action, reason: "track \(track.id) is not one of its audio tracks")
        }
        let reader = try WaveformReader(asset, track, timeRange, resolution, action: action)
        let result = await DispatchQueue(label: "recorder.waveform").cancellableResult { isCancelled in
            Result { () throws(MediaError) in try reader.read(isCancelled: isCancelled) }
        }
        return try result.get()
    }
}

/// Reads a track for its waveform. Only one thread may call.
struct WaveformReader: Sendable {
    private let asset: Asset
    private let track: AssetTrack
    private let range: TimeRange
    /// True if the range ends with the track, whose end may be an estimate.
    private let isOpenEnded: Bool
    private let sampleRate: Int
    private let channelCount: Int
    private let resolution: Waveform.Resolution
    private let action: String

    init(
        _ asset: Asset, _ track: AssetTrack, _ timeRange: TimeRange?, _ resolution: Waveform.Resolution, action: String
    ) throws(MediaError) {
        guard let format = track.formatDescription?.audio, format.sampleRate > 0, format.channelCount > 0 else {
            throw MediaError(
                .unsupported, action,
                reason: "the format of track \(track.id), \(track.codecName), is not supported by this build")
        }
        let whole = track.timeRange
        let wanted = timeRange ?? whole
        let end = min(wanted.end, whole.end)
        guard wanted.start.isNumeric, wanted.start >= .zero, end > wanted.start else {
            throw MediaError(
                .invalidSettings, action,
                reason: "the time range contains none of the track, which lasts from "
                    + "\(whole.start.words) to \(whole.end.words)")
        }
        let fits: Bool
        switch resolution {
        case .buckets(let count): fits = (1...Waveform.greatestBucketCount).contains(count)
        case .every(let length):
            fits =
                length.isNumeric && length > .zero
                && (end - wanted.start).seconds / length.seconds <= Double(Waveform.greatestBucketCount)
                && length.ticks(in: Int32(clamping: format.sampleRate)) >= 1
        }
        guard fits else {
            throw MediaError(
                .invalidSettings, action,
                reason: "there must be 1 to \(Waveform.greatestBucketCount) buckets of at least one frame")
        }
        self.asset = asset
        self.track = track
        self.resolution = resolution
        self.action = action
        range = TimeRange(start: wanted.start, end: end)
        isOpenEnded = wanted.end >= whole.end
        sampleRate = format.sampleRate
        channelCount = format.channelCount
    }

    /// Blocks until the time range has been decoded.
    ///
    /// - Parameter share: the minimum number of seconds for each processor; a time range of several shares is decoded
    ///   in parallel.
    func read(share: Double = 60, isCancelled: @Sendable () -> Bool) throws(MediaError) -> Waveform {
        let parts = divide(share)
        guard parts.count > 1 else { return try read(parts[0], isCancelled) }
        let results = Locked([Result<Waveform, MediaError>?](repeating: nil, count: parts.count))
        DispatchQueue.concurrentPerform(iterations: parts.count) { index in
            let result = Result { () throws(MediaError) in try read(parts[index], isCancelled) }
            results.withLock { $0[index] = result }
        }
        var waveforms: [Waveform] = []
        for result in results.withLock({ $0 }) {
            if let waveform = try result?.get() { waveforms.append(waveform) }
        }
        return Waveform(joining: waveforms)
    }

    private typealias Part = (first: Int, next: Int?)

    /// Divides the work. A track with an index is decoded on every processor; any other track is decoded in one part.
    private func divide(_ share: Double) -> [Part] {
        let buckets: Int
        switch resolution {
        case .buckets(let count): buckets = count
        case .every(let length): buckets = Int(clamping: (range.duration.seconds / length.seconds).rounded(.up))
        }
        let count = min(Processors.available, Int(clamping: range.duration.seconds / share), buckets)
        guard count > 1, case .file(let url) = asset.origin,
            let demuxer = try? MovieDemuxer(path: url.path), demuxer.hasCompleteIndex
        else { return [(0, nil)] }
        return (0..<count).map { index in
            (buckets * index / count, index + 1 == count ? nil : buckets * (index + 1) / count)
        }
    }

    private func read(_ part: Part, _ isCancelled: () -> Bool) throws(MediaError) -> Waveform {
        let rate = Int32(clamping: sampleRate)
        // A frame belongs to the range if its own time does.
        let first = range.start.ticks(in: rate, rounding: .up)
        let frames = Int(clamping: range.end.ticks(in: rate, rounding: .up) - first)
        let division: WaveformBuilder.Division =
            switch resolution {
            case .buckets(let count): .count(count, frames: frames)
            case .every(let length): .every(length)
            }
        var builder = WaveformBuilder(
            sampleRate: sampleRate, channelCount: channelCount, start: range.start, division: division,
            from: part.first, to: part.next)
        func time(ofBucket index: Int) -> MediaTime {
            range.start
                + MediaTime(value: Int64(division.start(ofBucket: index, sampleRate: sampleRate)), timescale: rate)
        }
        // A decoder that begins in the middle of audio needs some packets before its output is correct.
        let start = part.first == 0 ? range.start : max(range.start, time(ofBucket: part.first) - Self.runUp)
        let end = part.next.map { time(ofBucket: $0) } ?? (isOpenEnded ? .positiveInfinity : range.end)
        let source = try asset.source(
            of: track, ranges: [TimeRange(start: start, end: end)],
            SourceOptions(settings: .pcm(TrackOutput.PCM(.float32, channelCount: channelCount))))
        while let sample = try source.next() {
            if isCancelled() { throw MediaError(.cancelled, action, reason: "it was cancelled") }
            guard case .data(let data) = sample.content, sample.format.audio?.channelCount == channelCount else {
                continue
            }
            let place = sample.presentationTime.ticks(in: rate) - first
            data.bytes.withMemoryRebound(to: Float.self) { builder.add($0, at: Int(clamping: place)) }
        }
        // Buckets of a fixed length end with the audio; a fixed number of buckets fills the time range.
        if case .every = resolution, isOpenEnded { return builder.finish(frames: nil) }
        return builder.finish(frames: frames)
    }

    private static let runUp = MediaTime(value: 1, timescale: 5)
}

import MediaTypes

/// One track of a mix, decoded to the mix's format, range by range. Only one thread at a time may call.
final class MixInput {
    private let trackID: AssetTrack.ID
    private let source: any SampleSource
    private let volume: VolumeCurve
    private let rate: Int32
    private let bytesPerFrame: Int
    /// The extra time that is read before and after a range and then removed, because a resampler is inexact at its
    /// first and last frames.
    private let margin: MediaTime
    private var current: (data: MediaData, start: Int64, end: Int64)?
    /// The position after the last frame of the range; nil before the first range.
    private(set) var end: Int64?
    private(set) var isAtEnd = false

    var allocationCount: Int { source.allocationCount }

    /// Opens the track.
    ///
    /// - Throws: the errors of opening the file or the decoder.
    init(
        _ track: AssetTrack, of asset: Asset, format: AudioFormat, volume: VolumeEnvelope, range: TimeRange?,
        _ configuration: ReaderOutputConfiguration
    ) throws(MediaError) {
        trackID = track.id
        rate = Int32(clamping: format.sampleRate)
        self.volume = VolumeCurve(volume, sampleRate: rate)
        bytesPerFrame = max(1, format.bytesPerFrame ?? 1)
        let isResampled = track.formatDescription?.audio?.sampleRate != format.sampleRate
        let margin = isResampled ? MediaTime(value: 1, timescale: 100) : .zero
        self.margin = margin
        let form = TrackOutput.PCM(
            .float32, sampleRate: format.sampleRate, channelCount: format.channelCount, layout: format.layout)
        let decoded = try asset.source(
            of: track, ranges: range.map { [Self.widened($0, by: margin)] } ?? [],
            SourceOptions(settings: .pcm(form), of: configuration))
        source = try SteadyAudio(decoded, format)
    }

    func restart(_ range: TimeRange) {
        (current, end, isAtEnd) = (nil, nil, false)
        source.restart(ranges: [Self.widened(range, by: margin)])
    }

    /// Reads the rest of the range, so that another range can begin.
    func drain() throws(MediaError) {
        while !isAtEnd { isAtEnd = try source.next() == nil }
    }

    private static func widened(_ range: TimeRange, by margin: MediaTime) -> TimeRange {
        TimeRange(start: max(.zero, range.start - margin), end: range.end + margin)
    }

    /// Adds a range of the asset's frames to a block that begins with this range.
    ///
    /// - Throws: the errors of reading the track; `invalidSample` for a time so wrong that silence up to it would fill
    ///   a disk.
    func add(_ frames: Range<Int64>, to buffer: MixBuffer) throws(MediaError) {
        while true {
            if current == nil { current = try read() }
            guard let (data, start, dataEnd) = current else { return }
            guard start < frames.upperBound else {
                if start - frames.lowerBound > TimeOrder.longestJump.ticks(in: rate) { throw jump(to: start) }
                return
            }
            let lower = max(start, frames.lowerBound, end ?? .min)
            let upper = min(dataEnd, frames.upperBound)
            if lower < upper {
                let part = Int(lower - start) * bytesPerFrame..<Int(upper - start) * bytesPerFrame
                buffer.add(
                    UnsafeRawBufferPointer(rebasing: data.bytes[part]), at: Int(lower - frames.lowerBound),
                    volume: volume, time: lower)
                end = upper
            }
            guard dataEnd <= frames.upperBound else { return }
            current = nil
        }
    }

    private func jump(to start: Int64) -> MediaError {
        MediaError(
            .invalidSample, "cannot mix track \(trackID)",
            reason: "its audio continues at \(MediaTime(value: start, timescale: rate).words), more than a year later")
    }

    private func read() throws(MediaError) -> (data: MediaData, start: Int64, end: Int64)? {
        while !isAtEnd {
            guard let sample = try source.next() else {
                isAtEnd = true
                break
            }
            let start = sample.presentationTime.ticks(in: rate)
            guard case .data(let data) = sample.content, start.magnitude < 1 << 61 else { continue }
            return (data, start, start + Int64(data.count / bytesPerFrame))
        }
        return nil
    }
}

import DequeModule
import MediaTypes

/// Decoded audio of a track without the small steps that drifting times would cause. Gaps and overlaps remain. Audio
/// whose times agree with the count of its audio frames is unchanged.
final class SteadyAudio: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.
    private let source: any SampleSource
    private let format: AudioFormat
    private let rate: Int32
    private let bytesPerFrame: Int
    private let resampler: GradualResampler
    private var drift = TimeDrift()
    /// The position of the first audio frame since the last gap, and the number of audio frames returned since then;
    /// nil before the first one.
    private var run: (start: Int64, made: Int64)?
    private var ready: Deque<SampleBuffer> = []
    private var isAtEnd = false
    private(set) var madeCount = 0

    var allocationCount: Int { source.allocationCount + madeCount }

    /// - Parameter format: the linear PCM format of the source's samples.
    init(_ source: any SampleSource, _ format: AudioFormat) throws(MediaError) {
        (self.source, self.format) = (source, format)
        rate = Int32(clamping: max(1, format.sampleRate))
        bytesPerFrame = max(1, format.bytesPerFrame ?? 1)
        resampler = try GradualResampler(format, isLazy: true, greatestSurplus: TimeDrift.greatestSurplus)
    }

    func restart(ranges: [TimeRange]) {
        source.restart(ranges: ranges)
        // No audio follows in this run, so nothing is lost if the rest cannot be resampled.
        try? resampler.finish { _ in }
        (run, drift, isAtEnd) = (nil, TimeDrift(), false)
        ready.removeAll()
    }

    func next() throws(MediaError) -> SampleBuffer? {
        while true {
            if let sample = ready.popFirst() { return sample }
            if isAtEnd { return nil }
            if let sample = try source.next() {
                try take(sample)
            } else {
                isAtEnd = true
                try finish()
            }
        }
    }

    private func take(_ sample: SampleBuffer) throws(MediaError) {
        let time = sample.presentationTime
        let start = time.ticks(in: rate)
        guard case .data(let data) = sample.content, start.magnitude < 1 << 60 else { return ready.append(sample) }
        let position = run.map { Double($0.start + $0.made) + resampler.heldFrames }
        let expected = position.map { MediaTime(value: Int64(clamping: $0.rounded()), timescale: rate) }
        let duration = MediaTime(value: Int64(data.count / bytesPerFrame), timescale: rate)
        let continues = drift.admit(time, duration: duration, expected: expected ?? time)
        if run == nil || !continues {
            try finish()
            run = (start, 0)
        }
        resampler.surplus = drift.surplus
        try resampler.convert(data.bytes) { made throws(MediaError) in
            if made.baseAddress == data.bytes.baseAddress, made.count == data.count { return emit(data) }
            madeCount += 1
            emit(MediaData(Array(made)))
        }
    }

    private func finish() throws(MediaError) {
        try resampler.finish { made throws(MediaError) in
            madeCount += 1
            emit(MediaData(Array(made)))
        }
        run = nil
    }

    private func emit(_ data: MediaData) {
        guard let current = run, data.count >= bytesPerFrame else { return }
        ready.append(
            SampleBuffer(
                pcm: data, format: format,
                presentationTime: MediaTime(value: current.start + current.made, timescale: rate)))
        run?.made += Int64(data.count / bytesPerFrame)
    }
}

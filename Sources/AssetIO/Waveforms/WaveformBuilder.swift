import MediaTypes

/// Sorts decoded sound into buckets, as it comes. Memory is that of the result.
struct WaveformBuilder {
    /// Where buckets end, in frames from the start; exact, however many there are.
    enum Division: Sendable {
        /// So many, which together are so many frames.
        case count(Int, frames: Int)
        /// As many as come, each as long as this.
        case every(MediaTime)

        /// - Returns: where the bucket of this number ends.
        func end(ofBucket index: Int, sampleRate: Int) -> Int {
            switch self {
            case .count(let count, let frames):
                return Int(clamping: Int128(index + 1) * Int128(frames) / Int128(max(1, count)))
            case .every(let length):
                let product = Int128(index + 1) * Int128(length.value) * Int128(sampleRate)
                return Int(clamping: product / Int128(max(1, length.timescale)))
            }
        }
    }

    private let sampleRate: Int
    private let channelCount: Int
    private let start: MediaTime
    private let division: Division
    private var borders = [0]
    private var peaks: [Float] = []
    private var means: [Float] = []
    private var measure: LevelMeasure
    /// Frames that have come.
    private var position = 0
    private var end: Int

    init(sampleRate: Int, channelCount: Int, start: MediaTime, division: Division) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.start = start
        self.division = division
        measure = LevelMeasure(channelCount: channelCount)
        end = division.end(ofBucket: 0, sampleRate: sampleRate)
    }

    /// - Parameters:
    ///   - samples: whole frames, interleaved.
    ///   - place: of the first one, in frames from the start; what was left out before it is silence.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, at place: Int) {
        if place > position { addSilence(place - position) }
        // Sound that overlaps what has come already is measured once.
        let skipped = max(0, position - place)
        var rest = samples.dropFirst(min(samples.count, skipped * channelCount))
        while !rest.isEmpty {
            let count = min(rest.count / channelCount, room)
            guard count > 0 else { break }
            measure.add(UnsafeBufferPointer(rebasing: rest.prefix(count * channelCount)))
            rest = rest.dropFirst(count * channelCount)
            advance(count)
        }
    }

    /// - Parameter frames: the length at least; what is missing of it is silence.
    mutating func finish(frames: Int?) -> Waveform {
        if let frames, frames > position { addSilence(frames - position) }
        switch division {
        case .count(let count, _):
            // Also those that no frame has come for.
            while borders.count <= count { closeBucket() }
        case .every:
            if measure.frameCount > 0 { closeBucket() }
        }
        return Waveform(
            sampleRate: sampleRate, channelCount: channelCount, start: start, borders: borders, peaks: peaks,
            means: means)
    }

    private mutating func addSilence(_ frames: Int) {
        var rest = frames
        while rest > 0 {
            let count = min(rest, room)
            guard count > 0 else { return }
            measure.addSilence(count)
            rest -= count
            advance(count)
        }
    }

    /// Frames that the open bucket still takes. The last of a fixed number takes whatever comes, and so does the last of all
    /// that a waveform may have: a time that lies must not fill the memory.
    private var room: Int {
        if borders.count >= Waveform.greatestBucketCount { return .max }
        if case .count(let count, _) = division, borders.count >= count { return .max }
        return max(0, end - position)
    }

    private mutating func advance(_ frames: Int) {
        position += frames
        while room == 0 { closeBucket() }
    }

    private mutating func closeBucket() {
        for channel in 0..<channelCount {
            peaks.append(measure.peak(channel))
            means.append(measure.rms(channel))
        }
        borders.append(position)
        measure = LevelMeasure(channelCount: channelCount)
        end = division.end(ofBucket: borders.count - 1, sampleRate: sampleRate)
    }
}

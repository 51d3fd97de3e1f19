import MediaTypes

/// Sorts decoded audio into buckets as it comes. It needs only the memory of the result.
struct WaveformBuilder {
    /// The division into buckets, in frames from the start; exact for any number of buckets.
    enum Division: Sendable {
        /// A number of buckets that together contain a number of frames.
        case count(Int, frames: Int)
        /// Any number of buckets of this length.
        case every(MediaTime)

        /// - Returns: the start of the bucket with this index.
        func start(ofBucket index: Int, sampleRate: Int) -> Int {
            index == 0 ? 0 : end(ofBucket: index - 1, sampleRate: sampleRate)
        }

        /// - Returns: the end of the bucket with this index.
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
    /// The first bucket that is filled here.
    private let first: Int
    /// The first bucket that the builder of the next part fills; nil for the last part.
    private let next: Int?
    /// The end of this part's audio, in frames from the start.
    private let limit: Int
    private var borders: [Int]
    private var peaks: [Float] = []
    private var means: [Float] = []
    private var measure: LevelMeasure
    /// The position after the last added frame, in frames from the start.
    private var position: Int
    private var end: Int

    /// - Parameters:
    ///   - first: the first bucket that is filled here. Audio for earlier ones is left out.
    ///   - next: the first bucket that the builder of the next part fills; nil if this builder fills all remaining
    ///     ones.
    init(
        sampleRate: Int, channelCount: Int, start: MediaTime, division: Division, from first: Int = 0,
        to next: Int? = nil
    ) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.start = start
        self.division = division
        self.first = first
        self.next = next
        position = division.start(ofBucket: first, sampleRate: sampleRate)
        limit = next.map { division.start(ofBucket: $0, sampleRate: sampleRate) } ?? .max
        borders = [position]
        measure = LevelMeasure(channelCount: channelCount)
        end = division.end(ofBucket: first, sampleRate: sampleRate)
    }

    /// - Parameters:
    ///   - samples: complete frames, interleaved.
    ///   - place: the index of the first one, in frames from the start; a gap before it counts as silence.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, at place: Int) {
        if place > position { addSilence(place - position) }
        // Overlapping audio is measured once.
        let skipped = max(0, position - place)
        var rest = samples.dropFirst(min(samples.count, skipped * channelCount))
        while !rest.isEmpty {
            closeFullBuckets()
            let count = min(rest.count / channelCount, room, limit - position)
            guard count > 0 else { break }
            measure.add(UnsafeBufferPointer(rebasing: rest.prefix(count * channelCount)))
            rest = rest.dropFirst(count * channelCount)
            position += count
        }
    }

    /// - Parameter frames: the minimum length; missing audio counts as silence.
    mutating func finish(frames: Int?) -> Waveform {
        let length = next == nil ? frames : limit
        if let length, length > position { addSilence(length - position) }
        switch division {
        case .count(let count, _):
            // This includes buckets without any frame.
            while borders.count <= (next ?? count) - first { closeBucket() }
        case .every:
            if let next {
                while borders.count <= next - first { closeBucket() }
            } else if measure.frameCount > 0 {
                closeBucket()
            }
        }
        return Waveform(
            sampleRate: sampleRate, channelCount: channelCount, start: start, borders: borders, peaks: peaks,
            means: means)
    }

    private mutating func addSilence(_ frames: Int) {
        var rest = frames
        while rest > 0 {
            closeFullBuckets()
            let count = min(rest, room, limit - position)
            guard count > 0 else { return }
            measure.addSilence(count)
            rest -= count
            position += count
        }
    }

    /// The number of frames for which the open bucket has room. If the number of buckets is fixed, the last one has no
    /// limit. The last bucket that a waveform may have has no limit either, so that a wrong time cannot fill the
    /// memory.
    private var room: Int {
        let filled = first + borders.count
        if filled >= Waveform.greatestBucketCount { return .max }
        if case .count(let count, _) = division, filled >= count { return .max }
        return max(0, end - position)
    }

    /// Closes the buckets of this part that have no room for the next audio frame. If there are fewer audio frames than
    /// buckets, some have none.
    private mutating func closeFullBuckets() {
        while room == 0, first + borders.count - 1 < next ?? .max { closeBucket() }
    }

    private mutating func closeBucket() {
        for channel in 0..<channelCount {
            peaks.append(measure.peak(channel))
            means.append(measure.rms(channel))
        }
        borders.append(position)
        measure = LevelMeasure(channelCount: channelCount)
        end = division.end(ofBucket: first + borders.count - 1, sampleRate: sampleRate)
    }
}

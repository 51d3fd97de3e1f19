import MediaTypes

/// Sorts decoded sound into buckets, as it comes. Memory is that of the result.
struct WaveformBuilder {
    /// Where buckets end, in frames from the start; exact, however many there are.
    enum Division: Sendable {
        /// So many, which together are so many frames.
        case count(Int, frames: Int)
        /// As many as come, each as long as this.
        case every(MediaTime)

        /// - Returns: where the bucket of this number begins.
        func start(ofBucket index: Int, sampleRate: Int) -> Int {
            index == 0 ? 0 : end(ofBucket: index - 1, sampleRate: sampleRate)
        }

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
    /// The first that is filled here, and the first that is not any more; nil: there is no later one.
    private let first: Int
    private let next: Int?
    /// Where the sound of this part ends.
    private let limit: Int
    private var borders: [Int]
    private var peaks: [Float] = []
    private var means: [Float] = []
    private var measure: LevelMeasure
    /// Frames that have come.
    private var position: Int
    private var end: Int

    /// - Parameters:
    ///   - first: the first bucket that is filled here. What comes for earlier ones is left out.
    ///   - next: the first that somebody else fills; nil: all the rest belongs here.
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
    ///   - samples: whole frames, interleaved.
    ///   - place: of the first one, in frames from the start; what was left out before it is silence.
    mutating func add(_ samples: UnsafeBufferPointer<Float>, at place: Int) {
        if place > position { addSilence(place - position) }
        // Sound that overlaps what has come already is measured once.
        let skipped = max(0, position - place)
        var rest = samples.dropFirst(min(samples.count, skipped * channelCount))
        while !rest.isEmpty {
            let count = min(rest.count / channelCount, room, limit - position)
            guard count > 0 else { break }
            measure.add(UnsafeBufferPointer(rebasing: rest.prefix(count * channelCount)))
            rest = rest.dropFirst(count * channelCount)
            advance(count)
        }
    }

    /// - Parameter frames: the length at least; what is missing of it is silence.
    mutating func finish(frames: Int?) -> Waveform {
        let length = next == nil ? frames : limit
        if let length, length > position { addSilence(length - position) }
        switch division {
        case .count(let count, _):
            // Also those that no frame has come for.
            while borders.count <= (next ?? count) - first { closeBucket() }
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
            let count = min(rest, room, limit - position)
            guard count > 0 else { return }
            measure.addSilence(count)
            rest -= count
            advance(count)
        }
    }

    /// Frames that the open bucket still takes. The last of a fixed number takes whatever comes, and so does the last of all
    /// that a waveform may have: a time that lies must not fill the memory.
    private var room: Int {
        let filled = first + borders.count
        if filled >= Waveform.greatestBucketCount { return .max }
        if case .count(let count, _) = division, filled >= count { return .max }
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
        end = division.end(ofBucket: first + borders.count - 1, sampleRate: sampleRate)
    }
}

import DequeModule
import MediaCodecs
import MediaTypes

/// The audio of a segment whose clock ran at a different rate. It is lengthened or shortened a little, as the segment's
/// `TimeMap` requires. The seams between the pieces of the map cannot be heard.
///
/// The timestamps of its samples are times of the composition. The resampling ratio is the map's rate plus a
/// correction. The correction removes the position error, which is at most a frame, within some seconds. So neither
/// rounding errors of the resampler's ratio nor those of the track's times add up.
final class RetimedAudio: SampleSource, @unchecked Sendable {
    // Unchecked: the thread that has the output's turn uses it, one at a time.

    /// The audio between two steps of the map.
    private struct Run {
        let resampler: VariableRateResampler
        /// The position of the first frame, in audio frames of the composition.
        let start: Int64
        var made: Int64 = 0

        /// The output position of the next input frame.
        var position: Double { Double(start + made) + resampler.heldFrames * (1 + resampler.surplus) }
    }

    private static let catchUpTime = 2.0

    private let source: any SampleSource
    private let segment: Composition.Segment
    private let map: TimeMap
    private let format: AudioFormat
    private let rate: Int32
    private let frameSize: Int
    /// The limit of the resampler's surplus. A small limit is enough for a clock's error; a scaled time range needs a
    /// larger one.
    private let greatestSurplus: Double
    private var run: Run?
    private var ready: Deque<SampleBuffer> = []
    private var isAtEnd = false
    private(set) var madeCount = 0

    var allocationCount: Int { source.allocationCount + madeCount }

    /// Returns nil for a segment that keeps the times of its asset.
    ///
    /// - Parameters:
    ///   - source: the source that reads the segment's own track.
    ///   - format: the linear PCM format of the source's samples.
    init?(_ source: any SampleSource, _ segment: Composition.Segment, _ format: AudioFormat) {
        guard let map = segment.source?.map, let size = format.bytesPerFrame, size > 0 else { return nil }
        (self.source, self.segment, self.map, self.format) = (source, segment, map, format)
        rate = Int32(clamping: max(1, format.sampleRate))
        frameSize = size
        greatestSurplus = 0.002 + (map.pieces.map(\.surplus.magnitude).max() ?? 0)
    }

    func restart(ranges: [TimeRange]) {
        source.restart(ranges: ranges)
        (run, isAtEnd) = (nil, false)
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
        guard case .data(let data) = sample.content else { return }
        let bytes = data.bytes
        let start = sample.presentationTime.ticks(in: rate)
        let count = Int64(bytes.count / frameSize)
        guard start.magnitude < 1 << 60 else { return }
        var position: Int64 = 0
        while position < count {
            let time = MediaTime(value: start + position, timescale: rate)
            let index = map.index(at: time)
            let piece = map.pieces[index]
            let isLast = index == map.pieces.count - 1
            // The first frame of the next piece of the map.
            let end = isLast ? .max : piece.source.end.ticks(in: rate, rounding: .up) - start
            let upper = min(count, max(end, position + 1))
            let part = Int(position) * frameSize..<Int(upper) * frameSize
            try take(UnsafeRawBufferPointer(rebasing: bytes[part]), at: time, piece)
            if upper >= end, isStep(behind: index) { try finish() }
            position = upper
        }
    }

    /// Resamples frames that are in one piece of the map.
    private func take(
        _ bytes: UnsafeRawBufferPointer, at time: MediaTime, _ piece: TimeMap.Piece
    ) throws(MediaError) {
        let wanted = segment.time(of: time).seconds * Double(rate)
        // The track itself has a gap.
        if let run, (wanted - run.position).magnitude > Double(rate) / 100 { try finish() }
        if run == nil {
            run = Run(
                resampler: try VariableRateResampler(format, greatestSurplus: greatestSurplus),
                start: Int64(clamping: wanted.rounded()))
        }
        guard let current = run else { return }
        let error = wanted - current.position
        current.resampler.surplus =
            piece.isShift && error.magnitude <= 1 ? 0 : piece.surplus + error / (Self.catchUpTime * Double(rate))
        try current.resampler.convert(bytes) { made throws(MediaError) in emit(made) }
    }

    private func finish() throws(MediaError) {
        try run?.resampler.finish { made throws(MediaError) in emit(made) }
        run = nil
    }

    private func emit(_ made: UnsafeRawBufferPointer) {
        guard let current = run, made.count >= frameSize else { return }
        madeCount += 1
        ready.append(
            SampleBuffer(
                pcm: MediaData(Array(made)), format: format,
                presentationTime: MediaTime(value: current.start + current.made, timescale: rate)))
        run?.made += Int64(made.count / frameSize)
    }

    /// Returns true if the map jumps by at least one audio frame after this piece, because the other clock counted time
    /// that the track does not have.
    private func isStep(behind index: Int) -> Bool {
        let step = map.pieces[index + 1].target.start - map.pieces[index].target.end
        return step >= MediaTime(value: 1, timescale: rate)
    }
}

import MediaTypes

/// Keeps audio at its measured times: detects gaps and overlaps between blocks, and returns the correction for each
/// block. A pure value.
///
/// Block times are measurements with jitter. If a measured time differs from the frame count by no more than the
/// tolerance, the frame count decides. The drift of a live device, or of a file's times (`TimeDrift`), is corrected by
/// making the audio a little longer or shorter. A larger difference is a gap or an overlap. A gap (an xrun, a stopped
/// device) is filled with silence of the exact length, and an overlap is cut. If a gap is too long for silence, audio
/// starts again after it. Before all this, `StampCheck` decides whether to believe a jump in time.
struct AudioTimeline {
    struct Correction: Equatable {
        /// The number of frames of silence to insert before the block.
        var silence = 0
        /// The number of frames to cut at the block's start.
        var cut = 0
        /// True if the block starts again at its own time, with a gap between it and the previous block.
        var isRestart = false
        /// The relative amount by which the block is lengthened to compensate for drift; 0 if times are exact.
        var surplus = 0.0
    }

    /// The tolerance: a smaller difference is jitter of a device's clock readings, or rounding of a file's times.
    static let liveTolerance = MediaTime(value: 40, timescale: 1000)
    static let exactTolerance = MediaTime(value: 1, timescale: 1000)
    /// The longest gap that is filled with silence. A device that was disconnected overnight must not produce hours of
    /// silence.
    static let longestSilence = MediaTime(value: 60, timescale: 1)

    private let sampleRate: Int32
    private let tolerance: MediaTime
    private var anchor: MediaTime?
    /// The position of the next block: frames after the anchor, at the input's rate.
    private(set) var position = 0.0
    /// The drift correction of a live device, and that of a file; one of them is nil.
    private var drift: DriftCorrection?
    private var fileDrift: TimeDrift?

    private(set) var gapCount = 0
    private(set) var gapFrames: Int64 = 0

    /// - Parameter isLive: true if block times are measurements; otherwise they are exact.
    init(sampleRate: Int, isLive: Bool = true) {
        self.sampleRate = Int32(clamping: sampleRate)
        tolerance = isLive ? Self.liveTolerance : Self.exactTolerance
        drift = isLive ? DriftCorrection(sampleRate: sampleRate) : nil
        fileDrift = isLive ? nil : TimeDrift()
    }

    /// The time of the first frame since the latest start; nil before the first block.
    var start: MediaTime? { anchor }

    /// The time of the next block according to the frame count; nil before the first block.
    var expected: MediaTime? {
        anchor.map { $0 + MediaTime(value: Int64(clamping: position.rounded()), timescale: sampleRate) }
    }

    /// The measured behavior of a live device's clock.
    var clock: AudioClock { drift?.clock ?? AudioClock() }

    /// Adds the next block's time and length. A block without a time directly follows the previous block.
    mutating func admit(_ time: MediaTime?, frames: Int) -> Correction {
        let duration = MediaTime(value: Int64(frames), timescale: sampleRate)
        guard let anchor, let expected else {
            self.anchor = time ?? .zero
            position = Double(frames)
            drift?.admit(0, frames: frames, position: 0)
            if let time { _ = fileDrift?.admit(time, duration: duration, expected: time) }
            return Correction()
        }
        var correction = Correction()
        guard let time else {
            drift?.admit(nil, frames: frames, position: position)
            return place(frames, &correction)
        }
        let difference = time - expected
        let isDrift = fileDrift?.admit(time, duration: duration, expected: expected) ?? false
        if difference > Self.longestSilence {
            correction.isRestart = true
            recordGap(difference.ticks(in: sampleRate))
            self.anchor = time
            position = 0
            drift?.beginRun(at: 0)
        } else if difference > tolerance, !isDrift {
            correction.silence = Int(difference.ticks(in: sampleRate))
            recordGap(Int64(correction.silence))
            position += Double(correction.silence)
            drift?.beginRun(at: position / Double(sampleRate))
        } else if difference < -tolerance, !isDrift {
            correction.cut = min(frames, Int((-difference).ticks(in: sampleRate)))
            // The remaining frames begin at the counted position.
            drift?.beginRun(at: (position - Double(correction.cut)) / Double(sampleRate))
        }
        // A block that is cut completely contains no information about the clock.
        let measured = correction.isRestart ? 0 : correction.cut == frames ? nil : (time - anchor).seconds
        drift?.admit(measured, frames: frames, position: position - Double(correction.cut))
        return place(frames - correction.cut, &correction)
    }

    /// Sets the position of the next block. Called once the previous block was resampled.
    mutating func settle(at position: Double) { self.position = position }

    /// Computes the correction for a block, assuming that the resampler applies it exactly.
    private mutating func place(_ frames: Int, _ correction: inout Correction) -> Correction {
        correction.surplus = drift?.surplus ?? fileDrift?.surplus ?? 0
        position += Double(frames) * (1 + correction.surplus)
        return correction
    }

    /// Counts a gap. Times are unverified, so a gap may be as long as `Int64` allows.
    private mutating func recordGap(_ frames: Int64) {
        gapCount += 1
        let sum = gapFrames.addingReportingOverflow(frames)
        gapFrames = sum.overflow ? .max : sum.partialValue
    }
}

import MediaTypes

/// Keeps sound where its times say: notices gaps and overlaps between blocks, and says how to mend them. A pure value.
///
/// Block times are measurements and jitter: within the tolerance the count of frames sets the times, and a live device's
/// drift is corrected by making its sound a little longer or shorter. Where they differ by more, the difference is a gap
/// (an xrun, a stopped device) and is filled with silence of the exact length, or an overlap, and is cut. A gap too long
/// for silence starts the sound anew instead. Whether a jump is to be believed at all, `StampCheck` says beforehand.
struct AudioTimeline {
    struct Correction: Equatable {
        /// Frames of silence to put before the block.
        var silence = 0
        /// Frames to leave out at the block's start.
        var cut = 0
        /// The block begins a new stretch of sound at its own time; nothing stands between it and the one before.
        var isRestart = false
        /// How much longer the block becomes, as a part of it: against drift. 0 where times are exact.
        var surplus = 0.0
    }

    /// Below this a difference is jitter: of a device's clock readings, or of a file's rounded times.
    static let liveTolerance = MediaTime(value: 40, timescale: 1000)
    static let exactTolerance = MediaTime(value: 1, timescale: 1000)
    /// The longest gap that is filled: a device that was away for a night must not cost a night of silence.
    static let longestSilence = MediaTime(value: 60, timescale: 1)

    private let sampleRate: Int32
    private let tolerance: MediaTime
    private var anchor: MediaTime?
    /// Where the next block comes to lie: frames after the anchor, at the input's rate.
    private(set) var position = 0.0
    /// nil where times are exact.
    private var drift: DriftCorrection?

    private(set) var gapCount = 0
    private(set) var gapFrames: Int64 = 0

    /// - Parameter isLive: block times are measurements; otherwise they are what they say.
    init(sampleRate: Int, isLive: Bool = true) {
        self.sampleRate = Int32(sampleRate)
        tolerance = isLive ? Self.liveTolerance : Self.exactTolerance
        drift = isLive ? DriftCorrection(sampleRate: sampleRate) : nil
    }

    /// When the first frame of the latest stretch is heard; nil before there was one.
    var start: MediaTime? { anchor }

    /// Where the count puts the next block; nil before there was one.
    var expected: MediaTime? {
        anchor.map { $0 + MediaTime(value: Int64(clamping: position.rounded()), timescale: sampleRate) }
    }

    /// What a live device's clock is found to do.
    var clock: SoundClock { drift?.clock ?? SoundClock() }

    /// Takes the next block's time and length. Without a time the block follows the one before.
    mutating func admit(_ time: MediaTime?, frames: Int) -> Correction {
        guard let anchor, let expected else {
            self.anchor = time ?? .zero
            position = Double(frames)
            drift?.admit(0, frames: frames, position: 0)
            return Correction()
        }
        var correction = Correction()
        guard let time else {
            drift?.admit(nil, frames: frames, position: position)
            return place(frames, &correction)
        }
        let difference = time - expected
        if difference > Self.longestSilence {
            correction.isRestart = true
            noteGap(difference.ticks(in: sampleRate))
            self.anchor = time
            position = 0
            drift?.beginStretch(at: 0)
        } else if difference > tolerance {
            correction.silence = Int(difference.ticks(in: sampleRate))
            noteGap(Int64(correction.silence))
            position += Double(correction.silence)
            drift?.beginStretch(at: position / Double(sampleRate))
        } else if difference < -tolerance {
            correction.cut = min(frames, Int((-difference).ticks(in: sampleRate)))
            // What is left begins where the count is.
            drift?.beginStretch(at: (position - Double(correction.cut)) / Double(sampleRate))
        }
        // A block that is cut away says nothing of the clock.
        let measured = correction.isRestart ? 0 : correction.cut == frames ? nil : (time - anchor).seconds
        drift?.admit(measured, frames: frames, position: position - Double(correction.cut))
        return place(frames - correction.cut, &correction)
    }

    /// Says where the next block comes to lie now that the one before has been resampled.
    mutating func settle(at position: Double) { self.position = position }

    /// As if the resampler did exactly what it is told.
    private mutating func place(_ frames: Int, _ correction: inout Correction) -> Correction {
        correction.surplus = drift?.surplus ?? 0
        position += Double(frames) * (1 + correction.surplus)
        return correction
    }

    /// Times are only claims: a gap may be as long as `Int64` allows.
    private mutating func noteGap(_ frames: Int64) {
        gapCount += 1
        let sum = gapFrames.addingReportingOverflow(frames)
        gapFrames = sum.overflow ? .max : sum.partialValue
    }
}

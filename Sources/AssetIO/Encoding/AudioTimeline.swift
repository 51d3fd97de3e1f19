import MediaTypes

/// Keeps sound where its times say: notices gaps and overlaps between blocks, and says how to mend them. A pure value.
///
/// Block times are measurements and jitter; they are followed only where they differ from the count of frames by more
/// than the tolerance. Then the difference is a gap (an xrun, a stopped device) and is filled with silence of the exact
/// length, or an overlap, and is cut. A gap too long for silence starts the sound anew instead.
struct AudioTimeline {
    struct Correction: Equatable {
        /// Frames of silence to put before the block.
        var silence = 0
        /// Frames to leave out at the block's start.
        var cut = 0
        /// The block begins a new stretch of sound at its own time; nothing stands between it and the one before.
        var isRestart = false
    }

    /// Below this a difference is jitter: of a device's clock readings, or of a file's rounded times.
    static let liveTolerance = MediaTime(value: 40, timescale: 1000)
    static let exactTolerance = MediaTime(value: 1, timescale: 1000)
    /// The longest gap that is filled: a device that was away for a night must not cost a night of silence.
    static let longestSilence = MediaTime(value: 60, timescale: 1)

    private let sampleRate: Int32
    private let tolerance: MediaTime
    private var anchor: MediaTime?
    /// Frames since the anchor, at the input's rate.
    private var position: Int64 = 0

    private(set) var gapCount = 0
    private(set) var gapFrames: Int64 = 0

    /// - Parameter isLive: block times are measurements; otherwise they are what they say.
    init(sampleRate: Int, isLive: Bool = true) {
        self.sampleRate = Int32(sampleRate)
        tolerance = isLive ? Self.liveTolerance : Self.exactTolerance
    }

    /// When the first frame of the latest stretch is heard; nil before there was one.
    var start: MediaTime? { anchor }

    /// Takes the next block's measured time and length.
    mutating func admit(_ time: MediaTime, frames: Int) -> Correction {
        guard let anchor else {
            self.anchor = time
            position = Int64(frames)
            return Correction()
        }
        let expected = anchor + MediaTime(value: position, timescale: sampleRate)
        let difference = time - expected
        var correction = Correction()
        if difference > Self.longestSilence {
            correction.isRestart = true
            noteGap(difference.ticks(in: sampleRate))
            self.anchor = time
            position = 0
        } else if difference > tolerance {
            correction.silence = Int(difference.ticks(in: sampleRate))
            noteGap(Int64(correction.silence))
        } else if difference < -tolerance {
            correction.cut = min(frames, Int((-difference).ticks(in: sampleRate)))
        }
        position += Int64(correction.silence + frames - correction.cut)
        return correction
    }

    /// Times are only claims: a gap may be as long as `Int64` allows.
    private mutating func noteGap(_ frames: Int64) {
        gapCount += 1
        let sum = gapFrames.addingReportingOverflow(frames)
        gapFrames = sum.overflow ? .max : sum.partialValue
    }
}

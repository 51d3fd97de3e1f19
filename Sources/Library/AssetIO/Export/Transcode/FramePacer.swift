import MediaTypes

/// Converts to a constant frame rate: at every tick, it emits the frame that is shown then. A pure value.
struct FramePacer {
    /// The rate, exact for the usual ones such as 30000/1001.
    private let rate: Ratio
    private let start: MediaTime
    private var number: Int64 = 0
    private var last: SampleBuffer?

    init(frameRate: Double, start: MediaTime) {
        rate = Self.ratio(frameRate)
        self.start = start
    }

    /// Returns the rate as a broadcast fraction if it is one, else in thousandths.
    static func ratio(_ frameRate: Double) -> Ratio {
        let whole = frameRate.rounded(.up)
        // Higher rates are not used in broadcasting, and their thousandths do not fit.
        if whole < 1e6, abs(frameRate - whole * 1000 / 1001) < 0.005, whole > frameRate {
            return Ratio(Int32(clamping: whole) * 1000, 1001)
        }
        return Ratio(Int32(clamping: (frameRate * 1000).rounded()), 1000)
    }

    private func time(_ number: Int64) -> MediaTime {
        start + MediaTime(value: number * Int64(rate.denominator), timescale: rate.numerator)
    }

    mutating func take(_ sample: SampleBuffer, output: (SampleBuffer) -> Void) {
        // There is nothing to show before the first frame.
        if last == nil { while isPast(number, at: sample.presentationTime) { number += 1 } }
        if let last { emit(last, before: sample.presentationTime, output) }
        last = sample
    }

    /// - Parameter lastFrameEnd: the earliest end of the last frame; nil: its own duration decides.
    mutating func finish(lastFrameEnd: MediaTime? = nil, output: (SampleBuffer) -> Void) {
        guard let last else { return }
        let end = last.presentationTime + (last.duration ?? time(1) - time(0))
        emit(last, before: max(end, lastFrameEnd ?? end), output)
        self.last = nil
    }

    private mutating func emit(_ sample: SampleBuffer, before end: MediaTime, _ output: (SampleBuffer) -> Void) {
        while isPast(number, at: end) {
            output(sample.at(time(number)).lasting(time(number + 1) - time(number)))
            number += 1
        }
    }

    /// Returns true if a frame at `time` moves to a later tick than `number`. Frames move to the nearest tick.
    private func isPast(_ number: Int64, at time: MediaTime) -> Bool {
        self.time(number) + MediaTime(value: Int64(rate.denominator), timescale: rate.numerator * 2) <= time
    }
}

import MediaTypes

/// Gives pictures at equal distances: at every tick the picture that is shown then. A pure value.
struct FramePacer {
    /// Exact for the usual rates: 30000/1001 and its like.
    private let rate: Ratio
    private let start: MediaTime
    private var number: Int64 = 0
    private var last: SampleBuffer?

    init(frameRate: Double, start: MediaTime) {
        rate = Self.ratio(frameRate)
        self.start = start
    }

    /// The rate as broadcasting writes it where it is one of those, else in thousandths.
    static func ratio(_ frameRate: Double) -> Ratio {
        let whole = frameRate.rounded(.up)
        // More is no rate of broadcasting, and its thousandths do not fit.
        if whole < 1e6, abs(frameRate - whole * 1000 / 1001) < 0.005, whole > frameRate {
            return Ratio(Int32(clamping: whole) * 1000, 1001)
        }
        return Ratio(Int32(clamping: (frameRate * 1000).rounded()), 1000)
    }

    private func time(_ number: Int64) -> MediaTime {
        start + MediaTime(value: number * Int64(rate.denominator), timescale: rate.numerator)
    }

    mutating func take(_ sample: SampleBuffer, output: (SampleBuffer) -> Void) {
        // Before the first picture there is nothing to show.
        if last == nil { while isPast(number, at: sample.presentationTime) { number += 1 } }
        if let last { emit(last, before: sample.presentationTime, output) }
        last = sample
    }

    mutating func finish(output: (SampleBuffer) -> Void) {
        guard let last else { return }
        let end = last.presentationTime + (last.duration ?? time(1) - time(0))
        emit(last, before: end, output)
        self.last = nil
    }

    private mutating func emit(_ sample: SampleBuffer, before end: MediaTime, _ output: (SampleBuffer) -> Void) {
        while isPast(number, at: end) {
            output(sample.at(time(number)).lasting(time(number + 1) - time(number)))
            number += 1
        }
    }

    /// A picture moves to the tick that is nearest to its time.
    private func isPast(_ number: Int64, at time: MediaTime) -> Bool {
        self.time(number) + MediaTime(value: Int64(rate.denominator), timescale: rate.numerator * 2) <= time
    }
}

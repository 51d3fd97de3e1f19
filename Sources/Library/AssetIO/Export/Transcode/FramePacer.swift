import DequeModule
import MediaTypes

/// Converts to a constant frame rate: each frame moves to the nearest tick, and is repeated until the next frame. A pure
/// value.
///
/// It stores frames, not ticks, because one frame may be shown for hours.
struct FramePacer {
    /// The rate, exact for the usual ones such as 30000/1001.
    private let rate: Ratio
    private let start: MediaTime
    private var number: Int64 = 0
    private var last: SampleBuffer?
    private var hasReturned = false
    /// The earlier frames whose ticks have not all been returned, each with the time until which it is shown.
    private var shown: Deque<(sample: SampleBuffer, end: MediaTime)> = []

    init(frameRate: Double, start: MediaTime) {
        rate = Self.ratio(frameRate)
        self.start = start
    }

    /// Returns the rate as a fraction: a broadcast rate exactly, any other rate in thousandths.
    static func ratio(_ frameRate: Double) -> Ratio {
        let whole = frameRate.rounded(.up)
        // Higher rates are not used in broadcasting, and a thousand times the rate would not fit in 32 bits.
        if whole < 1e6, abs(frameRate - whole * 1000 / 1001) < 0.005, whole > frameRate {
            return Ratio(Int32(clamping: whole) * 1000, 1001)
        }
        return Ratio(Int32(clamping: (frameRate * 1000).rounded()), 1000)
    }

    private func time(_ number: Int64) -> MediaTime {
        start + MediaTime(value: number * Int64(rate.denominator), timescale: rate.numerator)
    }

    /// Accepts the next frame. `next` can then return the previous frame, because its end is known.
    mutating func take(_ sample: SampleBuffer) {
        // There is nothing to show before the first frame.
        if last == nil { while isPast(number, at: sample.presentationTime) { number += 1 } }
        if let last { shown.append((last, sample.presentationTime)) }
        last = sample
    }

    /// Records that no more frames come. `next` can then return the last frame.
    ///
    /// - Parameter lastFrameEnd: the earliest time at which the last frame may end; nil if the frame ends after its own
    ///   duration.
    mutating func finish(lastFrameEnd: MediaTime? = nil) {
        guard let last else { return }
        let end = last.presentationTime + (last.duration ?? time(1) - time(0))
        // Frames that are shown for less than half a tick would all be omitted, but the result must have one.
        let least = hasReturned ? end : middle(number)
        shown.append((last, max(end, lastFrameEnd ?? end, least)))
        self.last = nil
    }

    /// Returns the frame of the next tick; nil until more frames are accepted.
    mutating func next() -> SampleBuffer? {
        while let (sample, end) = shown.first {
            if isPast(number, at: end) {
                defer { number += 1 }
                hasReturned = true
                return sample.at(time(number)).lasting(time(number + 1) - time(number))
            }
            shown.removeFirst()
        }
        return nil
    }

    /// Returns true if a frame at `time` moves to a later tick than `number`. Frames move to the nearest tick.
    private func isPast(_ number: Int64, at time: MediaTime) -> Bool { middle(number) <= time }

    /// Returns the time half a tick after a tick.
    private func middle(_ number: Int64) -> MediaTime {
        time(number) + MediaTime(value: Int64(rate.denominator), timescale: rate.numerator * 2)
    }
}

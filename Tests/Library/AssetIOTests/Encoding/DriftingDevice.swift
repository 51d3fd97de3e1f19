import MediaTypes

@testable import AssetIO

/// An audio device with its own clock, in simulated time: blocks of equal length, each with its true and its measured
/// time.
struct DriftingDevice {
    /// The difference between measured and true times.
    enum Jitter: CaseIterable {
        /// Like a sound card: a few microseconds.
        case card
        /// Like USB: up to a millisecond in either direction.
        case usb
        /// Like a sound server: two milliseconds in either direction, and one block in five up to 20 ms late.
        case server
        /// 20 ms in either direction.
        case wild
    }

    struct Block {
        /// Seconds after the start, true and measured.
        var time: Double
        var measured: Double
        /// The number of the block's first audio frame.
        var number: Int64
        var frames: Int
    }

    static let sampleRate = 48_000
    let blockFrames: Int
    let jitter: Jitter
    /// The device's clock error at a time, as a fraction: positive when it is fast.
    let drift: (Double) -> Double

    private var time = 0.0
    private var number: Int64 = 0
    private var random = SplitMix(state: 0x5EED)

    init(blockFrames: Int, jitter: Jitter, drift: @escaping (Double) -> Double) {
        self.blockFrames = blockFrames
        self.jitter = jitter
        self.drift = drift
    }

    mutating func next() -> Block {
        let block = Block(time: time, measured: time + error(), number: number, frames: blockFrames)
        time += Double(blockFrames) / (Double(Self.sampleRate) * (1 + drift(time)))
        number += Int64(blockFrames)
        return block
    }

    /// Loses audio on the way, without reporting it.
    mutating func lose(_ seconds: Double) { time += seconds }

    private mutating func error() -> Double {
        switch jitter {
        case .card: random.next(-0.00002...0.00002)
        case .usb: random.next(-0.001...0.001)
        case .server: random.next(0...1) < 0.2 ? random.next(0...0.02) : random.next(-0.002...0.002)
        case .wild: random.next(-0.02...0.02)
        }
    }
}

/// A random number generator with the same numbers in every run.
struct SplitMix {
    var state: UInt64

    mutating func next(_ range: ClosedRange<Double>) -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        word ^= word >> 31
        return range.lowerBound + (range.upperBound - range.lowerBound) * Double(word >> 11) / Double(1 << 53)
    }
}

extension AudioTimeline {
    /// Admits a simulated block, with 100 s on the monotonic clock as the origin. Returns its place in seconds after
    /// the start.
    mutating func admit(_ block: DriftingDevice.Block) -> (place: Double, correction: Correction) {
        let origin = MediaTime(value: 100, timescale: 1)
        let time = origin + MediaTime(nanoseconds: Int64((block.measured * 1e9).rounded()))
        let before = position
        let correction = admit(time, frames: block.frames)
        let start = start.map { ($0 - origin).seconds } ?? 0
        return (start + (before + Double(correction.silence - correction.cut)) / 48_000, correction)
    }
}

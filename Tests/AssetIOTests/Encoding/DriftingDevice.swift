import MediaTypes

@testable import AssetIO

/// A sound device with a clock of its own, in simulated time: blocks of a length, each with its true and its measured time.
struct DriftingDevice {
    /// How measured times differ from the true ones.
    enum Jitter: CaseIterable {
        /// As of a sound card: some microseconds.
        case card
        /// As of USB: up to a millisecond to either side.
        case usb
        /// As of a sound server: two milliseconds to either side, and one block in five up to 20 ms late.
        case server
        /// 20 ms to either side.
        case wild
    }

    struct Block {
        /// Seconds after the start, as they were and as they were measured.
        var time: Double
        var measured: Double
        /// Of its first frame.
        var number: Int64
        var frames: Int
    }

    static let sampleRate = 48_000
    let blockFrames: Int
    let jitter: Jitter
    /// By how much the device's clock is faster, as a part of 1, at a time.
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

    /// Sound is lost on the way, without a word.
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

/// The same numbers in every run.
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
    /// Takes a simulated block, 100 s into the monotonic clock; gives where it comes to lie, seconds after the start.
    mutating func admit(_ block: DriftingDevice.Block) -> (place: Double, correction: Correction) {
        let origin = MediaTime(value: 100, timescale: 1)
        let time = origin + MediaTime(nanoseconds: Int64((block.measured * 1e9).rounded()))
        let before = position
        let correction = admit(time, frames: block.frames)
        let start = start.map { ($0 - origin).seconds } ?? 0
        return (start + (before + Double(correction.silence - correction.cut)) / 48_000, correction)
    }
}

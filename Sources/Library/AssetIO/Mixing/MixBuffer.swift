import MediaTypes

/// A block of interleaved floating-point audio in which tracks are summed. Only one thread at a time may call.
final class MixBuffer {
    let channelCount: Int
    let frameCapacity: Int
    private let samples: UnsafeMutableBufferPointer<Float>

    init(frameCapacity: Int, channelCount: Int) {
        self.frameCapacity = frameCapacity
        self.channelCount = channelCount
        samples = .allocate(capacity: frameCapacity * channelCount)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    func clear() { samples.update(repeating: 0) }

    /// Returns the first `frames` audio frames.
    func prefix(_ frames: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: samples[..<(min(frames, frameCapacity) * channelCount)])
    }

    /// Adds complete frames of `float32`, starting at index `frame`; those that do not fit are left out.
    ///
    /// - Parameter time: the first frame's position in the asset, which decides the volume.
    func add(_ source: UnsafeRawBufferPointer, at frame: Int, volume: VolumeCurve, time: Int64) {
        let size = MemoryLayout<Float>.size * channelCount
        let count = min(source.count / size, frameCapacity - frame)
        guard count > 0, frame >= 0 else { return }
        volume.forEachRun(from: time, count: count) { frames, run in
            switch run {
            case .constant(0): break
            case .constant(let gain):
                for index in (frames.lowerBound * channelCount)..<(frames.upperBound * channelCount) {
                    samples[frame * channelCount + index] += gain * Self.sample(source, index)
                }
            case .ramp(let first, let slope):
                for number in frames {
                    let gain = Float(first + slope * Double(number - frames.lowerBound))
                    for index in (number * channelCount)..<((number + 1) * channelCount) {
                        samples[frame * channelCount + index] += gain * Self.sample(source, index)
                    }
                }
            }
        }
    }

    private static func sample(_ source: UnsafeRawBufferPointer, _ index: Int) -> Float {
        source.loadUnaligned(fromByteOffset: index * MemoryLayout<Float>.size, as: Float.self)
    }
}

import MediaTypes

/// The input channel for each output channel; −1 for silence.
struct ChannelMap {
    private let sources: [Int]
    private let channelCount: Int
    private let sampleSize: Int

    /// - Returns: nil if every channel keeps its position.
    init?(_ sources: [Int], of format: AudioFormat) {
        channelCount = format.channelCount
        sampleSize = (format.bytesPerFrame ?? 0) / max(1, format.channelCount)
        guard sources != Array(0..<format.channelCount) else { return nil }
        self.sources = sources.map { $0 < format.channelCount ? $0 : -1 }
    }

    /// Returns the default map of a converter that does not mix. Each channel goes to its own loudspeaker, and mono
    /// goes to both channels of stereo.
    ///
    /// - Returns: nil if the formats have the same number of channels, but for different loudspeakers.
    static func usual(from source: AudioFormat, to target: AudioFormat) -> [Int]? {
        let (from, to) = (source.statedLayout, target.statedLayout)
        let named: (ChannelLayout, ChannelLayout)? =
            if let from, let to, !from.isDiscrete, !to.isDiscrete { (from, to) } else { nil }
        if source.channelCount == target.channelCount {
            guard let (from, to) = named else { return Array(0..<target.channelCount) }
            return from.order(for: to)
        }
        if source.channelCount == 1, target.channelCount == 2 { return [0, 0] }
        if let (from, to) = named {
            let places = to.positions.map { from.positions.firstIndex(of: $0) ?? -1 }
            if places.contains(where: { $0 >= 0 }) { return places }
        }
        return (0..<target.channelCount).map { $0 < source.channelCount ? $0 : -1 }
    }

    /// Returns the frames with their channels in the new order.
    func apply(_ frames: UnsafeRawBufferPointer) -> [UInt8] {
        let (size, step) = (sources.count * sampleSize, channelCount * sampleSize)
        let count = frames.count / max(1, step)
        return [UInt8](unsafeUninitializedCapacity: count * size) { target, length in
            let target = UnsafeMutableRawBufferPointer(target)
            for (place, channel) in sources.enumerated() {
                for frame in 0..<count {
                    let to = frame * size + place * sampleSize
                    for byte in 0..<sampleSize {
                        target[to + byte] = channel < 0 ? 0 : frames[frame * step + channel * sampleSize + byte]
                    }
                }
            }
            length = count * size
        }
    }
}

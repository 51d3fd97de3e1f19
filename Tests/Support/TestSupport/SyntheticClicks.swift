public import MediaTypes

/// Clicks at known positions, to measure the offset of processed audio.
extension SyntheticMedia {
    /// Mono, 16 bits, 48 kHz.
    public static let clickFormat = AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 1)

    /// Returns silence with a click of a few audio frames around each of `places`, with its peak exactly there. In
    /// `clickFormat`.
    public static func clicks(at places: [Int], count: Int, time: MediaTime = .zero) -> SampleBuffer {
        var samples = [Int16](repeating: 0, count: count)
        for place in places {
            // An odd count of audio frames of alternating sign, highest in the middle: no filter moves its peak.
            for (offset, value) in zip(-2...2, [4000, -14_000, 28_000, -14_000, 4000] as [Int16])
            where samples.indices.contains(place + offset) {
                samples[place + offset] = value
            }
        }
        return audio(samples, format: clickFormat, at: time)
    }

    /// Returns the positions of clicks in decoded audio: the loudest audio frame of each run above a quarter of full
    /// scale.
    public static func clickPlaces(in samples: [Float]) -> [Int] {
        var places: [Int] = []
        var index = 0
        while index < samples.count {
            guard abs(samples[index]) > 0.25 else {
                index += 1
                continue
            }
            let group = index..<min(index + 100, samples.count)
            if let loudest = group.max(by: { abs(samples[$0]) < abs(samples[$1]) }) { places.append(loudest) }
            index = group.upperBound
        }
        return places
    }
}

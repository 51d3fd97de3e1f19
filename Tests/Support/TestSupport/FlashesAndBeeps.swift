import Foundation

/// The flashes and beeps of a movie as ffmpeg decodes it, which show whether audio and video are in sync.
public struct FlashesAndBeeps {
    /// The times of white frames, in seconds.
    public let flashes: [Double]
    /// The times at which beeps begin, in seconds.
    public let beeps: [Double]
    /// For each beep, the seconds since the nearest flash. The flash of a beep at the movie's edges may be outside the
    /// movie, so those beeps are left out.
    public let offsets: [Double]

    /// - Parameter frame: seconds from one frame to the next.
    public init(_ movie: String, frame: Double) throws {
        let audio = try Probe(movie).audio
        let rate = audio?.sampleRate.flatMap(Int.init) ?? 48_000
        let channels = max(1, audio?.channels ?? 1)
        // The decoded audio does not contain the time before the track begins.
        let start = max(0, audio?.start ?? 0)
        beeps = try Probe.decodedAudio(movie, as: "f32le").withUnsafeBytes { bytes in
            Self.beeps(Array(bytes.bindMemory(to: Float.self)), rate: rate, channels: channels).map { start + $0 }
        }
        let times = try Probe.frameTimes(movie)
        let flashes = zip(times, try Probe.brightness(movie)).filter { $0.1 > 200 }.map(\.0)
        self.flashes = flashes
        offsets = beeps.filter { $0 > frame && $0 < times.last ?? 0 }.map { beep in
            flashes.map { beep - $0 }.min { abs($0) < abs($1) } ?? .infinity
        }
    }

    /// Returns the starts of beeps in the first channel.
    private static func beeps(_ samples: [Float], rate: Int, channels: Int) -> [Double] {
        var beeps: [Double] = []
        var last = -rate
        for (index, place) in stride(from: 0, to: samples.count, by: channels).enumerated()
        where abs(samples[place]) > 0.2 {
            if index - last > rate / 10 { beeps.append(Double(index) / Double(rate)) }
            last = index
        }
        return beeps
    }
}

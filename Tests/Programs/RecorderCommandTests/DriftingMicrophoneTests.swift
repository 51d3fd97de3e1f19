import Foundation
import TestSupport
import Testing

/// A microphone with a drifting clock, in real time, through the complete recorder: alsa-lib's poll, reads and
/// timestamps.
@Suite struct DriftingMicrophoneTests {
    /// Returns the starts of beeps, in seconds, in decoded mono audio of 48 kHz.
    private func beeps(_ samples: [Float]) -> [Double] {
        var beeps: [Double] = []
        var last = -48_000
        for index in samples.indices where abs(samples[index]) > 0.2 {
            if index - last > 4800 { beeps.append(Double(index) / 48_000) }
            last = index
        }
        return beeps
    }

    @Test func recording_driftingMicrophone_keepsBeepsAndFlashesInSync() async throws {
        let place = try TemporaryDirectory()
        let microphone = try DriftingMicrophone(ppm: -300, in: place)
        try await Command.inDirectory { command in
            let result = try await command.start(
                [
                    "run", "drift", "--camera", "test", "--microphone", "drifting", "--size", "320x180",
                    "--frame-rate", "30", "--preset", "ultrafast", "--duration", "7s", "--output", "drift.mov",
                ], environment: ["ALSA_CONFIG_PATH": microphone.configuration]
            ).result()
            #expect(result.exitCode == 0, "\(result.errors)")
            let movie = command.path("work/drift.mov")
            let audio = try Probe.decodedAudio(movie, as: "f32le").withUnsafeBytes { bytes in
                let both = Array(bytes.bindMemory(to: Float.self))
                return stride(from: 0, to: both.count, by: 2).map { both[$0] }
            }
            let times = try Probe.frameTimes(movie)
            let frames = try Probe.brightness(movie)
            let flashes = zip(times, frames).filter { $0.1 > 200 }.map(\.0)
            let beeps = beeps(audio)
            #expect(flashes.count >= 6 && beeps.count >= 6, "\(flashes) \(beeps)")
            // In seven seconds the clocks drift by 2 ms. A wrong rate, timestamp or start would be off by a period or
            // more. The flash of a beep at the movie's edges may be outside the movie.
            for beep in beeps where beep > 1.0 / 30 && beep < times.last ?? 0 {
                let offset = flashes.map { beep - $0 }.min { abs($0) < abs($1) } ?? .infinity
                #expect(abs(offset) < 0.004, "\(beep): off by \(offset) s")
            }
        }
    }
}

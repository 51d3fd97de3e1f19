import Foundation
import TestSupport
import Testing

/// A microphone with a drifting clock, in real time, through the complete recorder: alsa-lib's poll, reads and
/// timestamps.
@Suite struct DriftingMicrophoneTests {
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
            let media = try FlashesAndBeeps(command.path("work/drift.mov"), frame: 1.0 / 30)
            #expect(media.flashes.count >= 6 && media.beeps.count >= 6, "\(media)")
            // In seven seconds the clocks drift by 2 ms. A wrong rate, timestamp or start would be off by a period or
            // more.
            #expect(media.offsets.allSatisfy { abs($0) < 0.004 }, "\(media.offsets)")
        }
    }
}

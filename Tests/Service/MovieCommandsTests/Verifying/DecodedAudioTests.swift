import Testing

@testable import MovieCommands

/// The comparison of the decoded audio with the tables.
struct DecodedAudioTests {
    /// The audio of a track whose samples have 0.02 s each, of which all, or all but those in the gaps, were decoded.
    @Test(
        arguments: [
            (10.0...10.0, UInt64(500), 10.0), (6...10, 300, 6), (6...10, 300, 10),
            // After each sample there is a gap, so the tables show no difference between samples.
            (10...10, 300, 6),
        ] as [(ClosedRange<Double>, UInt64, Double)])
    func audio_allSamplesDecoded_isRight(due: ClosedRange<Double>, samples: UInt64, heard: Double) {
        #expect(MovieCheck.audio(due, samples: samples, longest: 0.02, heard: heard) == nil)
    }

    @Test(
        arguments: [
            (10.0...10.0, UInt64(500), 9.0, 10.0), (6...10, 300, 5, 6), (6...10, 300, 11, 10),
        ] as [(ClosedRange<Double>, UInt64, Double, Double)])
    func audio_otherDuration_isAProblem(due: ClosedRange<Double>, samples: UInt64, heard: Double, right: Double) {
        #expect(MovieCheck.audio(due, samples: samples, longest: 0.02, heard: heard) == right)
    }

    @Test func audio_nothingDecoded_isAProblem() {
        #expect(MovieCheck.audio(10...10, samples: 500, longest: 0, heard: 0) == 10)
    }

    /// A sample of PCM is one audio frame, but many are decoded at once.
    @Test func audio_missingPCM_isAProblem() {
        #expect(MovieCheck.audio(10...12, samples: 480_000, longest: 0.02, heard: 9) == 10)
    }
}

import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// Audio with floating-point values that no encoder accepts.
@Suite struct InvalidAudioExportTests {
    private let directory: TemporaryDirectory
    private let source: URL

    /// Makes a second of audio with three invalid values.
    init() throws {
        directory = try TemporaryDirectory()
        source = directory.file("faulty.wav")
        var values = (0..<48_000).map { Float($0 % 100) / 200 }
        (values[5000], values[5001], values[30_000]) = (.nan, .infinity, -1e9)
        let raw = directory.file("faulty.raw")
        try values.withUnsafeBytes { Data($0) }.write(to: raw)
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "f32le", "-ar", "48000", "-i", raw.path, "-c:a", "copy", source.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test(arguments: [AudioCodec.aac, .flac, .linearPCM])
    func export_invalidAudioValues_areReported(codec: AudioCodec) async throws {
        let copy = try await ExportedCopy(of: source, in: directory) {
            $0.audioSettings = AudioSettings(codec: codec, pcm: codec == .linearPCM ? .s16 : nil)
        }
        let lines = copy.session.report.leftOut.filter { $0.contains("silence") }
        #expect(lines == ["track 1: 3 values of the audio are not numbers, or far too loud: silence instead"])
    }

    @Test func export_invalidAudioValuesAsTheyAre_areNoLoss() async throws {
        let copy = try await ExportedCopy(of: source, in: directory) {
            $0.audioSettings = AudioSettings(codec: .linearPCM, pcm: .float32)
        }
        #expect(copy.session.report.leftOut == [])
    }

    @Test func export_validAudio_reportsNothing() async throws {
        let source = directory.file("intact.wav")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "pcm_f32le", source.path)
        try #require(made.status == 0, "\(made.errors)")
        let copy = try await ExportedCopy(of: source, in: directory) { $0.audioSettings = AudioSettings(codec: .aac) }
        #expect(!copy.session.report.leftOut.contains { $0.contains("silence") })
    }
}

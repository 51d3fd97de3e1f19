import Foundation
import TestSupport
import Testing

/// A movie by ffmpeg, in a directory that is removed with the test.
struct Movie {
    let directory: TemporaryDirectory
    let source: URL
    var copy: URL { directory.file("copy.mov") }

    /// - Parameters:
    ///   - frames: seconds of video.
    ///   - audio: seconds of audio.
    ///   - size: frame size.
    init(frames: Double = 2, audio: Double = 2, size: String = "320x180") throws {
        directory = try TemporaryDirectory()
        source = directory.file("movie.mov")
        let plain = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30:d=\(frames)", "-f", "lavfi",
                "-i", "sine=f=440:r=48000:d=\(audio)", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
                "-c:a", "aac", "-metadata", "title=The walk", "-metadata:s:a", "language=fra",
            ], ending: "mov")
        // The movie is rotated, as if recorded in portrait orientation.
        try MadeFile.copy(of: ["ffmpeg", "-v", "error", "-i", plain.path, "-c", "copy"], to: source)
        try MovieRotation.set(clockwise: 270, in: source)
    }

    /// Expects each frame at its time, the audio, and the rotation in the copy.
    func expectWholeCopy(frames: Int, seconds: Double) throws {
        let probe = try Probe(copy.path, decodes: true)
        #expect(probe.complaints == "" && probe.streams.count == 2)
        #expect(probe.video?.codecName == "h264" && probe.video?.frames == frames)
        #expect(probe.audio?.codecName == "aac" && abs((probe.audio?.seconds ?? 0) - seconds) < 0.03)
        #expect(try Probe.frameTimes(copy.path) == Probe.frameTimes(source.path))
        #expect(try rotation(copy) == rotation(source))
        #expect(try abs(rotation(source)) == 90)
        let audio = try Probe.decodedAudio(copy.path, as: "s16le").withUnsafeBytes {
            $0.bindMemory(to: Int16.self).map { abs(Int($0)) }
        }
        #expect((audio.max() ?? 0) > 3000 && audio.count >= Int(seconds * 48_000) - 1024)
        #expect(directory.names == ["copy.mov", "movie.mov"])
    }

    /// Returns ffprobe's rotation of the track's matrix, in degrees.
    private func rotation(_ url: URL) throws -> Int {
        let result = try Probe.ask(url.path, "stream_side_data=rotation", of: "v")
        return try #require(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}

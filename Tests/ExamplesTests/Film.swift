import Foundation
import TestSupport
import Testing

/// A movie by ffmpeg, in a directory that is removed with the test.
struct Film {
    let directory: TemporaryDirectory
    let source: URL
    var copy: URL { directory.file("copy.mov") }

    /// - Parameters:
    ///   - pictures: seconds of video.
    ///   - sound: seconds of audio.
    ///   - size: frame size.
    init(pictures: Double = 2, sound: Double = 2, size: String = "320x180") throws {
        directory = try TemporaryDirectory()
        source = directory.file("film.mov")
        let plain = try MadeFile.of(
            [
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=30:d=\(pictures)", "-f", "lavfi",
                "-i", "sine=f=440:r=48000:d=\(sound)", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
                "-c:a", "aac", "-metadata", "title=The film", "-metadata:s:a", "language=fra",
            ], ending: "mov")
        // The movie is rotated, as if recorded in portrait orientation.
        try MadeFile.copy(of: ["ffmpeg", "-v", "error", "-i", plain.path, "-c", "copy"], to: source)
        try MovieRotation.set(clockwise: 270, in: source)
    }

    /// Expects each frame at its time, the audio, and the rotation in the copy.
    func expectWholeCopy(pictures: Int, seconds: Double) throws {
        let probe = try Probe(copy.path, decodes: true)
        #expect(probe.complaints == "" && probe.streams.count == 2)
        #expect(probe.video?.codecName == "h264" && probe.video?.frames == pictures)
        #expect(probe.audio?.codecName == "aac" && abs((probe.audio?.seconds ?? 0) - seconds) < 0.03)
        #expect(try Probe.frameTimes(copy.path) == Probe.frameTimes(source.path))
        #expect(try rotation(copy) == rotation(source))
        #expect(try abs(rotation(source)) == 90)
        let sound = try Probe.decodedSound(copy.path, as: "s16le").withUnsafeBytes {
            $0.bindMemory(to: Int16.self).map { abs(Int($0)) }
        }
        #expect((sound.max() ?? 0) > 3000 && sound.count >= Int(seconds * 48_000) - 1024)
        #expect(directory.names == ["copy.mov", "film.mov"])
    }

    /// Returns ffprobe's rotation of the track's matrix, in degrees.
    private func rotation(_ url: URL) throws -> Int {
        let result = try Probe.ask(url.path, "stream_side_data=rotation", of: "v")
        return try #require(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}

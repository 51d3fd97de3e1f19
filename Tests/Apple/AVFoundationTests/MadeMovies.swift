import AVFoundation
import Foundation
import TestSupport
import Testing

/// Movies that ffmpeg made from a test pattern and a tone.
struct MadeMovies {
    /// Output settings of a size that the movies have.
    static let h264: [String: any Sendable] = [
        AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 160, AVVideoHeightKey: 120,
    ]

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A movie with H.264 (including B-frames) and AAC, 160×120 at 30 fps.
    func movie(_ name: String = "movie.mov", seconds: Double = 2, _ more: [String] = []) throws -> URL {
        let url = directory.file(name)
        try MadeFile.copy(
            of: [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=30:d=\(seconds)", "-f",
                "lavfi",
                "-i", "sine=frequency=440:sample_rate=44100:duration=\(seconds)", "-c:v", "libx264", "-bf", "2", "-g",
                "15",
                "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "2",
            ] + more, to: url)
        return url
    }

    /// A value that ffprobe reports about a stream.
    static func probe(_ url: URL, _ stream: String, _ entry: String) throws -> String {
        let result = try Command.run([
            "ffprobe", "-v", "error", "-count_frames", "-select_streams", stream, "-show_entries", entry, "-of",
            "default=nw=1:nk=1", url.path,
        ])
        try #require(result.status == 0, "\(result.errors)")
        return String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// A gate that waits for a callback outside Swift's pool.
final class Gate: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait(_ seconds: Double = 60) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}

/// Runs code of a program without tasks on a thread of its own, and waits for it.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try body() }) }.start()
    }
}

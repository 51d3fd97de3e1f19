import AVFoundation
import Foundation
import TestSupport
import Testing

/// Movies of one color and one tone, and measurements of movies made from them.
struct CompositionJudge {
    let movies: MadeMovies

    init() throws { movies = try MadeMovies() }

    /// A movie of 96×64 at 30 fps in which all frames have one brightness, with a sine in PCM, sampled at 44,100 Hz.
    func movie(_ name: String, gray: Int, tone: Int = 440, seconds: Double = 1, _ more: [String] = []) throws -> URL {
        let url = movies.directory.file(name)
        try MadeFile.copy(
            of: [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i",
                "color=c=0x\(String(repeating: String(format: "%02x", gray), count: 3)):s=96x64:r=30:d=\(seconds)",
                "-f",
                "lavfi", "-i", "sine=frequency=\(tone):sample_rate=44100:duration=\(seconds)", "-c:v", "libx264", "-bf",
                "0", "-g", "15", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le",
            ] + more, to: url)
        return url
    }

    /// A copy to be shown rotated by a quarter turn.
    func turned(_ movie: URL) throws -> URL {
        let url = movie.deletingPathExtension().appendingPathExtension("turned.mov")
        try FileManager.default.copyItem(at: movie, to: url)
        try MovieRotation.set(clockwise: 270, in: url)
        return url
    }

    func file(_ name: String) -> URL { movies.directory.file(name) }

    /// Exports on a thread of its own, as a program without tasks does.
    static func export(
        _ asset: AVAsset, to url: URL, preset: String = AVAssetExportPresetHighestQuality, as type: AVFileType = .mov,
        configure: @escaping @Sendable (AVAssetExportSession) -> Void = { _ in }
    ) async throws -> AVAssetExportSession {
        try await onThread {
            let session = try #require(AVAssetExportSession(asset: asset, presetName: preset))
            session.outputURL = url
            session.outputFileType = type
            configure(session)
            let gate = Gate()
            session.exportAsynchronously { gate.open() }
            #expect(gate.wait())
            return session
        }
    }

    /// The audio of the first channel, from -1 to 1.
    static func audio(_ url: URL) throws -> [Float] {
        let data = try Probe.decodedAudio(url.path, as: "s16le", codec: "pcm_s16le")
        return data.withUnsafeBytes { $0.bindMemory(to: Int16.self).map { Float($0) / 32768 } }
    }

    /// The frequency, from the number of upward zero crossings.
    static func frequency(_ audio: ArraySlice<Float>, rate: Double = 44_100) -> Double {
        let crossings = zip(audio, audio.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Double(crossings) * rate / Double(audio.count)
    }

    static func peak(_ audio: ArraySlice<Float>) -> Float { audio.map(\.magnitude).max() ?? 0 }

    /// The gray pixels of a frame, row by row.
    static func frame(_ url: URL, at seconds: Double, width: Int) throws -> [[UInt8]] {
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-ss", String(seconds), "-i", url.path, "-frames:v", "1", "-pix_fmt", "gray", "-f",
            "rawvideo", "-",
        ])
        try #require(result.status == 0 && !result.output.isEmpty, "\(result.errors)")
        let bytes = Array(result.output)
        return stride(from: 0, to: bytes.count, by: width).map { Array(bytes[$0..<$0 + width]) }
    }
}

func seconds(_ value: Double) -> CMTime { CMTime(seconds: value, preferredTimescale: 600) }
func range(_ start: Double, _ end: Double) -> CMTimeRange { CMTimeRange(start: seconds(start), end: seconds(end)) }

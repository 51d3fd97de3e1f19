import AssetIO
import Foundation
import Glibc
import MediaTypes
import TestSupport

/// Makes a recording of many hours faster than real time and compares it with the design's promises: it closes within a
/// moment, memory does not grow with its length, and every position can be sought.
@main struct TenHours {
    /// The promised limits.
    private static let closing = Duration.seconds(1)
    private static let growth = 20 << 20

    private static let frameRate = 30
    private static let sampleRate = 48_000

    static func main() async throws {
        let hours = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10
        let directory = try TemporaryDirectory()
        let writer = try AssetWriter(outputURL: directory.file("long.mov"))
        let video = try AssetWriterInput(
            mediaType: .video,
            outputSettings: .video(
                VideoSettings(width: 64, height: 48, preset: "ultrafast", expectedFrameRate: Double(frameRate))))
        let audio = try AssetWriterInput(
            mediaType: .audio, outputSettings: .audio(AudioSettings()), sourceFormatHint: .audio(SyntheticMedia.pcm))
        let frames = try writer.inputReceiver(for: video)
        let audioFeed = try writer.inputReceiver(for: audio)
        try writer.startWriting()
        try writer.startSession(atSourceTime: .zero)

        let residents = try await feed(frames, audioFeed, hours: hours)
        let began = ContinuousClock.now
        try await writer.finishWriting()
        let closed = ContinuousClock.now - began
        let end = residentBytes()

        let path = writer.outputURL.path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("\(hours) h, \(size >> 20) MiB; closed in \(closed)")
        for (hour, bytes) in residents.enumerated() { print("  after hour \(hour + 1): \(bytes >> 10) KiB") }
        print("  when finished: \(end >> 10) KiB")
        let grown = max(residents.last ?? 0, end) - (residents.first ?? 0)
        let missed = try seekErrors(path, hours: hours)
        let probe = try Probe(path)
        print("grew by \(grown >> 10) KiB; \(missed.count) of 60 seeks missed \(missed); \(probe.format.seconds) s")

        guard closed < closing, grown < growth, missed.isEmpty, probe.complaints.isEmpty,
            abs(probe.format.seconds - Double(hours) * 3600) < 0.001
        else {
            print("a limit of the design was exceeded")
            exit(1)
        }
    }

    /// Feeds both tracks concurrently. Returns the process's memory at the end of every hour.
    private static func feed(
        _ video: AssetWriterInput.SampleBufferReceiver, _ audio: AssetWriterInput.SampleBufferReceiver, hours: Int
    ) async throws -> [Int] {
        let seconds = hours * 3600
        async let audioFeed: Void = feedAudio(audio, seconds: seconds)
        let frames = (0..<200).map { SyntheticMedia.frame($0, width: 64, height: 48) }
        var residents: [Int] = []
        for number in 0..<(seconds * frameRate) {
            let time = MediaTime(value: Int64(number), timescale: Int32(frameRate))
            try await video.append(SampleBuffer(pixels: frames[number % 200], presentationTime: time))
            if (number + 1) % (3600 * frameRate) == 0 { residents.append(residentBytes()) }
        }
        video.finish()
        try await audioFeed
        return residents
    }

    private static func feedAudio(_ audio: AssetWriterInput.SampleBufferReceiver, seconds: Int) async throws {
        // 440 periods fit in a second, so a repeated second has no click at its seam.
        let second = SyntheticMedia.tone(from: 0, count: sampleRate, at: .zero)
        for number in 0..<seconds {
            try await audio.append(second.at(MediaTime(value: Int64(number), timescale: 1)))
        }
        audio.finish()
    }

    /// Returns the positions, in seconds, at which ffmpeg finds another frame than the one that was stored there.
    private static func seekErrors(_ path: String, hours: Int) throws -> [Double] {
        var generator = SystemRandomNumberGenerator()
        return try (0..<60).compactMap { _ in
            let number = Int.random(in: 0..<(hours * 3600 * frameRate - 1), using: &generator)
            // The middle of the frame's time.
            let time = (Double(number) + 0.5) / Double(frameRate)
            let found =
                try Probe.brightness(path, seeking: Double(number) / Double(frameRate) - 0.001, count: 1).first ?? 0
            return abs(Int(found) - Int(SyntheticMedia.luma(number))) <= 2 ? nil : time
        }
    }

    /// Returns VmRSS of proc(5).
    private static func residentBytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}

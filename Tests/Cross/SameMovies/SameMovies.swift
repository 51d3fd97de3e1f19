import AssetIO
import Capture
import Foundation
import Glibc
import MediaTypes

/// Makes movies that do not depend on the machine: the frames and the audio of the test sources in virtual time, through
/// each encoder, and copies without encoding. `scripts/cross compare` runs it on two architectures.
@main struct SameMovies {
    private static let usage = """
        usage: SameMovies DIRECTORY SECOND [MOVIE…]

        Writes the movies into DIRECTORY. The test sources begin at the full second SECOND of their clock. Each MOVIE is
        copied too, completely and in part.
        """

    /// The length of the movies that are recorded, in seconds.
    private static let length = 6
    /// The part that is cut: neither end is at a keyframe.
    private static let cut = TimeRange(
        start: MediaTime(value: 13, timescale: 10), end: MediaTime(value: 37, timescale: 10))
    /// The date in each header.
    private static let date = Date(timeIntervalSince1970: 1_600_000_000)

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2, let second = Int64(arguments[1]), (0...1_000_000).contains(second) else {
            print(usage)
            exit(64)
        }
        let movies = SameMovies(
            directory: URL(fileURLWithPath: arguments[0], isDirectory: true), second: second)
        try await movies.record("x264.mov", video: true, audio: nil)
        try await movies.record("pcm.mov", video: false, audio: AudioSettings(codec: .linearPCM))
        try await movies.record("alac.mov", video: false, audio: AudioSettings(codec: .alac))
        // QuickTime movies have no FLAC.
        try await movies.record("flac.mp4", video: false, audio: AudioSettings(codec: .flac))
        try await movies.record("aac.mov", video: false, audio: AudioSettings(codec: .aac))
        try await movies.record("both.mov", video: true, audio: AudioSettings(codec: .linearPCM))
        try await movies.copy(movies.directory.appendingPathComponent("both.mov"), as: "recorded")
        for (number, path) in arguments.dropFirst(2).enumerated() {
            try await movies.copy(URL(fileURLWithPath: path), as: "given\(number)")
        }
    }

    let directory: URL
    let second: Int64

    private func samples() -> TestSamples {
        TestSamples(
            size: FrameSize(320, 180), frameRate: FrameRate(30),
            audio: AudioFormat(pcm: .s16, sampleRate: 48_000, channelCount: 2), second: second)
    }

    /// Records a movie with one track or two.
    private func record(_ name: String, video: Bool, audio: AudioSettings?) async throws {
        let writer = try AssetWriter(outputURL: directory.appendingPathComponent(name))
        try writer.configure {
            $0.isRecoverable = false
            $0.overwritesExistingFile = true
            $0.creationDate = Self.date
        }
        let sources = samples()
        var frames: AssetWriterInput.SampleBufferReceiver?
        if video {
            var settings = VideoSettings(width: 320, height: 180, expectedFrameRate: 30)
            // x264 makes the same packets from the same frames only with a fixed number of threads.
            settings.threadCount = 1
            frames = try writer.inputReceiver(
                for: AssetWriterInput(
                    mediaType: .video, outputSettings: .video(settings), sourceFormatHint: sources.videoFormat))
        }
        var blocks: AssetWriterInput.SampleBufferReceiver?
        if let audio {
            blocks = try writer.inputReceiver(
                for: AssetWriterInput(
                    mediaType: .audio, outputSettings: .audio(audio), sourceFormatHint: .audio(sources.audioFormat)))
        }
        try writer.startWriting()
        try writer.startSession(atSourceTime: MediaTime(value: second, timescale: 1))
        try await feed(frames, blocks)
        try await writer.finishWriting()
    }

    /// Feeds both tracks concurrently, each from sources of its own.
    private func feed(
        _ frames: AssetWriterInput.SampleBufferReceiver?, _ blocks: AssetWriterInput.SampleBufferReceiver?
    ) async throws {
        async let audio: Void = feedAudio(blocks)
        if let frames {
            let sources = samples()
            for index in 0..<(Int64(Self.length) * 30) { try await frames.append(sources.frame(index)) }
            frames.finish()
        }
        try await audio
    }

    private func feedAudio(_ blocks: AssetWriterInput.SampleBufferReceiver?) async throws {
        guard let blocks else { return }
        let sources = samples()
        for index in 0..<(Int64(Self.length) * 50) { try await blocks.append(sources.block(index)) }
        blocks.finish()
    }

    /// Copies a movie without encoding it, completely and in part.
    private func copy(_ source: URL, as name: String) async throws {
        for (kind, range) in [("copy", nil), ("cut", Self.cut)] as [(String, TimeRange?)] {
            let session = try ExportSession(asset: Asset(url: source), preset: .passthrough)
            try session.configure {
                $0.undatedCreationDate = Self.date
                $0.overwritesExistingFile = true
                if let range { $0.timeRange = range }
            }
            try await session.export(to: directory.appendingPathComponent("\(name)-\(kind).mov"))
        }
    }
}

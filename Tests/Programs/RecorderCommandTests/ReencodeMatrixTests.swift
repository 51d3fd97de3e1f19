import FileSystem
import Foundation
import TestSupport
import Testing

/// `recorder reencode` and `recorder frames` on every kind of file: the copy matches the movie, or there is none.
@Suite(.timeLimit(.minutes(10))) struct ReencodeMatrixTests {
    /// Some files of the matrix, two at a time.
    struct Batch: CustomTestStringConvertible, Sendable {
        let files: [InputFile]
        var testDescription: String { files.map(\.name).joined(separator: " ") }

        static let all: [Batch] = stride(from: 0, to: InputMatrix.files.count, by: 8).map {
            Batch(files: Array(InputMatrix.files[$0..<min($0 + 8, InputMatrix.files.count)]))
        }

        func onEach(_ body: @escaping @Sendable (InputFile, Command) async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, file) in files.enumerated() {
                    if index >= 2 { try await group.next() }
                    group.addTask { try await Command.inDirectory { try await body(file, $0) } }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func near(_ one: [Double], _ other: [Double], within limit: Double) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= limit }
    }

    /// FFmpeg drops the first packets of Windows Media Audio, which contain audio, and decodes the others 43 ms late.
    private static func isOddlyDecoded(_ file: InputFile) -> Bool { file.audio.first?.codec == "wmav2" }

    @Test(arguments: Batch.all) func reencode_everyKindOfFile_matchesTheSource(_ batch: Batch) async throws {
        try await batch.onEach { file, command in
            let movie = try file.url().path
            let name = file.video.isEmpty ? "copy.m4a" : "copy.mov"
            var arguments = ["reencode", movie, "-o", name, "--quiet"]
            if !file.video.isEmpty { arguments += ["--preset", "ultrafast"] }
            let result = try await command.run(arguments)
            #expect(result.exitCode == 0 && result.errors.isEmpty, "\(file): \(result.errors)")
            #expect(command.files(in: "work") == [name], "\(file)")
            guard result.exitCode == 0 else { return }
            let copy = try CopyJudgement(command.path("work/\(name)"))
            #expect(copy.complaints.isEmpty, "\(file): \(copy.complaints)")
            try expect(copy, isAs: try CopyJudgement(movie), file)
        }
    }

    private func expect(_ copy: CopyJudgement, isAs movie: CopyJudgement, _ file: InputFile) throws {
        try #require(copy.video.count == min(file.video.count, 1) && copy.audio.count == file.audio.count, "\(file)")
        for (track, wanted) in zip(copy.video, file.video) {
            let (times, movieTimes) = (copy.relativeTimes(track), movie.relativeTimes(movie.video[0]))
            #expect(
                track.codecName == "h264" && times.count == movieTimes.count,
                "\(file): \(times.count) \(movieTimes.count)")
            #expect(Self.near(times, movieTimes, within: 0.001), "\(file): \(times) \(movieTimes)")
            #expect(track.rotation == wanted.rotation && track.pixelAspect == wanted.aspect, "\(file): \(track)")
        }
        for (index, (track, wanted)) in zip(copy.audio, file.audio).enumerated() {
            let (length, lengths) = (copy.encodedLength(track), movie.lengths(movie.audio[index]))
            // A movie's last packet may end in padding, which not every container marks.
            let padding = 1100 / track.rate
            #expect(
                Self.isOddlyDecoded(file) || lengths.contains { length - $0 <= 0.001 && $0 - length < padding },
                "\(file): \(length) \(lengths)")
            #expect(track.sampleRate == String(wanted.sampleRate) && track.channels == wanted.channels, "\(file)")
            if let language = wanted.language { #expect(track.language == language, "\(file)") }
        }
        guard let frame = copy.video.first.flatMap({ copy.times($0).min() }), let track = copy.audio.first,
            let audio = copy.encodedAudioStart(track), let movieFrame = movie.times(movie.video[0]).min(),
            let movieAudio = movie.audioStart(movie.audio[0])
        else { return }
        #expect(
            Self.isOddlyDecoded(file) || abs((frame - audio) - (movieFrame - movieAudio)) <= 0.001,
            "\(file): \(frame) \(audio), \(movieFrame) \(movieAudio)")
    }

    @Test(arguments: Batch.all) func passthrough_everyKindOfFile_keepsEveryByteOrIsRefused(_ batch: Batch) async throws
    {
        try await batch.onEach { file, command in
            let movie = try file.url().path
            let result = try await command.run("reencode", movie, "-o", "copy.mov", "--codec", "passthrough", "--quiet")
            guard result.exitCode == 0 else {
                #expect(result.exitCode == 64 && result.errorLines.count == 1, "\(file): \(result.errors)")
                #expect(
                    result.errors.contains(".mov") && command.files(in: "work").isEmpty, "\(file): \(result.errors)")
                return
            }
            let copy = command.path("work/copy.mov")
            let complaints = try CopyJudgement(copy).complaints
            #expect(complaints.isEmpty, "\(file): \(complaints)")
            // Transport streams and related formats frame the same samples differently.
            let isReframed = ["ts", "mts", "mpg", "aac", "avi"].contains(file.name.fileExtension)
            let hashes = try Self.hashes([movie, copy], decodes: isReframed, in: command)
            // Of the audio that an edit list leaves out, the copy only keeps what decoding needs.
            let compared = file.name == "trimmed.mov" ? 1 : hashes[0].count
            #expect(
                !hashes[0].isEmpty && hashes[0].prefix(compared) == hashes[1].prefix(compared), "\(file): \(hashes)")
        }
    }

    /// Returns one hash per movie and track: of its samples, or of the decoded ones. One run, because starting FFmpeg
    /// takes longer than reading the files.
    private static func hashes(_ movies: [String], decodes: Bool, in command: Command) throws -> [[Substring]] {
        let files = movies.indices.map { command.path("hashes\($0)") }
        let outputs = files.enumerated().flatMap { index, file in
            ["-map", "\(index):v?", "-map", "\(index):a?", "-fps_mode", "passthrough"]
                + (decodes ? ["-c:a", "pcm_s16le"] : ["-c", "copy"]) + ["-f", "streamhash", "-hash", "md5", file]
        }
        _ = try TestSupport.Command.run(["ffmpeg", "-v", "error"] + movies.flatMap { ["-i", $0] } + outputs)
        return try files.map { try String(contentsOfFile: $0, encoding: .utf8).split(separator: "\n") }
    }

    @Test(arguments: Batch.all) func frames_everyKindOfFile_isUprightWithSquarePixels(_ batch: Batch) async throws {
        try await batch.onEach { file, command in
            let result = try await command.run("frames", try file.url().path, "--count", "1", "--output", "still.png")
            guard let wanted = file.video.first else {
                #expect(result.exitCode == 65 && result.errors.contains("no video track"), "\(file): \(result.errors)")
                #expect(command.files(in: "work").isEmpty, "\(file)")
                return
            }
            #expect(result.exitCode == 0 && result.errors.isEmpty, "\(file): \(result.errors)")
            let aspect = wanted.aspect.split(separator: ":").compactMap { Double($0) }
            var size = [Int((Double(wanted.width) * aspect[0] / aspect[1]).rounded()), wanted.height]
            if wanted.rotation % 180 != 0 { size.reverse() }
            let still = try Probe(command.path("work/still.png")).video
            #expect([still?.width, still?.height] == size, "\(file)")
        }
    }

    @Test(arguments: InputMatrix.refused) func reencodeAndFrames_unreadableFile_areRefusedInOneLine(
        _ input: RefusedInput
    ) async throws {
        let path = try input.url().path
        try await Command.inDirectory { command in
            for arguments in [["reencode", path, "-o", "copy.mov"], ["frames", path, "--output", "sheet.png"]] {
                let result = try await command.run(arguments)
                #expect(result.exitCode == (input.infoExitCode ?? 65), "\(result.errors)")
                #expect(result.errorLines.count == 1 && result.output.isEmpty, "\(result.errors)")
                #expect(result.errors.contains(path), "\(result.errors)")
                #expect(command.files(in: "work").isEmpty)
            }
        }
    }
}

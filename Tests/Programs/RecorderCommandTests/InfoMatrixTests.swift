import Foundation
import MediaTypes
import TestSupport
import Testing

/// `recorder info` on every kind of file: correct, or refused in one line.
@Suite(.timeLimit(.minutes(10))) struct InfoMatrixTests {
    @Test(arguments: InputMatrix.files) func info_everyKindOfFile_isCorrect(_ file: InputFile) async throws {
        let path = try file.url().path
        try await Command.inDirectory { command in
            let result = try await command.run("info", "--json", path)
            #expect(result.exitCode == 0 && result.errors.isEmpty, "\(result.errors)")
            let summary = try JSONDecoder().decode(MovieSummary.self, from: Data(result.output.utf8))
            let frames = summary.tracks.filter { $0.type == "video" }
            try #require(frames.count == file.video.count)
            for (track, wanted) in zip(frames, file.video) {
                #expect(track.codec == wanted.codec && track.width == wanted.width && track.height == wanted.height)
                #expect(track.rotation == wanted.rotation && track.bitDepth == wanted.depth)
                #expect((track.pixelAspectRatio ?? "1:1") == wanted.aspect)
                if let fields = wanted.fields { #expect(track.fieldOrder == fields) }
                if wanted.isFullRange { #expect(track.isFullRange == true) }
            }
            let audioTracks = summary.tracks.filter { $0.type == "audio" }
            try #require(audioTracks.count == file.audio.count)
            for (track, wanted) in zip(audioTracks, file.audio) {
                #expect(track.codec == wanted.codec && track.channels == wanted.channels)
                #expect(track.sampleRate == wanted.sampleRate)
                if let language = wanted.language { #expect(track.language == language) }
            }
            #expect(summary.chapters.compactMap(\.title) == file.chapters)
            #expect(abs((summary.duration ?? 0) - (try file.judgement().duration)) < 0.06)
        }
    }

    @Test(arguments: InputMatrix.refused.filter { $0.infoExitCode != nil })
    func info_fileThatIsNotAMovie_isRefusedInOneLine(_ input: RefusedInput) async throws {
        let path = try input.url().path
        try await Command.inDirectory { command in
            let result = try await command.run("info", path)
            #expect(result.exitCode == input.infoExitCode, "\(result.errors)")
            #expect(result.errorLines.count == 1 && result.errors.contains(path), "\(result.errors)")
            #expect(result.output.isEmpty)
        }
    }

    /// `info` needs no decoder.
    @Test(arguments: InputMatrix.refused.filter { $0.infoExitCode == nil })
    func info_movieThatCannotBeDecoded_isShown(_ input: RefusedInput) async throws {
        let path = try input.url().path
        try await Command.inDirectory { command in
            let result = try await command.run("info", path)
            #expect(result.exitCode == 0 && result.errorLines.isEmpty, "\(result.errors)")
            #expect(!result.output.isEmpty)
        }
    }

    @Test func info_textOutput_showsUnusualProperties() async throws {
        let cases = [
            ("turned-90.mov", "rotated by 90°"), ("anamorphic.mov", "pixels 4:3"), ("h264-10.mp4", "10 bits"),
            ("h264-interlaced.mov", "interlaced, upper field first"), ("h264-full.mp4", "bt709 · full range"),
            ("two-languages.mov", "fra"),
        ]
        for (name, text) in cases {
            let path = try InputMatrix[name].url().path
            try await Command.inDirectory { command in
                let page = try await command.run("info", path).output
                #expect(page.contains(text), "\(page)")
            }
        }
    }
}

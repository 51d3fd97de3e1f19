import Foundation
import TestSupport
import Testing

/// Damage and missing ends of an input: they are reported, refused under `--strict`, and never become facts of the
/// copy.
@Suite(.timeLimit(.minutes(10))) struct ReencodeDamageTests {
    private struct Summary: Decodable {
        struct Damage: Decodable {
            var track: Int
            var isMended: Bool
        }
        var duration: Double
        var damage: [Damage]
        var leftOut: [String]
    }

    private func cut(_ name: String, to part: Double, in command: Command, as copy: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: command.path("work/\(name)")))
        try bytes.prefix(Int(Double(bytes.count) * part)).write(to: URL(fileURLWithPath: command.path("work/\(copy)")))
    }

    /// Returns the report of a re-encoding, and the exit code with `--strict`.
    private func told(_ name: String, _ command: Command, as output: String) async throws -> (Summary, strict: Int32) {
        let words = ["reencode", name, "--overwrite", "--json", "-o", output]
        let result = try await command.run(words + ["--quiet"])
        try #require(result.exitCode == 0, "\(name): \(result.errors)")
        let strict = try await command.run(words + ["--quiet", "--strict"])
        return (try JSONDecoder().decode(Summary.self, from: Data(result.output.utf8)), strict.exitCode)
    }

    @Test func reencode_truncatedFile_isReported() async throws {
        try await Command.inDirectory { command in
            let tone = ["-f", "lavfi", "-i", "sine=d=12"]
            let frames = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=12"]
            try command.ffmpeg(tone + ["-c:a", "libvorbis", command.path("work/a.ogg")])
            try command.ffmpeg(frames + tone + ["-c:v", "ffv1", "-c:a", "pcm_s16le", command.path("work/b.avi")])
            try command.ffmpeg(
                frames + tone + ["-c:v", "libtheora", "-c:a", "libvorbis", command.path("work/c.ogg")])
            for (name, output) in [("a.ogg", "o.m4a"), ("b.avi", "o.mov"), ("c.ogg", "o.mov")] {
                let (whole, strictly) = try await told(name, command, as: output)
                #expect(whole.damage.isEmpty && strictly == 0 && abs(whole.duration - 12) < 0.1, "\(name)")
                try cut(name, to: 0.6, in: command, as: "cut-\(name)")
                let (short, strict) = try await told("cut-\(name)", command, as: output)
                #expect(!short.damage.isEmpty && strict == 65, "\(name): \(short)")
                #expect(short.duration < 11)
                #expect(try abs(command.probe(output).format.seconds - short.duration) < 0.05)
            }
        }
    }

    @Test func reencode_damagedOrMissingOggPage_isReported() async throws {
        try await Command.inDirectory { command in
            let url = URL(fileURLWithPath: command.path("work/a.ogg"))
            try command.ffmpeg(["-f", "lavfi", "-i", "sine=d=20", "-c:a", "libvorbis", url.path])
            let whole = try Data(contentsOf: url)
            let middle = whole.count / 2
            var zeroed = whole
            zeroed.resetBytes(in: middle..<(middle + 512))
            let pages = whole.indices.dropLast(4).filter { whole[$0...].starts(with: Array("OggS".utf8)) }
            try #require(pages.count > 4)
            let place = pages.count - 2
            let missing = whole[..<pages[place]] + whole[pages[place + 1]...]
            for bytes in [zeroed, Data(missing)] {
                try bytes.write(to: url)
                let (summary, strict) = try await told("a.ogg", command, as: "o.m4a")
                #expect(!summary.damage.isEmpty && strict == 65, "\(summary)")
            }
        }
    }

    @Test func reencode_truncatedMovie_hasNoChaptersAfterItsEnd() async throws {
        try await Command.inDirectory { command in
            let chapters = (0..<6).map {
                "[CHAPTER]\nTIMEBASE=1/1\nSTART=\($0 * 4)\nEND=\($0 * 4 + 4)\ntitle=\($0)\n"
            }
            try Data((";FFMETADATA1\n" + chapters.joined()).utf8)
                .write(to: URL(fileURLWithPath: command.path("work/chapters.txt")))
            try command.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=24", "-f", "lavfi", "-i", "sine=d=24", "-i",
                command.path("work/chapters.txt"), "-map", "0", "-map", "1", "-map_chapters", "2", "-c:v", "libx264",
                "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25", "-movflags", "faststart",
                command.path("work/movie.mp4"),
            ])
            try cut("movie.mp4", to: 0.5, in: command, as: "half.mp4")
            let (summary, _) = try await told("half.mp4", command, as: "o.mov")
            let probe = try command.probe("o.mov")
            #expect(summary.duration < 16 && abs(probe.format.seconds - summary.duration) < 0.05)
            let found = try Probe.ask(command.path("work/o.mov"), "chapter=end_time")
            let ends = found.text.split(separator: "\n").compactMap { Double($0) }
            #expect(!ends.isEmpty && ends.count < 5 && ends.allSatisfy { $0 <= summary.duration + 0.0005 }, "\(ends)")
        }
    }

    @Test func reencode_wrongOrMissingLength_usesTheMedia() async throws {
        try await Command.inDirectory { command in
            for name in ["lying-length.mp4", "no-count.flac"] {
                let movie = try InputMatrix[name].url().path
                let (summary, _) = try await told(movie, command, as: name.hasSuffix("flac") ? "o.m4a" : "o.mov")
                #expect(abs(summary.duration - 1) < 0.15, "\(name): \(summary.duration)")
            }
        }
    }

    @Test func reencode_duplicateTimestamps_areCorrectedAndReported() async throws {
        try await Command.inDirectory { command in
            let movie = try InputMatrix["ac3-doubled.ts"].url().path
            let (summary, strict) = try await told(movie, command, as: "o.mov")
            #expect(summary.damage.map(\.isMended) == [true] && strict == 0)
            #expect(try abs(command.probe("o.mov").format.seconds - 4) < 0.1)
        }
    }

    @Test func reencode_encryptedMovie_isRefused() async throws {
        try await Command.inDirectory { command in
            let encrypted = try #require(InputMatrix.refused.first(where: { $0.name == "encrypted.mp4" })).url().path
            for words in [[], ["--codec", "passthrough"], ["--no-video"], ["--no-audio"]] {
                let result = try await command.run(["reencode", encrypted, "-o", "o.mov", "--quiet"] + words)
                #expect(result.exitCode == 65 && result.errors.contains("encrypted"), "\(words): \(result.errors)")
                #expect(!command.files(in: "work").contains("o.mov"))
            }
        }
    }

    @Test func reencode_titleOption_replacesEveryTitleKey() async throws {
        try await Command.inDirectory { command in
            try command.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags",
                "use_metadata_tags", "-metadata", "com.apple.quicktime.title=old", "-metadata", "title=older",
                "-metadata", "com.apple.quicktime.creationdate=2026-11-22T10:00:00+0100", "-metadata",
                "creation_time=2026-11-22T09:00:00Z", command.path("work/movie.mov"),
            ])
            try await command.reencode("movie.mov", "-o", "o.mov", "--metadata", "title=new")
            let found = try Probe.ask(command.path("work/o.mov"), "format_tags", as: "default=nw=1")
            #expect(!found.text.contains("old") && found.text.contains("title=new"), "\(found.text)")
            #expect(found.text.contains("2026-11-22T10:00:00+0100"), "\(found.text)")
        }
    }
}

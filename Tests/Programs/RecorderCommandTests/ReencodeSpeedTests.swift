import Foundation
import TestSupport
import Testing

/// `recorder reencode --speed`: frames faster, without audio.
@Suite(.timeLimit(.minutes(10))) struct ReencodeSpeedTests {
    @Test func reencode_speed_showsTheFramesFasterWithoutAudio() async throws {
        try await Command.inDirectory { command in
            try command.movie(seconds: 6)
            try await command.reencode("movie.mov", "-o", "fast.mov", "--speed", "6x")
            let fast = try command.probe("fast.mov")
            #expect(abs(fast.format.seconds - 1) < 0.05 && fast.audio == nil)
            #expect(abs((fast.video?.frames ?? 0) - 25) <= 1)
            let reported = try await command.run("reencode", "movie.mov", "-o", "other.mov", "--speed", "6")
            #expect(reported.exitCode == 0 && reported.errors.contains("the audio"), "\(reported.errors)")
        }
    }

    @Test func reencode_speedOfARange_usesTheTimesOfTheMovie() async throws {
        try await Command.inDirectory { command in
            try command.movie(seconds: 6, hasAudio: false)
            try await command.reencode(
                "movie.mov", "-o", "part.mov", "--speed", "4x", "--from", "1s", "--to", "5s", "--frame-rate", "10")
            let part = try command.probe("part.mov")
            #expect(abs(part.format.seconds - 1) < 0.11 && abs((part.video?.frames ?? 0) - 10) <= 1)
        }
    }

    @Test func reencode_speedOfSeveralMovies_joinsThem() async throws {
        try await Command.inDirectory { command in
            try command.movie("a.mov", seconds: 4)
            try command.movie("b.mov", seconds: 4)
            try await command.reencode("a.mov", "b.mov", "-o", "both.mov", "--speed", "8x")
            #expect(abs(try command.probe("both.mov").format.seconds - 1) < 0.05)
        }
    }

    @Test(arguments: [
        (["--codec", "passthrough"], "--speed"), (["--no-video"], "--no-video"), (["--chunks", "2"], "--chunks"),
        (["--tracks", "video"], "--tracks"), (["--volume", "3dB"], "--volume"),
    ])
    func reencode_speedAndAnOptionThatContradicts_isRefused(options: [String], expected: String) async throws {
        try await Command.inDirectory { command in
            let result = try await command.run(["reencode", "movie.mov", "--speed", "60x"] + options)
            #expect(result.exitCode != 0 && result.errors.contains(expected), "\(result.errors)")
        }
    }

    @Test(arguments: ["1x", "0", "fast", "-2x", "60xx"])
    func reencode_invalidSpeed_isRefused(speed: String) async throws {
        try await Command.inDirectory { command in
            let result = try await command.run(["reencode", "movie.mov", "--speed=\(speed)"])
            #expect(result.exitCode != 0 && result.errors.contains("60x"), "\(result.errors)")
        }
    }
}

import Foundation
import MovieCommands
import TestSupport
import Testing

/// `recorder verify` on movies whose track has two sample descriptions.
@Suite(.timeLimit(.minutes(10))) struct SeveralDescriptionsTests {
    /// Makes a broadcast stream whose two seconds use different entropy coding.
    private func source(_ command: Command) throws -> String {
        var joined = Data()
        for (options, start) in [("cabac=1", "0"), ("cabac=0", "1")] {
            let half = try MadeFile.of(
                [
                    "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=1", "-c:v",
                    "libx264", "-bf", "0", "-g", "25", "-pix_fmt", "yuv420p", "-x264-params", options + ":weightp=0",
                    "-output_ts_offset", start,
                ], ending: "ts")
            joined += try Data(contentsOf: half)
        }
        let path = command.path("work/two.ts")
        try joined.write(to: URL(fileURLWithPath: path))
        return path
    }

    private func number(_ bytes: Data, at place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Gives the last run of chunks of the only track another sample description.
    private func setLastDescription(_ description: UInt8, of path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let table = try #require(bytes.range(of: Data("stsc".utf8), options: .backwards)).upperBound
        let place = table + 8 + (number(bytes, at: table + 4) - 1) * 12 + 8
        #expect(number(bytes, at: place) == 2)
        bytes[place + 3] = description
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func copy(_ command: Command) async throws -> String {
        let result = try await command.run(
            "reencode", try source(command), "-o", "two.mov", "--codec", "passthrough", "--quiet")
        #expect(result.exitCode == 0, "\(result.errors)")
        return command.path("work/two.mov")
    }

    @Test func verify_copyWithTwoDescriptions_isTheSameMovie() async throws {
        try await Command.inDirectory { command in
            _ = try await copy(command)
            let result = try await command.run("verify", "two.mov", "--against", "two.ts")
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            #expect(
                result.output.contains("50 frames") && result.output.contains("the same movie"), "\(result.output)")
        }
    }

    @Test func verify_samplesWithTheOtherDescription_isNotTheSameMovie() async throws {
        try await Command.inDirectory { command in
            try setLastDescription(1, of: try await copy(command))
            let result = try await command.run("verify", "two.mov", "--against", "two.ts")
            #expect(result.exitCode == 65, "\(result.output)\(result.errors)")
            #expect(!result.output.contains("the same movie"), "\(result.output)")
        }
    }

    @Test func verify_sampleDescriptionOutOfRange_isDamaged() async throws {
        try await Command.inDirectory { command in
            try setLastDescription(3, of: try await copy(command))
            let result = try await command.run("verify", "two.mov", "--json")
            #expect(result.exitCode == 65, "\(result.output)\(result.errors)")
            #expect(result.output.contains("refers to sample description 3 of 2"), "\(result.output)")
            #expect(result.output.contains("a sample refers to description 3, but the track has 2"), "\(result.output)")
            let read = try await command.run("reencode", "two.mov", "-o", "read.mov", "--quiet", "--json")
            #expect(read.exitCode == 0, "\(read.errors)")
            #expect(read.output.contains("a sample refers to description 3"), "\(read.output)")
        }
    }
}

import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// Joins of movies whose video is shown in different ways.
@Suite struct JoinedVideoTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func make(_ name: String, filter: String = "null", _ arguments: [String] = []) throws -> URL {
        let url = directory.file(name)
        let made = try TestSupport.Command.run(
            [
                "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.2", "-vf", filter,
                "-c:v", "libx264", "-pix_fmt", "yuv420p",
            ] + arguments + [url.path])
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    private func leftOut(_ inputs: [URL], isCopied: Bool = false) async throws -> [String] {
        var request = ReencodeRequest(inputs: inputs)
        if isCopied { request.preset = .passthrough }
        return try await Reencoder(request).leftOut
    }

    /// A copy that players rotate clockwise.
    private func rotated(_ source: URL) async throws -> URL {
        var request = ReencodeRequest(inputs: [source])
        request.output = directory.file("rotated.mov")
        request.preset = .passthrough
        request.quarterTurns = 1
        _ = try await Reencoder(request).run()
        return directory.file("rotated.mov")
    }

    @Test(arguments: [false, true]) func join_otherRotation_isRefused(isCopied: Bool) async throws {
        let plain = try make("plain.mov")
        let rotated = try await rotated(plain)
        for inputs in [[plain, rotated], [rotated, plain]] {
            let failure = await #expect(throws: RecordingFailure.self) { try await leftOut(inputs, isCopied: isCopied) }
            #expect(failure?.stage == .usage && failure?.error.code == .invalidSettings)
            #expect(failure?.error.wayOut.contains("rotated.mov with --crop 48x64+0+0") == true)
        }
        #expect(try await leftOut([rotated, rotated], isCopied: isCopied).isEmpty)
        #expect(try await !RangeClip.joinsWithoutLoss([plain, rotated]))
    }

    @Test func join_otherPixelAspect_isReportedOrRefused() async throws {
        let (plain, wide) = (try make("plain.mov"), try make("wide.mov", filter: "setsar=16/11"))
        #expect(
            try await leftOut([wide, plain]) == [
                "the pixel aspect ratio of plain.mov, 1:1: its frames are shown with 16:11, like those of wide.mov"
            ])
        let failure = await #expect(throws: RecordingFailure.self) { try await leftOut([plain, wide], isCopied: true) }
        #expect(failure?.stage == .usage)
        #expect(try await leftOut([wide, wide]).isEmpty)
    }

    @Test func join_otherFieldOrder_isReported() async throws {
        let upper = try make("upper.mov", filter: "setfield=tff", ["-flags", "+ildct+ilme", "-x264-params", "tff=1"])
        let lower = try make("lower.mov", filter: "setfield=bff", ["-flags", "+ildct+ilme", "-x264-params", "bff=1"])
        let plain = try make("plain.mov")
        for (inputs, name) in [([upper, lower], "lower"), ([lower, upper], "upper"), ([plain, upper], "upper")] {
            let lines = try await leftOut(inputs)
            #expect(lines.count == 1 && lines[0].hasPrefix("the field order of \(name).mov: "), "\(lines)")
        }
        #expect(try await leftOut([upper, upper]).isEmpty)
    }
}

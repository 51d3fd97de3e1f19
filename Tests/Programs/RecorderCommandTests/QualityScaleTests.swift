import Foundation
import TestSupport
import Testing

/// `--quality` means the same in every codec. `scripts/calibrate-quality check` tests complete movies and more levels.
@Suite(.timeLimit(.minutes(10))) struct QualityScaleTests {
    private static func movie(_ name: String) -> String { Project.path("Tests/Movies/\(name)") }

    @Test(arguments: ["bottle-detection.mp4", "car-detection.mp4"], [20, 60, 90])
    func quality_sameLevel_isAsSimilarInEveryCodec(_ movie: String, _ level: Int) async throws {
        try await Command.inDirectory { command in
            // Only frames that were not made for the codecs show this.
            try command.ffmpeg([
                "-ss", "8", "-i", Self.movie(movie), "-t", "2", "-an", "-c:v", "libx264", "-qp",
                "0", "-preset", "ultrafast", command.path("work/movie.mov"),
            ])
            var found: [String: Double] = [:]
            for codec in ["h264", "hevc", "av1"] {
                let name = "\(codec).mov"
                try await command.reencode("movie.mov", "-o", name, "--codec", codec, "--quality", "\(level)")
                found[codec] = try likeness(command.path("work/\(name)"), command.path("work/movie.mov"))
            }
            let (least, most) = (try #require(found.values.min()), try #require(found.values.max()))
            #expect(most - least <= 0.01 && least > 0.9, "\(found)")
        }
    }

    @Test func quality_higherLevel_isMoreSimilar() async throws {
        try await Command.inDirectory { command in
            try command.ffmpeg([
                "-ss", "8", "-i", Self.movie("car-detection.mp4"), "-t", "1", "-an", "-c:v",
                "libx264", "-qp", "0", "-preset", "ultrafast", command.path("work/movie.mov"),
            ])
            for codec in ["h264", "hevc", "av1", "prores"] {
                var found: [Double] = []
                for level in codec == "prores" ? [60, 80, 90, 100] : [0, 45, 70, 100] {
                    let name = "\(codec)\(level).mov"
                    try await command.reencode("movie.mov", "-o", name, "--codec", codec, "--quality", "\(level)")
                    found.append(try likeness(command.path("work/\(name)"), command.path("work/movie.mov")))
                }
                #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "\(codec): \(found)")
            }
        }
    }

    private func likeness(_ copy: String, _ movie: String) throws -> Double {
        let result = try TestSupport.Command.run(
            "ffmpeg", "-nostdin", "-hide_banner", "-i", copy, "-i", movie, "-lavfi",
            "[0:v]format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]ssim", "-f", "null", "-")
        let found = try #require(result.errors.firstMatch(of: /SSIM .*All:([0-9.]+)/), "\(result.errors)")
        return try #require(Double(found.1))
    }
}

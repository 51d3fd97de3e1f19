import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

/// A copy made by an `ExportSession`, and reports of other programs on it.
struct ExportedCopy {
    let source: URL
    let url: URL
    let session: ExportSession

    /// - Parameter complaint: part of an FFmpeg complaint to ignore.
    /// - Throws: the error of the export. The copy must decode without another complaint.
    init(
        of asset: Asset, in directory: TemporaryDirectory, preset: ExportPreset = .highQuality, as type: String = "mov",
        tolerating complaint: String? = nil,
        configure: (inout ExportSession.Configuration) -> Void = { _ in }
    ) async throws {
        source = asset.url ?? directory.url
        url = directory.file("copy-\(UUID().uuidString).\(type)")
        session = try ExportSession(asset: asset, preset: preset)
        try session.configure(configure)
        try await session.export(to: url)
        let decoded = try Command.run("ffmpeg", "-v", "error", "-xerror", "-i", url.path, "-f", "null", "-")
        let complaints = decoded.errors.split(separator: "\n").filter { line in
            !(complaint.map { line.contains($0) } ?? false)
        }
        #expect(decoded.status == 0 && complaints.isEmpty, "\(decoded.errors)")
    }

    init(
        of source: URL, in directory: TemporaryDirectory, preset: ExportPreset = .highQuality, as type: String = "mov",
        tolerating complaint: String? = nil,
        configure: (inout ExportSession.Configuration) -> Void = { _ in }
    ) async throws {
        try await self.init(
            of: Asset(url: source), in: directory, preset: preset, as: type, tolerating: complaint,
            configure: configure)
    }

    /// ffprobe's values for a stream's properties, such as "pix_fmt" or "stream_side_data=rotation"; tags as
    /// "TAG:language".
    static func facts(_ url: URL, _ stream: String, _ entries: String) throws -> [String: String] {
        let text = try Probe.ask(url.path, entries, of: stream, as: "default=nw=1").text
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Starts and titles of the chapters, as ffprobe reads them.
    static func chapters(_ url: URL) throws -> [String] {
        struct Answer: Decodable {
            struct Chapter: Decodable {
                var startTime: String
                var tags: [String: String]?
            }
            var chapters: [Chapter]
        }
        let result = try Probe.ask(url.path, as: "json", options: ["-show_chapters"])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Answer.self, from: result.output).chapters.map { chapter in
            let start = ((Double(chapter.startTime) ?? -1) * 100).rounded() / 100
            return "\(start) \(chapter.tags?["title"] ?? "")"
        }
    }

    /// The similarity of the copy and its source as players show them, in decibels. 30 and more means the same image;
    /// an image that is turned, moved or has a wrong color is below 25.
    func likeness(sourceFilter: String = "null", size: String? = nil) throws -> Double {
        let scale = size.map { "scale=\($0)," } ?? ""
        let result = try Command.run(
            "ffmpeg", "-v", "info", "-i", url.path, "-i", source.path, "-lavfi",
            "[0:v:0]\(scale)setsar=1,format=yuv420p[a];[1:v:0]\(sourceFilter),\(scale)setsar=1,format=yuv420p[b];"
                + "[a][b]psnr", "-f", "null", "-")
        let average = try #require(
            result.errors.components(separatedBy: "average:").last, "\(result.errors)")
        if average.hasPrefix("inf") { return 100 }
        return try #require(Double(average.prefix { $0.isNumber || $0 == "." }), "\(result.errors)")
    }

    /// The positions of the clicks on the movie's timeline, in audio frames at 48 kHz.
    static func clickPlaces(_ url: URL) throws -> [Int] {
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-i", url.path, "-map", "0:a:0", "-af", "aresample=async=1:first_pts=0", "-ar",
            "48000", "-ac", "1", "-f", "f32le", "-")
        return SyntheticMedia.clickPlaces(
            in: result.output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) })
    }
}

extension ReadingFixture {
    /// Runs ffmpeg on a file of the fixture.
    func remake(_ source: URL, _ name: String, _ arguments: [String], inputs: [String] = []) throws -> URL {
        let url = directory.file(name)
        let made = try Command.run(
            ["ffmpeg", "-v", "error", "-y", "-i", source.path] + inputs.flatMap { ["-i", $0] } + arguments + [url.path])
        try #require(made.status == 0, "\(made.errors)")
        return url
    }

    /// A movie with many properties: upright, with non-square pixels, color tags, a date, a title, a French track,
    /// chapters and a timecode.
    func describedMovie(seconds: Int, _ name: String = "described.mov") throws -> URL {
        let plain = try make(
            "plain.mov", ["testsrc2=s=160x96:r=30000/1001:d=\(seconds),setsar=4/3", "sine=f=440:r=48000:d=\(seconds)"],
            [
                "-vf", ColorTags.filter(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: "tv"), "-c:v",
                "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "15", "-pix_fmt", "yuv420p", "-c:a", "aac",
                "-metadata:s:a", "language=fra", "-timecode", "01:00:00;02",
            ])
        defer { try? FileManager.default.removeItem(at: plain) }
        let chapters = directory.file("chapters.txt")
        try Data(
            """
            ;FFMETADATA1
            title=The walk
            location=+47.3769+008.5417+408/
            creation_time=2020-02-03T04:05:06.000000Z
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=700
            title=Begin
            [CHAPTER]
            TIMEBASE=1/1000
            START=700
            END=1500
            title=Größe, 大
            [CHAPTER]
            TIMEBASE=1/1000
            START=1500
            END=\(seconds * 1000)
            title=End
            """.utf8
        ).write(to: chapters)
        defer { try? FileManager.default.removeItem(at: chapters) }
        let described = try remake(
            plain, name,
            [
                "-map", "0:v", "-map", "0:a", "-map_metadata:g", "1", "-map_chapters", "1", "-c", "copy",
                "-timecode", "01:00:00;02",
            ], inputs: [chapters.path])
        try MovieRotation.set(clockwise: 270, in: described)
        return described
    }
}

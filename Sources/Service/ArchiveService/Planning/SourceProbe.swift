import AssetIO
import MediaTypes
import RecorderStorage

/// The facts about a movie that a plan needs.
package struct SourceProbe: Sendable, Hashable {
    /// The duration in seconds.
    package var duration: Double
    /// Pixels per second; 0 for audio only.
    package var pixelRate: Double

    package init(duration: Double, pixelRate: Double) { (self.duration, self.pixelRate) = (duration, pixelRate) }

    /// The reason why a file is left out of the plan.
    package struct Refusal: Error, Hashable {
        package let reason: String
        package init(_ reason: String) { self.reason = reason }
    }

    /// The extensions of movies. Files with other extensions, such as a hundred thousand photos, are not opened.
    private static let endings: Set = [
        "mov", "mp4", "m4v", "mkv", "webm", "avi", "mts", "m2ts", "ts", "mpg", "mpeg", "mxf", "wmv", "flv", "3gp",
        "ogv",
        "dv", "vob",
    ]

    /// The types of a movie's first atom. A file that begins with anything else is not a truncated movie.
    private static let firstAtoms = ["ftyp", "moov", "mdat", "free", "wide", "skip"]

    private static func unreadable(_ path: RawPath, _ error: MediaError) -> Refusal {
        var head: [UInt8] = []
        if let file = try? HeldFile(path) { head = (try? file.head(8)) ?? [] }
        guard error.code == .corruptData, head.count == 8,
            firstAtoms.contains(String(decoding: head[4...], as: UTF8.self))
        else { return Refusal("it cannot be read as a movie: \(error.reason)") }
        return Refusal(
            "its index is missing or damaged, as in a truncated movie: `recorder repair --output FILE` recovers what is "
                + "left of a recording (\(error.reason))")
    }

    /// Reads the headers of a movie. Blocks until they are read.
    package static func look(at path: RawPath) throws(Refusal) -> SourceProbe {
        let name = path.name
        let ending = name.lastIndex(of: UInt8(ascii: ".")).map {
            String(decoding: name[($0 + 1)...], as: UTF8.self).lowercased()
        }
        guard let ending, endings.contains(ending) else { throw Refusal("its name does not have a movie's extension") }
        guard OutputLocation.finalPath(of: String(decoding: path.bytes, as: UTF8.self)) == nil else {
            throw Refusal("it is being recorded, or a crash left it unfinished: `recorder repair` then finalizes it")
        }
        let summary: MovieSummary
        do throws(MediaError) {
            let borrowed = try BorrowedPath(path)
            summary = try withExtendedLifetime(borrowed) { () throws(MediaError) in
                try MovieSummary(contentsOf: borrowed.url)
            }
        } catch { throw unreadable(path, error) }
        guard summary.health == .whole || summary.health == .unknown else {
            throw Refusal("it is unfinished: `recorder repair` finalizes it")
        }
        let duration = summary.duration ?? 0
        guard let video = summary.tracks.first(where: { $0.type == "video" }) else {
            throw Refusal("it has no video")
        }
        guard duration > 0 else { throw Refusal("its duration is unknown") }
        let pixels = Double(video.width ?? 0) * Double(video.height ?? 0)
        return SourceProbe(duration: duration, pixelRate: pixels * (video.frameRate ?? 25))
    }
}

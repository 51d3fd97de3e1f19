import AssetIO
import FileSystem
import Foundation
import MediaTypes
import RecorderStorage

extension IndexedRecording.Info {
    /// The maximum numbers of marks and pauses that are kept per recording.
    private static let (mostMarks, mostPauses) = (500, 500)

    /// Reads a movie; blocks while reading. Damage is stored as a problem and never thrown.
    ///
    /// - Parameter isGrowing: True if the movie is being written. Then an unfinished movie is not a problem.
    init(reading path: String, isGrowing: Bool) {
        let summary: MovieSummary
        do throws(MediaError) { summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path)) } catch {
            // A movie that has just begun contains little yet.
            if !isGrowing || error.code != .corruptData { problem = Self.withoutDirectory(error.description, path) }
            return
        }
        let account = FinishedRecording.Account(summary)
        // To align recordings on the timeline, the start must be more precise than the full seconds of a date.
        begin = (summary.clock?.wallStart ?? account?.started).flatMap { PlausibleTime.isTime($0) ? $0 : nil }
        pauses = (summary.clock?.pauses ?? []).prefix(Self.mostPauses)
            .filter { PlausibleTime.isLength($0.time) && PlausibleTime.isLength($0.duration) }
            .sorted { $0.time < $1.time }
        duration = summary.duration.flatMap { PlausibleTime.isLength($0) ? $0 : nil }
        let frame = summary.tracks.first { $0.type == "video" }
        (width, height) = (frame?.width, frame?.height)
        codec = frame?.codec
        hasVideo = frame != nil
        hasAudio = summary.tracks.contains { $0.type == "audio" }
        // In a movie with marks, the recorder also adds a chapter for the beginning.
        let chapters = summary.chapters.drop { $0.start == 0 && $0.title == "Start" }
        marks = chapters.prefix(Self.mostMarks).map {
            .init(time: $0.start.isFinite ? $0.start : 0, title: String(($0.title ?? "").prefix(256)))
        }
        ledger = summary.ledger.map { ledger in
            ledger.sorted { $0.key > $1.key }.map { track, ledger in
                var dropped: [String: Int64] = [:]
                for cause in DropCause.allCases where cause.isDrop && ledger[dropped: cause] > 0 {
                    dropped[cause.rawValue] = ledger[dropped: cause]
                }
                let repeated = ledger[dropped: .repeated]
                return .init(
                    track: track, captured: ledger.captured, written: ledger.written, dropped: dropped,
                    paused: ledger[dropped: .paused], repeated: repeated > 0 ? repeated : nil)
            }
        }
        if summary.metadata[MetadataItem.softwareKey]?.hasPrefix("recorder ") == true {
            recorder = summary.metadata[MetadataItem.titleKey].flatMap { try? RecordingName(parsing: $0).description }
        }
        guard !isGrowing else { return }
        switch summary.health {
        case .unfinished: problem = "it is unfinished; `recorder repair` finalizes it"
        case .torn: problem = "it ends in the middle of a fragment; `recorder repair` finalizes it"
        case .whole, .unknown: break
        }
    }

    /// Removes directories from a text, because remote clients must not learn where files are stored.
    static func withoutDirectory(_ text: String, _ path: String) -> String {
        let directory = path.parentDirectory
        return text.replacing(directory == "/" ? "/" : directory + "/", with: "")
    }
}

/// Limits for times shown to users.
enum PlausibleTime {
    /// The plausible times in seconds since 1970: to the end of the year 9999. A clock that was never set, or was set
    /// wrong, may be outside this range.
    static let range = 0.0...253_402_300_799

    /// The maximum duration of a recording in seconds, about thirty years.
    static let longest = 1e9

    static func isLength(_ seconds: Double) -> Bool { (0...longest).contains(seconds) }
    static func isTime(_ seconds: Double) -> Bool { seconds.isFinite && range.contains(seconds) }
    static func clamped(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(seconds, range.lowerBound), range.upperBound)
    }
}

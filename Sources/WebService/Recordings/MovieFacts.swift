import AssetIO
import Foundation
import MediaTypes
import RecorderService

extension IndexedRecording.Facts {
    /// Marks and pauses of one recording that are kept.
    private static let (mostMarks, mostPauses) = (500, 500)

    /// Reads a movie. Blocks while it does. What is damaged has a problem, and fails nothing.
    ///
    /// - Parameter isGrowing: then a movie that is not whole is none of its problems.
    init(reading path: String, isGrowing: Bool) {
        let summary: MovieSummary
        do throws(MediaError) { summary = try MovieSummary(contentsOf: URL(fileURLWithPath: path)) } catch {
            // Of one that was just begun there is not much yet.
            if !isGrowing || error.code != .corruptData { problem = Self.withoutDirectory(error.description, path) }
            return
        }
        let account = FinishedRecording.Account(summary)
        // Whatever is placed beside others needs more than the whole seconds of a date.
        begin = (summary.clock?.wallStart ?? account?.started).flatMap { PlausibleTime.isTime($0) ? $0 : nil }
        pauses = (summary.clock?.pauses ?? []).prefix(Self.mostPauses)
            .filter { PlausibleTime.isLength($0.time) && PlausibleTime.isLength($0.duration) }
            .sorted { $0.time < $1.time }
        duration = summary.duration.flatMap { PlausibleTime.isLength($0) ? $0 : nil }
        let picture = summary.tracks.first { $0.type == "video" }
        (width, height) = (picture?.width, picture?.height)
        hasPicture = picture != nil
        hasSound = summary.tracks.contains { $0.type == "audio" }
        // Where there are marks, the recorder has named the beginning too.
        let chapters = summary.chapters.drop { $0.start == 0 && $0.title == "Start" }
        marks = chapters.prefix(Self.mostMarks).map {
            .init(time: $0.start.isFinite ? $0.start : 0, title: String(($0.title ?? "").prefix(256)))
        }
        ledger = summary.ledger.map { ledger in
            ledger.sorted { $0.key > $1.key }.map { track, ledger in
                var dropped: [String: Int64] = [:]
                for cause in DropCause.allCases where cause != .paused && ledger[dropped: cause] > 0 {
                    dropped[cause.rawValue] = ledger[dropped: cause]
                }
                return .init(
                    track: track, captured: ledger.captured, written: ledger.written, dropped: dropped,
                    paused: ledger[dropped: .paused])
            }
        }
        if summary.metadata[MetadataItem.softwareKey]?.hasPrefix("recorder ") == true {
            recorder = summary.metadata[MetadataItem.titleKey].flatMap { try? RecordingName(parsing: $0).description }
        }
        guard !isGrowing else { return }
        switch summary.health {
        case .unfinished: problem = "it was not finished; `recorder repair` makes it whole"
        case .torn: problem = "it ends in the middle of a fragment; `recorder repair` makes it whole"
        case .whole, .unknown: break
        }
    }

    /// Where files lie on the machine is nobody's business who looks from elsewhere.
    static func withoutDirectory(_ text: String, _ path: String) -> String {
        let directory = (path as NSString).deletingLastPathComponent
        return text.replacing(directory == "/" ? "/" : directory + "/", with: "")
    }
}

/// Which times an interface for people tells.
enum PlausibleTime {
    /// From 1970 to the end of the year 9999: a clock that was never set, or was set wrong, gives others.
    static let range = 0.0...253_402_300_799

    /// Longer than thirty years nothing was recorded.
    static let longest = 1e9

    static func isLength(_ seconds: Double) -> Bool { (0...longest).contains(seconds) }
    static func isTime(_ seconds: Double) -> Bool { seconds.isFinite && range.contains(seconds) }
    static func clamped(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(seconds, range.lowerBound), range.upperBound)
    }
}

public import Foundation
public import MediaTypes
import MovieFile

/// Makes whole what a crash or a power cut left in fragments, with the same code that finishes every recording.
public enum MovieRepair {
    /// Turns `NAME.recording.EXTENSION` into the ordinary movie `NAME.EXTENSION`, or `NAME-2.EXTENSION` where that is taken.
    /// The media is not copied; everything up to the last whole sample is kept. A movie that is whole already is left as it
    /// is.
    ///
    /// Blocks while it reads the recording's index: a moment for an hour of it. A crash in the middle costs nothing; repair
    /// again.
    ///
    /// - Parameter leavesNameFree: the movie gets a number even where its own name is free: somebody is about to take that.
    /// - Throws: `notFound`, `notPermitted`; `busy` while it is still being recorded; `corruptData` for a file that is no
    ///   recording of this library or ended before its first sample, and stays as it is; the disk's error.
    public static func repair(_ url: URL, leavesNameFree: Bool = false) throws(MediaError) -> RepairReport {
        let source = url.relativePath
        let result = try MovieFile.MovieRepair.repair(path: source, leavesNameFree: leavesNameFree)
        let summary = result.report
        // What kind each track is, its own header says best.
        let kinds = (try? MovieSummary(contentsOf: URL(fileURLWithPath: result.path)))?.tracks ?? []
        let tracks = summary.sampleCounts.sorted { $0.key < $1.key }.map { id, kept in
            RepairReport.Track(
                id: Int(id), type: kinds.first { $0.id == Int(id) }?.type ?? "unknown", kept: kept,
                lost: summary.lostSamples[id] ?? 0)
        }
        return RepairReport(
            source: source, file: result.path, outcome: result.hadNothingToDo ? .whole : .repaired,
            duration: summary.duration?.seconds, wasTorn: summary.wasTorn,
            abandonedBytes: Int64(clamping: summary.abandonedBytes), tracks: tracks,
            note: result.finalNameWasTaken ? "its own name is taken, so it got a number" : nil)
    }
}

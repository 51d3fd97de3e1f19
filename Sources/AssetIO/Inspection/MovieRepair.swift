import Demuxing
public import Foundation
public import MediaTypes
import MovieFile

/// Makes whole what a crash or a power cut left in fragments, with the same code that finishes every recording.
public enum MovieRepair {
    /// Turns `NAME.recording.EXTENSION` into the ordinary movie `NAME.EXTENSION`, or `NAME-2.EXTENSION` where that is taken.
    /// The media is not copied. Everything that is there is kept: behind a damaged place the next fragment is searched for,
    /// and what is missing becomes a gap. A movie that is whole already is left as it is.
    ///
    /// Blocks while it reads the recording's index: a moment for an hour of it. A crash in the middle costs nothing; repair
    /// again.
    ///
    /// - Parameter leavesNameFree: the movie gets a number even where its own name is free: somebody is about to take that.
    /// - Throws: `notFound`, `notPermitted`; `busy` while it is still being recorded; `corruptData` for a file that is no
    ///   recording of this library or ended before its first sample, and stays as it is; the disk's error.
    public static func repair(_ url: URL, leavesNameFree: Bool = false) throws(MediaError) -> RepairReport {
        report(try RecordingRepair.repair(path: url.relativePath, leavesNameFree: leavesNameFree), of: url)
    }

    /// Writes a file in fragments anew as an ordinary movie, its header first: a recording, also one that lost its beginning
    /// or of which only a part was copied, or what another program left in fragments. The source is only read.
    ///
    /// Blocks while it copies the media.
    ///
    /// - Throws: `notFound`, `notPermitted`, `outputExists`; `corruptData` for a file without fragments, `invalidSettings`
    ///   for a movie that is whole; the disk's error.
    public static func repair(_ url: URL, into other: URL) throws(MediaError) -> RepairReport {
        report(try RecordingRepair.repair(path: url.relativePath, into: other.relativePath), of: url)
    }

    private static func report(_ result: RecordingRepair.Result, of url: URL) -> RepairReport {
        let source = url.relativePath
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
            abandonedBytes: Int64(clamping: summary.abandonedBytes), wasDamaged: summary.isDamaged,
            missing: summary.gaps, tracks: tracks,
            note: result.finalNameWasTaken ? "its own name is taken, so it got a number" : nil)
    }
}

extension MovieSummary {
    /// Reads a movie file's summary. Blocks while it reads the headers.
    ///
    /// - Throws: `notFound`, `notPermitted`, or `corruptData` for what is no movie.
    public init(contentsOf url: URL) throws(MediaError) { self = try MovieInspector.summary(ofFileAt: url.path) }
}

import Demuxing
public import Foundation
public import MediaTypes
import MovieFile

/// Repairs recordings left in fragments by a crash or power loss, with the same code that finalizes every recording.
public enum MovieRepair {
    /// Repairs `NAME.recording.EXTENSION` and renames it to `NAME.EXTENSION`, or `NAME-2.EXTENSION` if that name
    /// exists. The media is not copied. All readable media is kept: after a damaged place the search continues at the
    /// next fragment, and missing media becomes a gap. A movie that is finalized already is not changed.
    ///
    /// Blocks while it reads the recording's index, which takes a moment for an hour of media. A crash during the
    /// repair loses nothing; repair again.
    ///
    /// - Parameter leavesNameFree: true if the movie gets a number even if its own name is free, because another file
    ///   is about to get that name.
    /// - Throws: `notFound`, `notPermitted`; `busy` while the file is still being recorded. `corruptData` if the file
    ///   is not a recording of this library or has no sample; the file is then not changed. The disk's error.
    public static func repair(_ url: URL, leavesNameFree: Bool = false) throws(MediaError) -> RepairReport {
        report(try RecordingRepair.repair(path: url.relativePath, leavesNameFree: leavesNameFree), of: url)
    }

    /// Writes a file that consists of fragments to another file, as an ordinary movie with its header first. The source
    /// may be a recording, even one that lost its beginning, or a partial copy of a recording. It may also be a file of
    /// fragments that another program wrote. The source is not changed.
    ///
    /// Blocks while it copies the media.
    ///
    /// - Throws: `notFound`, `notPermitted`, `outputExists`; `corruptData` for a file without fragments;
    ///   `invalidSettings` for a movie that is finalized; the disk's error.
    public static func repair(_ url: URL, into other: URL) throws(MediaError) -> RepairReport {
        report(try RecordingRepair.repair(path: url.relativePath, into: other.relativePath), of: url)
    }

    private static func report(_ result: RecordingRepair.Result, of url: URL) -> RepairReport {
        let source = url.relativePath
        let summary = result.report
        // The track's own header is the best source for its type. A track of which nothing was kept is only in the
        // source.
        var kinds = (try? MovieSummary(contentsOf: URL(fileURLWithPath: result.path)))?.tracks ?? []
        if summary.sampleCounts.keys.contains(where: { id in !kinds.contains { $0.id == Int(id) } }) {
            kinds += (try? MovieSummary(contentsOf: url))?.tracks ?? []
        }
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
            note: result.finalNameWasTaken ? "a file with its final name exists, so a number was added" : nil)
    }
}

extension MovieSummary {
    /// Reads a movie file's summary. Blocks while it reads the headers.
    ///
    /// - Throws: `notFound`, `notPermitted`, or `corruptData` for a file that is not a movie.
    public init(contentsOf url: URL) throws(MediaError) { self = try MovieInspector.summary(ofFileAt: url.path) }
}

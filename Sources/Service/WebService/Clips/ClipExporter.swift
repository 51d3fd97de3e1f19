import AssetIO
import CommandInterface
import Foundation
import MediaTypes
import MovieCommands
import RealTime

/// Exports one clip without re-encoding, like `recorder reencode --codec passthrough`.
final class ClipExporter: Sendable {
    private let session = Locked<(session: ExportSession?, isCancelled: Bool)>((nil, false))
    private let plan: ClipPlan

    init(_ plan: ClipPlan) { self.plan = plan }

    /// The progress from 0 to 1.
    var progress: Double { session.withLock { $0.session?.progress } ?? 0 }

    /// Cancels the export: `make` throws `cancelled` and leaves no file. Never blocks.
    func cancel() {
        session.withLock { state in
            state.isCancelled = true
            return state.session
        }?.cancelExport()
    }

    /// Exports the clip.
    ///
    /// - Parameter output: The path of the new file, which must not exist.
    /// - Returns: The parts that could not be included.
    /// - Throws: The reason why the clip cannot be made, without directories.
    func make(_ output: String) async throws(MediaError) -> [String] {
        let parts = plan.parts
        // The files stay open until the clip is made. The export therefore uses exactly these files, even if they are
        // renamed during the export.
        let files = try await DiskCall.run { () throws(MediaError) in
            var files: [OpenRecordingFile] = []
            for part in parts { files.append(try OpenRecordingFile(part.recording)) }
            return files
        }
        defer { withExtendedLifetime(files) {} }
        do throws(RecordingFailure) {
            var request = ReencodeRequest(inputs: files.map { URL(fileURLWithPath: $0.path) })
            request.output = URL(fileURLWithPath: output)
            request.preset = .passthrough
            do throws(MediaError) { request.timeRange = try await range(request.inputs) } catch {
                throw RecordingFailure(.input, error)
            }
            let reencoder = try await Reencoder(request)
            let isCancelled = session.withLock { state in
                state.session = reencoder.session
                return state.isCancelled
            }
            if isCancelled { reencoder.session.cancelExport() }
            let summary = try await reencoder.run()
            return (summary.leftOut + summary.damage.map(\.text)).map { plain($0, files) }
        } catch {
            let cause = error.error
            throw MediaError(
                cause.code, "cannot export the clip", reason: plain(cause.reason, files), underlying: cause.underlying,
                wayOut: plain(cause.wayOut, files))
        }
    }

    /// Returns the clip's range on the timeline of the joined files.
    private func range(_ inputs: [URL]) async throws(MediaError) -> TimeRange {
        guard let first = plan.parts.first, let last = plan.parts.last else {
            return TimeRange(start: .zero, end: .zero)
        }
        var before = 0.0
        for input in inputs.dropLast() { before += try await Asset(url: input).load(.duration).seconds }
        return TimeRange(
            start: MediaTime(seconds: first.range.lowerBound, timescale: 1_000_000),
            end: MediaTime(seconds: before + last.range.upperBound, timescale: 1_000_000))
    }

    /// Replaces the paths of descriptors in a text with the file names that users know, and the command line's name of
    /// the range's end.
    private func plain(_ text: String, _ files: [OpenRecordingFile]) -> String {
        // Replace the longest path first, because a shorter path may be the beginning of a longer one.
        files.sorted { $0.path.count > $1.path.count }.reduce(text) { $0.replacing($1.path, with: $1.name) }
            .replacing("before --to", with: "before the end of the range")
    }
}

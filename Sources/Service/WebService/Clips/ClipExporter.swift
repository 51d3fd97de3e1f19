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

    /// A clip that was made.
    struct Made {
        /// Texts for the user: what the clip lacks, and why.
        var leftOut: [String]
        /// The playing time in seconds.
        let duration: Double
    }

    /// Exports the clip. A recording with a pre-roll usually begins between keyframes, so it cannot follow another one
    /// in a file without encoding. The clip then ends before that recording.
    ///
    /// - Parameter output: The path of the new file, which must not exist.
    /// - Throws: The reason why the clip cannot be made, without directories.
    func make(_ output: String) async throws(MediaError) -> Made {
        let parts = plan.parts
        // The files stay open until the clip is made. The export therefore uses exactly these files, even if they are
        // renamed during the export.
        let files = try await DiskCall.run { () throws(MediaError) in
            var files: [OpenRecordingFile] = []
            for part in parts { files.append(try OpenRecordingFile(part.recording)) }
            return files
        }
        defer { withExtendedLifetime(files) {} }
        do throws(MediaError) { return try await join(plan, files, output) } catch {
            guard error.code == .unsupported, let count = try await joinable(files) else { throw error }
            // Only this call could have created it: it is in a directory that was made for this clip.
            try? FileManager.default.removeItem(atPath: output)
            var made = try await join(plan.prefix(count), Array(files.prefix(count)), output)
            made.leftOut.append(
                "the time from \(files[count].name) on: that file begins between keyframes; export it separately")
            return made
        }
    }

    /// Joins the parts of a plan.
    private func join(
        _ plan: ClipPlan, _ files: [OpenRecordingFile], _ output: String
    ) async throws(MediaError) -> Made {
        do throws(RecordingFailure) {
            var request = ReencodeRequest(inputs: files.map { URL(fileURLWithPath: $0.path) })
            request.output = URL(fileURLWithPath: output)
            request.preset = .passthrough
            do throws(MediaError) { request.timeRange = try await range(plan, request.inputs) } catch {
                throw RecordingFailure(.input, error)
            }
            let reencoder = try await Reencoder(request)
            let isCancelled = session.withLock { state in
                state.session = reencoder.session
                return state.isCancelled
            }
            if isCancelled { reencoder.session.cancelExport() }
            let summary = try await reencoder.run()
            return Made(
                leftOut: (summary.leftOut + summary.damage.map(\.text)).map { plain($0, files) },
                duration: plan.duration)
        } catch {
            let cause = error.error
            throw MediaError(
                cause.code, "cannot export the clip", reason: plain(cause.reason, files), underlying: cause.underlying,
                wayOut: plain(cause.wayOut, files))
        }
    }

    /// Returns the number of files, from the first one on, before a file that begins between keyframes; nil if only the
    /// first file may.
    private func joinable(_ files: [OpenRecordingFile]) async throws(MediaError) -> Int? {
        for (index, file) in files.enumerated().dropFirst() {
            if try await Self.beginsBetweenKeyframes(URL(fileURLWithPath: file.path)) { return index }
        }
        return nil
    }

    /// Returns true if the first frame that a movie shows is not the first frame that it stores.
    private static func beginsBetweenKeyframes(_ movie: URL) async throws(MediaError) -> Bool {
        let asset = Asset(url: movie)
        guard let track = try await asset.load(.tracks).first(where: { $0.mediaType == .video }) else { return false }
        let (reader, packets) = (try AssetReader(asset: asset), try TrackOutput(track: track))
        try reader.add(packets)
        try reader.startReading()
        defer { reader.cancelReading() }
        guard let first = try await packets.next() else { return false }
        return first.presentationTime < .zero
    }

    /// Returns the clip's range on the timeline of the joined files.
    private func range(_ plan: ClipPlan, _ inputs: [URL]) async throws(MediaError) -> TimeRange {
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
        let named = files.sorted { $0.path.count > $1.path.count }.reduce(text) {
            $0.replacing($1.path, with: $1.name).replacing("(\($1.descriptor))", with: "(\($1.name))")
        }
        return PublicWords.withoutPaths(named).replacing("before --to", with: "before the end of the range")
    }
}

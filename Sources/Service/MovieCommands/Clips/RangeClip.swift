import AssetIO
import CommandInterface
package import Foundation
package import MediaTypes

/// Makes a clip of recording files by passthrough. The clip of a signed recording contains the proof of its origin. If
/// the clip would lack anything, it is not made.
package struct RangeClip: Sendable {
    /// The part of one movie that a clip contains. If a clip has several parts, each part except the first begins at
    /// the start of its movie, and each part except the last extends to the end of its movie.
    package struct Part: Sendable {
        package let file: URL
        /// The time range in seconds of the movie.
        package let range: ClosedRange<Double>
        /// True if the part ends with the movie.
        package let isToTheEnd: Bool

        package init(file: URL, range: ClosedRange<Double>, isToTheEnd: Bool) {
            (self.file, self.range, self.isToTheEnd) = (file, range, isToTheEnd)
        }
    }

    private let parts: [Part]
    /// The wall clock time of the beginning.
    private let begin: Date
    /// The tolerated difference in duration, in seconds. Audio can only end at the end of a packet.
    private static let slack = 0.1

    package init(_ parts: [Part], begin: Date) { (self.parts, self.begin) = (parts, begin) }

    /// Returns true if movies can be joined without a loss. Their tracks must fit together, and the timecode must
    /// continue. No movie may be signed, because a signature covers only one file.
    package static func joinsWithoutLoss(_ files: [URL]) async throws(MediaError) -> Bool {
        var request = ReencodeRequest(inputs: files)
        request.preset = .passthrough
        do throws(RecordingFailure) {
            return try await Reencoder(request).leftOut.isEmpty
        } catch {
            if error.error.code == .invalidSettings { return false }
            throw error.error
        }
    }

    /// Makes the clip. Fails if a part is damaged.
    ///
    /// - Parameter output: A path that does not exist. The file is synced.
    /// - Throws: An error if anything would be missing. No file is left then.
    package func make(at output: URL) async throws(MediaError) {
        var request = ReencodeRequest(inputs: parts.map(\.file))
        request.output = output
        request.preset = .passthrough
        request.isStrict = true
        request.timeRange = try await timeRange()
        // The recording's date is the time at which the recording began. The time at which the clip begins replaces it.
        request.metadata = [MetadataItem(key: MetadataItem.creationDateKey, value: TimestampText.text(begin))]
        let summary: ReencodeSummary
        do throws(RecordingFailure) { summary = try await Reencoder(request).run() } catch { throw error.error }
        // Missing drop counts are no loss: they describe the complete recording, so they cannot describe a part of it.
        let lost = summary.leftOut.filter { $0 != ExportLoss.dropCounts } + summary.damage.map(\.text)
        guard lost.isEmpty else {
            _ = try? FileManager.default.removeItem(at: output)
            throw MediaError(
                .unsupported, "cannot make a clip of \(names)", reason: "it would lack \(lost.joined(separator: "; "))")
        }
    }

    /// Checks a clip: decodes all of it, and compares its duration, its tracks and the number of its frames with the
    /// parts.
    ///
    /// - Throws: `corruptData` with the difference; the errors of reading.
    package func verify(_ clip: URL) async throws(MediaError) {
        let check = try await MovieChecker().verify(clip)
        guard check.isIntact else { throw incomplete(check.problems.first?.what ?? check.verdict.rawValue) }
        let asset = Asset(url: clip, prefersPreciseDurationAndTiming: true)
        let (tracks, length) = try await asset.load(.tracks, .duration)
        var (expected, frames) = (0.0, 0)
        for part in parts {
            let source = Asset(url: part.file, prefersPreciseDurationAndTiming: true)
            let (sourceTracks, sourceLength) = try await source.load(.tracks, .duration)
            let end = part.isToTheEnd ? sourceLength.seconds : part.range.upperBound
            expected += max(0, end - part.range.lowerBound)
            frames += try await Self.frames(of: source, sourceTracks, from: part.range.lowerBound, to: end)
            for type in [MediaType.video, .audio] where sourceTracks.contains(where: { $0.mediaType == type }) {
                guard tracks.contains(where: { $0.mediaType == type }) else {
                    throw incomplete("it has no \(type.rawValue) track")
                }
            }
        }
        guard length.seconds >= expected - Self.slack else {
            throw incomplete("it is \(PositionText.place(length.seconds)) long, not \(PositionText.place(expected))")
        }
        let found = try await Self.frames(of: asset, tracks, from: -1, to: .infinity)
        guard found >= frames else { throw incomplete("it has \(found) frames, not \(frames)") }
    }

    // MARK: -

    private var names: String { parts.map(\.file.lastPathComponent).joined(separator: ", ") }

    private func incomplete(_ reason: String) -> MediaError {
        MediaError(.corruptData, "cannot make a complete clip of \(names)", reason: reason)
    }

    /// Returns the clip's range on the timeline of the joined files.
    private func timeRange() async throws(MediaError) -> TimeRange {
        guard let first = parts.first, let last = parts.last else { return TimeRange(start: .zero, end: .zero) }
        var before = 0.0
        for part in parts.dropLast() { before += try await Asset(url: part.file).load(.duration).seconds }
        return TimeRange(
            start: MediaTime(seconds: first.range.lowerBound, timescale: 1_000_000),
            end: last.isToTheEnd
                ? .positiveInfinity : MediaTime(seconds: before + last.range.upperBound, timescale: 1_000_000))
    }

    /// Returns the number of frames of the presented video track that are certainly within a range. A frame at either
    /// boundary does not count: rounding may have moved it.
    private static func frames(
        of asset: Asset, _ tracks: [AssetTrack], from start: Double, to end: Double
    ) async throws(MediaError) -> Int {
        guard let track = tracks.presented(.video) else { return 0 }
        var times = try FrameTimes(asset, track)
        var count = 0
        while let time = try await times.next() {
            guard time.seconds < end - 0.001 else { break }
            if time.seconds > start + 0.001 { count += 1 }
        }
        return count
    }
}

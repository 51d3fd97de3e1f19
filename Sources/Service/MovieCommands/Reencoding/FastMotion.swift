import AssetIO
import CommandInterface
import Foundation
import MediaTypes

/// The input of `recorder reencode --speed`: the frames of the movies, shown faster, without audio.
struct FastMotion {
    let asset: Asset
    /// The request for `asset`, without the speed and the time range, which `asset` applies already.
    let request: ReencodeRequest
    /// Descriptions of what the copy lacks, one line each.
    let leftOut: [String]

    /// The keys of the metadata about times and drops. This metadata is removed, because it describes the movie at its
    /// own speed.
    private static let timed: Set<String> = [
        MetadataItem.clockKey, MetadataItem.ledgerKey, MetadataItem.masksKey, MetadataItem.timeLapseKey,
    ]

    /// Returns the sped-up input of a request; nil if the frames keep their speed.
    static func of(_ request: ReencodeRequest) async throws(RecordingFailure) -> FastMotion? {
        guard let speed = request.speed else { return nil }
        do throws(MediaError) { return try await FastMotion(request, speed: speed) } catch {
            throw RecordingFailure(error.code == .invalidSettings ? .usage : .input, error)
        }
    }

    /// Reads the inputs' headers.
    ///
    /// - Parameter speed: How much faster the frames are shown.
    /// - Throws: `invalidSettings` for inputs without video and for a time range outside of them.
    private init(_ request: ReencodeRequest, speed: Double) async throws(MediaError) {
        let assets = request.inputs.map { Asset(url: $0) }
        var composition = try await Composition.joining(assets)
        var leftOut: [String] = []
        let audio = composition.tracks.filter { $0.mediaType == .audio }
        for track in audio { try composition.removeTrack(track.id) }
        if !audio.isEmpty { leftOut.append("the audio: --speed changes the speed of frames only") }
        if composition.timecode != nil { leftOut.append("the timecode: it counts frames at their own speed") }
        composition.timecode = nil
        composition.metadata.removeAll { Self.timed.contains($0.key) }
        let length = composition.duration
        guard length > .zero, let first = assets.first else {
            throw MediaError(.invalidSettings, "cannot change the speed", reason: "there is no video")
        }
        let range = request.timeRange.intersection(TimeRange(start: .zero, end: length))
        guard !range.isEmpty else {
            throw MediaError(
                .invalidSettings, "cannot change the speed", reason: "nothing is left between --from and --to")
        }
        // The later part is removed first, so that the range keeps its position.
        if range.end < length { try composition.removeTimeRange(TimeRange(start: range.end, end: length)) }
        if range.start > .zero { try composition.removeTimeRange(TimeRange(start: .zero, end: range.start)) }
        let whole = TimeRange(start: .zero, duration: range.duration)
        let nanoseconds = (Double(range.duration.nanoseconds) / speed).rounded()
        try composition.scaleTimeRange(whole, to: MediaTime(nanoseconds: max(1, Int64(clamping: nanoseconds))))
        asset = Asset(composition)
        var changed = request
        changed.timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        changed.speed = nil
        changed.audio = .none
        // At sixty times the speed, a camera's 30 frames per second would be 1800.
        let rate = try await first.load(.tracks).presented(.video)?.nominalFrameRate ?? 0
        changed.frameRate = request.frameRate ?? (rate > 0 ? min(rate, 60) : 30)
        self.request = changed
        self.leftOut = leftOut
    }
}

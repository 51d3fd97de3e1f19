import MediaTypes
import MovieFile

/// How a track whose edit list shows several parts of its media passes through: its packets in the order of the media, and an
/// edit list that shows the same parts. A pure value.
struct EditedPassage {
    /// The part of the media that is stored.
    let mediaRange: TimeRange
    /// From the media's times to those of the samples that are written: the part that comes first in the media stands where it
    /// is shown, near the other tracks' samples of that time.
    let shift: MediaTime
    /// What the copy shows, in the times of these samples.
    let edits: [TrackEdit]

    /// Audio needs a packet or two before the part that is heard.
    private static let preroll = MediaTime(value: 1, timescale: 10)

    /// - Parameter range: what is exported, on the movie's time line.
    /// - Returns: nil where the range shows nothing of the track.
    init?(_ track: AssetTrack, in range: TimeRange) {
        let shown = track.edits.compactMap { $0.clipped(to: range) }
        let media = shown.compactMap(\.media)
        guard let start = media.map(\.start).min(), let end = media.map(\.end).max(),
            let first = shown.first(where: { $0.mediaStart == start })
        else { return nil }
        let shift = first.target.start - start
        self.shift = shift
        let lead = track.mediaType == .audio ? Self.preroll : .zero
        mediaRange = TimeRange(start: max(.zero, start - lead), end: end)
        edits = shown.map { edit in TrackEdit(target: edit.target, mediaStart: edit.mediaStart.map { $0 + shift }) }
    }
}

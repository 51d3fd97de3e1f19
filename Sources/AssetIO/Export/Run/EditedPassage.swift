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
    /// The edit that is shown last has the last part of the media.
    var endsLast: Bool { edits.last?.media?.end == mediaRange.end + shift }
    /// What the copy shows, in the times of these samples.
    let edits: [TrackEdit]

    /// Audio needs a packet or two before the part that is heard.
    private static let preroll = MediaTime(value: 1, timescale: 10)

    /// - Parameters:
    ///   - range: what is exported, on the movie's time line.
    ///   - frame: the frame that is on screen at a time of the media, before another one; nil for none.
    /// - Returns: nil where the range shows nothing of the track.
    init?(
        _ track: AssetTrack, in range: TimeRange,
        frame: (_ time: MediaTime, _ end: MediaTime) throws(MediaError) -> TimeRange?
    ) throws(MediaError) {
        var shown = track.edits.compactMap { $0.clipped(to: range) }
        if track.mediaType == .video, let first = shown.first, let media = first.media,
            track.edits.contains(where: { $0.target.start < range.start && $0.target.end > range.start }),
            let frame = try frame(media.start, media.end)
        {
            shown.replaceSubrange(0..<1, with: first.beginning(with: frame))
        }
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

extension TrackEdit {
    /// The same edit as edits that begin with frames: players show a frame where an edit's media begins with it.
    ///
    /// - Parameter frame: is on screen where the edit begins.
    fileprivate func beginning(with frame: TimeRange) -> [TrackEdit] {
        guard let mediaStart, frame.start < mediaStart else { return [self] }
        let rest = min(frame.end - mediaStart, target.duration)
        let next = TrackEdit(
            target: TimeRange(start: target.start + rest, end: target.end), mediaStart: mediaStart + rest)
        // Less would not be seen, and times that were rounded differ by as much.
        guard rest >= HeldFrame.shortest else { return rest > .zero ? [next] : [self] }
        let held = TrackEdit(
            target: TimeRange(start: target.start, duration: rest), mediaStart: frame.start)
        return next.target.duration > .zero ? [held, next] : [held]
    }
}

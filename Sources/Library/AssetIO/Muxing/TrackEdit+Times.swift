import MediaTypes
import MovieFile

extension TrackEdit {
    /// Returns the same edit with its target and its media start moved by a distance.
    func moved(by distance: MediaTime) -> TrackEdit {
        TrackEdit(
            target: TimeRange(start: target.start + distance, end: target.end + distance),
            mediaStart: mediaStart.map { $0 + distance })
    }

    /// Returns the part of the edit that is shown in a range; nil if no part is.
    func clipped(to range: TimeRange) -> TrackEdit? {
        let part = target.intersection(range)
        guard !part.isEmpty else { return nil }
        return TrackEdit(target: part, mediaStart: mediaStart.map { $0 + (part.start - target.start) })
    }
}

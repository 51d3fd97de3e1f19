import MediaTypes
import MovieFile

/// The plan for passing through a track whose edit list shows parts of its media and hides the rest. The packets stay
/// in the order of the media, and a new edit list shows the same parts. A pure value.
struct EditedPassage {
    /// The range of the media that is stored.
    let mediaRange: TimeRange
    /// The offset from the media's times to those of the written samples. The part that is first in the media gets the
    /// time at which it is shown. So it is stored near the other tracks' samples of that time.
    let shift: MediaTime
    /// True if the last edit shows the end of the media.
    var endsLast: Bool { edits.last?.media?.end == mediaRange.end + shift }
    /// The edits of the output. Their media times are those of the written samples.
    let edits: [TrackEdit]
    /// The frame that is on screen where the first edit begins, with its new time; nil if no frame is moved.
    let heldFrame: MovedFrame?

    /// Audio needs a few packets before the audible part (`AudioPreroll`).
    private static let preroll = MediaTime(value: 3, timescale: 10)

    /// - Parameters:
    ///   - trackEdits: the edits of the source.
    ///   - range: the time range to export, in movie time.
    ///   - frame: returns the time range of the frame that is on screen at a media time, or nil if there is no frame.
    ///     The range ends at the next frame, or at `end` if that is earlier.
    init(
        _ trackEdits: [TrackEdit], of mediaType: MediaType, in range: TimeRange,
        frame: (_ time: MediaTime, _ end: MediaTime) throws(MediaError) -> TimeRange?
    ) throws(MediaError) {
        var shown = trackEdits.compactMap { $0.clipped(to: range) }
        var heldFrame: MovedFrame?
        if mediaType == .video, let first = shown.first, let media = first.media,
            trackEdits.contains(where: { $0.target.start < range.start && $0.target.end > range.start }),
            let frame = try frame(media.start, media.end)
        {
            heldFrame = MovedFrame(frame, to: media, others: shown.dropFirst())
            if heldFrame == nil { shown.replaceSubrange(0..<1, with: first.beginning(with: frame)) }
        }
        self.heldFrame = heldFrame
        let media = shown.compactMap(\.media)
        guard let start = media.map(\.start).min(), let end = media.map(\.end).max(),
            let first = shown.first(where: { $0.mediaStart == start })
        else {
            // The range shows nothing of the track. A track whose edits show nothing is left out of the movie.
            shift = range.start
            mediaRange = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1000))
            edits = [TrackEdit(target: range, mediaStart: nil)]
            return
        }
        let shift = first.target.start - start
        self.shift = shift
        let lead = mediaType == .audio ? Self.preroll : .zero
        mediaRange = TimeRange(start: max(.zero, start - lead), end: end)
        edits = shown.map { edit in TrackEdit(target: edit.target, mediaStart: edit.mediaStart.map { $0 + shift }) }
    }
}

/// A frame that begins later in a copy than in its source. It is moved because players show a frame at the start of an
/// edit only if the edit's media begins with that frame. A pure value.
struct MovedFrame {
    /// The frame's time in the source.
    private let start: MediaTime
    /// The frame's new time and its end, in the times of the source's media.
    private let newStart: MediaTime
    private let end: MediaTime

    /// Returns nil if the frame need not be moved, because it begins with the edit or ends right after the edit's
    /// start. Also returns nil if another edit needs the frame's original time.
    ///
    /// - Parameters:
    ///   - frame: the frame on screen at the start of the edit.
    ///   - media: the range of the media that the edit shows.
    ///   - others: the other edits that are shown.
    init?(_ frame: TimeRange, to media: TimeRange, others: some Sequence<TrackEdit>) {
        let moved = TimeRange(start: frame.start, end: media.start)
        guard !moved.isEmpty, min(frame.end, media.end) - media.start >= HeldFrame.shortest,
            !others.contains(where: { $0.media.map { !$0.intersection(moved).isEmpty } ?? false })
        else { return nil }
        (start, newStart, end) = (frame.start, media.start, min(frame.end, media.end))
    }

    /// Returns this frame with its new time and its old decode time. Returns any other sample unchanged.
    func place(_ sample: SampleBuffer) -> SampleBuffer {
        let distance = sample.presentationTime - start
        // The rounded times of one frame differ by less than this.
        guard distance < HeldFrame.shortest, .zero - distance < HeldFrame.shortest else { return sample }
        // If frames are reordered, the duration is the distance to the frame that is decoded next.
        let rest = sample.duration.map { max($0 - (newStart - start), end - newStart) }
        return sample.at(newStart).decoded(at: sample.decodeTime).lasting(rest)
    }
}

extension TrackEdit {
    /// Splits an edit that begins inside a frame: returns an edit that begins with the frame, and one for the rest.
    ///
    /// - Parameter frame: the frame on screen at the start of the edit.
    fileprivate func beginning(with frame: TimeRange) -> [TrackEdit] {
        guard let mediaStart, frame.start < mediaStart else { return [self] }
        let rest = min(frame.end - mediaStart, target.duration)
        let next = TrackEdit(
            target: TimeRange(start: target.start + rest, end: target.end), mediaStart: mediaStart + rest)
        // A shorter time would not be visible, and is within the rounding of times.
        guard rest >= HeldFrame.shortest else { return rest > .zero ? [next] : [self] }
        let held = TrackEdit(
            target: TimeRange(start: target.start, duration: rest), mediaStart: frame.start)
        return next.target.duration > .zero ? [held, next] : [held]
    }
}

import MediaTypes

/// Which stretches of a track's tables are shown when: its edit list.
///
/// A gap that the tables' durations cannot hold, and any longer one in sound, is bridged by edits that lie wholly in the
/// time of the sample before it, behind its own content: sound is silent there, a picture stays. An empty edit would say
/// the same; but FFmpeg takes one that is not the first for a stretch from the track's beginning, and plays that again.
struct TrackEdits {
    /// All in the track's ticks, on the recording's time line.
    var stretches: [TrackTimes.Stretch]
    var sessionStart: Int64
    var end: Int64
    var isSound: Bool
    var scale: Int32
    var movieScale: Int32
    /// What is shown of the recording's time line.
    var windows: [PresentedWindow]

    /// One edit, in the track's ticks: what is shown until a time, from where in the tables.
    private struct Piece {
        var start: Int64
        var end: Int64
        /// nil shows nothing.
        var mediaTime: Int64?
    }

    /// More than this is no recording; then an empty edit must do.
    private static let mostBridges: Int64 = 4096

    /// nil when the session shows nothing of the track.
    func list() -> EditList? {
        guard let first = stretches.first(where: { start(of: $0) < nextStart(after: $0) }) else { return nil }
        var pieces: [Piece] = []
        var cursor = start(of: first)
        if cursor > sessionStart { pieces.append(Piece(start: sessionStart, end: cursor, mediaTime: nil)) }
        let shown = stretches.drop { $0 != first }
        for (stretch, next) in zip(shown, shown.dropFirst()) {
            let resumption = start(of: next)
            let mediaResumption = resumption - next.shift
            // The time in the tables between the end of the one stretch and the beginning of the other.
            let room = start(of: next) - next.shift - (stretch.presentationEnd - stretch.shift)
            let own =
                isSound
                ? aligned(stretch.presentationEnd + unit - 1) : aligned(stretch.presentationEnd + room)
            let pause = min(max(own, cursor), resumption)
            pieces.append(Piece(start: cursor, end: pause, mediaTime: cursor - stretch.shift))
            // What nobody sees needs no bridge.
            for window in windows {
                bridge(
                    from: max(pause, window.start), to: min(resumption, window.end), mediaEnd: mediaResumption,
                    room: room, &pieces)
            }
            cursor = max(resumption, pause)
            if cursor >= end { break }
        }
        if cursor < end, let last = shown.last {
            pieces.append(Piece(start: cursor, end: end, mediaTime: cursor - last.shift))
        }
        return list(of: pieces)
    }

    private func bridge(from start: Int64, to end: Int64, mediaEnd: Int64, room: Int64, _ pieces: inout [Piece]) {
        guard end > start else { return }
        // An edit's length is rounded to the movie's ticks; by that much it stays away from the next sample.
        let margin = Int64(scale) / Int64(movieScale) + 2
        let usable = room - margin
        let longest = end - start <= usable ? end - start : aligned(usable, from: 0)
        guard longest > 0, (end - start) / longest < Self.mostBridges else {
            pieces.append(Piece(start: start, end: end, mediaTime: nil))
            return
        }
        var position = start
        while position < end {
            let next = min(end, position + longest)
            pieces.append(Piece(start: position, end: next, mediaTime: max(0, mediaEnd - margin - (next - position))))
            position = next
        }
    }

    /// In the movie's time scale, from the times themselves, so that roundings do not add up.
    private func list(of pieces: [Piece]) -> EditList? {
        var entries: [EditList.Entry] = []
        var mediaEnd: Int64?
        for window in windows {
            // Where the media before the cut ends.
            var seam = mediaEnd
            for piece in pieces where piece.start < min(end, window.end) && piece.end > window.start {
                let (from, until) = (max(piece.start, window.start), min(piece.end, end, window.end))
                let (start, stop) = (window.movieTicks(from), window.movieTicks(until))
                guard stop > start || pieces.count == 1 && windows.count == 1 else { continue }
                let mediaTime = piece.mediaTime.map { $0 + from - piece.start } ?? -1
                // Nothing in front of a cut and nothing behind it is one nothing, and media that goes on there is one edit: the
                // fewer, the more players show all of them.
                let goesOn: Bool = mediaTime < 0 ? entries.last.map { $0.mediaTime < 0 } ?? false : mediaTime == seam
                seam = nil
                mediaEnd = mediaTime < 0 ? nil : mediaTime + until - from
                if goesOn {
                    entries[entries.count - 1].duration += stop - start
                } else {
                    entries.append(.init(duration: stop - start, mediaTime: mediaTime))
                }
            }
        }
        return entries.contains { $0.mediaTime >= 0 } ? EditList(entries) : nil
    }

    private func start(of stretch: TrackTimes.Stretch) -> Int64 {
        max(sessionStart, stretch.firstPresentation, stretch.decodeStart)
    }

    /// Where the stretch is over: where the next one begins, or at the end.
    private func nextStart(after stretch: TrackTimes.Stretch) -> Int64 {
        guard let index = stretches.firstIndex(of: stretch), index + 1 < stretches.count else { return end }
        return min(end, start(of: stretches[index + 1]))
    }

    /// The shortest time that is whole in both time scales.
    private var unit: Int64 {
        var (a, b) = (Int64(scale), Int64(movieScale))
        while b != 0 { (a, b) = (b, a % b) }
        return Int64(scale) / max(1, a)
    }

    /// The last moment at or before a time at which an edit can begin exactly. Without that the roundings of many bridges
    /// would add up.
    private func aligned(_ time: Int64) -> Int64 { aligned(time, from: sessionStart) }

    private func aligned(_ time: Int64, from start: Int64) -> Int64 {
        let distance = time - start
        return time - (distance % unit + unit) % unit
    }
}

import MediaTypes

/// The edit list of a track: the ranges of its tables that are shown, and the time of each.
///
/// Some edits bridge a gap: one that the tables' durations cannot represent, or one of more than three seconds in
/// audio. Such an edit shows the part of the previous sample's duration that is after the sample's own content. In this
/// part, audio is silent, and a frame stays on screen. An empty edit would mean the same. But if an empty edit is not
/// the first edit, FFmpeg treats it as a range from the track's start, and plays that range again.
struct TrackEdits {
    /// The sections of the track. All times here are in the track's ticks, on the recording's timeline.
    var sections: [TrackTimes.Section]
    var sessionStart: Int64
    var end: Int64
    var isAudio: Bool
    var scale: Int32
    var movieScale: Int32
    /// The shown ranges of the recording's timeline.
    var windows: [PresentedWindow]

    /// One edit, in the track's ticks: a range of time, and the start of the shown media in the tables.
    private struct Piece {
        var start: Int64
        var end: Int64
        /// The start of the media; nil to show nothing.
        var mediaTime: Int64?
    }

    /// The maximum number of bridging edits of a gap, more than any real recording needs. A longer gap gets an empty
    /// edit.
    private static let mostBridges: Int64 = 4096

    /// Returns the edit list; nil if the session shows nothing of the track.
    func list() -> EditList? {
        guard let first = sections.first(where: { start(of: $0) < nextStart(after: $0) }) else { return nil }
        var pieces: [Piece] = []
        var cursor = start(of: first)
        if cursor > sessionStart { pieces.append(Piece(start: sessionStart, end: cursor, mediaTime: nil)) }
        let shown = sections.drop { $0 != first }
        for (section, next) in zip(shown, shown.dropFirst()) {
            let resumption = start(of: next)
            let mediaResumption = resumption - next.shift
            // The time in the tables between the end of one `Section` and the start of the next.
            let room = start(of: next) - next.shift - (section.presentationEnd - section.shift)
            let own =
                isAudio
                ? aligned(section.presentationEnd + unit - 1) : aligned(section.presentationEnd + room)
            let pause = min(max(own, cursor), resumption)
            pieces.append(Piece(start: cursor, end: pause, mediaTime: cursor - section.shift))
            // Time outside of the windows needs no bridge.
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
        // An edit's length is rounded to the movie's ticks. The margin ensures that the shown media ends before the
        // next sample.
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

    /// Returns the edits in the movie's time scale. Calculated from the times themselves, so that rounding errors do
    /// not accumulate.
    private func list(of pieces: [Piece]) -> EditList? {
        var entries: [EditList.Entry] = []
        var mediaEnd: Int64?
        for window in windows {
            // The end of the media before the cut.
            var seam = mediaEnd
            for piece in pieces where piece.start < min(end, window.end) && piece.end > window.start {
                let (from, until) = (max(piece.start, window.start), min(piece.end, end, window.end))
                let (start, stop) = (window.movieTicks(from), window.movieTicks(until))
                guard stop > start || pieces.count == 1 && windows.count == 1 else { continue }
                let mediaTime = piece.mediaTime.map { $0 + from - piece.start } ?? -1
                // Empty edits before and after a cut are joined. Media that continues across the cut is joined too.
                // With fewer edits, more players show all of them.
                let continues: Bool = mediaTime < 0 ? entries.last.map { $0.mediaTime < 0 } ?? false : mediaTime == seam
                seam = nil
                mediaEnd = mediaTime < 0 ? nil : mediaTime + until - from
                if continues {
                    entries[entries.count - 1].duration += stop - start
                } else {
                    entries.append(.init(duration: stop - start, mediaTime: mediaTime))
                }
            }
        }
        return entries.contains { $0.mediaTime >= 0 } ? EditList(entries) : nil
    }

    private func start(of section: TrackTimes.Section) -> Int64 {
        max(sessionStart, section.firstPresentation, section.decodeStart)
    }

    /// Returns the end of the time that a section may cover: the start of the next one, or the end of the track.
    private func nextStart(after section: TrackTimes.Section) -> Int64 {
        guard let index = sections.firstIndex(of: section), index + 1 < sections.count else { return end }
        return min(end, start(of: sections[index + 1]))
    }

    /// The shortest time, in ticks of the track, that is a whole number of ticks in both the track's and the movie's
    /// time scale.
    private var unit: Int64 {
        var (a, b) = (Int64(scale), Int64(movieScale))
        while b != 0 { (a, b) = (b, a % b) }
        return Int64(scale) / max(1, a)
    }

    /// Returns the last position, no later than a time, at which an edit can begin exactly. At other positions, the
    /// rounding errors of many bridging edits would accumulate.
    private func aligned(_ time: Int64) -> Int64 { aligned(time, from: sessionStart) }

    private func aligned(_ time: Int64, from start: Int64) -> Int64 {
        let distance = time - start
        return time - (distance % unit + unit) % unit
    }
}

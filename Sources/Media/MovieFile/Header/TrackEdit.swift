package import MediaTypes

/// One entry of a track's edit list: a part of the track's media, and the time at which the movie shows it (QTFF, "Edit
/// List Atoms").
package struct TrackEdit: Sendable, Hashable {
    /// The time range on the movie's timeline.
    package var target: TimeRange
    /// The start of the part on the media's own timeline; nil if the track shows nothing.
    package var mediaStart: MediaTime?

    package init(target: TimeRange, mediaStart: MediaTime?) {
        self.target = target
        self.mediaStart = mediaStart
    }

    /// The part of the media; nil if the track shows nothing.
    package var media: TimeRange? {
        mediaStart.map { TimeRange(start: $0, duration: target.duration) }
    }

    /// The maximum number of entries, more than any program writes.
    private static let most = 10_000

    /// Returns the entries of an edit list that shows several parts of the media. Parts that are consecutive on both
    /// timelines are joined.
    ///
    /// - Returns: an empty array for a list with one part of media, with or without an empty edit before it, and for a
    ///   list that cannot be followed exactly because it changes the rate or has no durations.
    static func several(in track: Atom, movieScale: Int32) -> [TrackEdit] {
        guard let payload = track.find("edts", "elst")?.payload, let list = EditList(payload: payload),
            list.entries.count > 1, list.entries.count <= most, list.hasUsualRate,
            let scale = track.find("mdia", "mdhd")?.timeScale
        else { return [] }
        var entries = list.entries
        while let last = entries.last, last.mediaTime < 0 { entries.removeLast() }
        guard entries.drop(while: { $0.mediaTime < 0 }).count > 1, entries.allSatisfy({ $0.duration > 0 }) else {
            return []
        }
        var edits: [TrackEdit] = []
        var ticks: Int64 = 0
        for entry in entries {
            guard entry.duration < 1 << 60, entry.mediaTime < 1 << 60, ticks < 1 << 61 else { return [] }
            let start = MediaTime(value: ticks, timescale: movieScale)
            ticks += Int64(entry.duration)
            let edit = TrackEdit(
                target: TimeRange(start: start, end: MediaTime(value: ticks, timescale: movieScale)),
                mediaStart: entry.mediaTime < 0 ? nil : MediaTime(value: entry.mediaTime, timescale: scale))
            if let last = edits.last, last.continues(with: edit, within: MediaTime(value: 1, timescale: movieScale)) {
                edits[edits.count - 1].target = TimeRange(start: last.target.start, end: edit.target.end)
            } else {
                edits.append(edit)
            }
        }
        return edits
    }

    /// Returns the entries of an edit list that shows one part of the media and hides media beside it that a copy of all
    /// samples would show: after the part, or before it if the track begins later than the movie.
    ///
    /// - Returns: an empty array for all other lists, and for a list that cannot be followed exactly.
    static func hiding(in track: Atom, movieScale: Int32) -> [TrackEdit] {
        guard let payload = track.find("edts", "elst")?.payload, let list = EditList(payload: payload),
            list.hasUsualRate, let scale = track.find("mdia", "mdhd")?.timeScale,
            let tables = track.find("mdia", "minf", "stbl"), let durations = tables["stts"]?.payload,
            let times = PresentationTimes(
                durations: durations, offsets: tables["ctts"]?.payload ?? [UInt8](repeating: 0, count: 8))
        else { return [] }
        let parts = list.entries.filter { $0.mediaTime >= 0 }
        let delay = list.entries.prefix { $0.mediaTime < 0 }.reduce(UInt64(0)) { $0 &+ min($1.duration, 1 << 60) }
        guard parts.count == 1, let part = parts.first, part.duration > 0, part.duration < 1 << 31,
            part.mediaTime < PresentationTimes.limit, delay < 1 << 40
        else { return [] }
        let start = MediaTime(value: Int64(delay), timescale: movieScale)
        let length = MediaTime(value: Int64(part.duration), timescale: movieScale)
        let hidden = times.end - part.mediaTime - length.ticks(in: scale)
        // Durations are rounded to the movie's ticks, and the last packet of audio is rarely full.
        let isAudio = track.find("mdia", "minf", "smhd") != nil
        let slack = max(Int64(scale) / (isAudio ? 10 : 100), 2 * Int64(scale) / Int64(movieScale))
        guard hidden > slack || (delay > 0 && part.mediaTime > times.first) else { return [] }
        let edit = TrackEdit(
            target: TimeRange(start: start, duration: length),
            mediaStart: MediaTime(value: part.mediaTime, timescale: scale))
        let before = TrackEdit(target: TimeRange(start: .zero, end: start), mediaStart: nil)
        return delay > 0 ? [before, edit] : [edit]
    }

    /// - Parameter tick: the unit to which durations are rounded.
    private func continues(with next: TrackEdit, within tick: MediaTime) -> Bool {
        guard let media, let other = next.mediaStart else { return mediaStart == nil && next.mediaStart == nil }
        return other - media.end < tick && media.end - other < tick
    }
}

extension Atom {
    /// Ticks per second, from `mvhd` or `mdhd`.
    var timeScale: Int32? {
        var reader = ByteReader(payload)
        guard let version = reader.u8(), reader.skip(version == 1 ? 19 : 11), let scale = reader.s32(), scale > 0 else {
            return nil
        }
        return scale
    }
}

package import MediaTypes

/// The length of a track whose frames are stored out of order, as the file presents it.
///
/// The durations in the sample tables are distances between decode times. Decode times run behind presentation times,
/// so the sum of the durations lacks the distances between the last frames, and has those before the first ones. If
/// the frame rate varies, it is not the length of the presentation.
package struct ShownMedia: Sendable, Equatable {
    /// From the first frame to the end of the last; only the part that the track's edit list shows.
    package let duration: MediaTime
    /// The mean number of frames per second; nil if the sum of the durations is about the length of the presentation.
    package let frameRate: Double?

    /// Returns nil for a track whose frames are stored in presentation order, for one that shows several parts of its
    /// media, and for tables that cannot be followed.
    init?(of track: Atom, movieScale: Int32?) {
        guard let scale = track.find("mdia", "mdhd")?.timeScale, let tables = track.find("mdia", "minf", "stbl"),
            let durations = tables["stts"], let offsets = tables["ctts"],
            let times = PresentationTimes(durations: durations.payload, offsets: offsets.payload)
        else { return nil }
        var (shown, length) = (times.end - times.first, times.end - times.first)
        if let payload = track.find("edts", "elst")?.payload {
            guard let movieScale, let list = EditList(payload: payload), list.hasUsualRate else { return nil }
            let media = list.entries.filter { $0.mediaTime >= 0 }
            guard let edit = media.first, media.count == 1, edit.mediaTime < PresentationTimes.limit else { return nil }
            let end = Self.end(of: edit, times, scale: scale, movieScale: movieScale)
            // An edit that begins before the first frame adds nothing to the track.
            shown = end - max(edit.mediaTime, times.first)
            if edit.mediaTime <= times.first, end > times.last { length = shown }
        }
        guard length > 0, shown > 0 else { return nil }
        duration = MediaTime(value: shown, timescale: scale)
        let difference = (times.end - times.first - times.sum).magnitude
        frameRate =
            difference > times.sum.magnitude / 100 ? Double(times.count) * Double(scale) / Double(length) : nil
    }

    /// Returns the end of an edit on the media's timeline.
    private static func end(
        of edit: EditList.Entry, _ times: PresentationTimes, scale: Int32, movieScale: Int32
    ) -> Int64 {
        // With 0 or all ones, the edit lasts as long as the media.
        guard edit.duration > 0, edit.duration != UInt64(UInt32.max), edit.duration < UInt64(PresentationTimes.limit)
        else { return times.end }
        let length = MediaTime(value: Int64(edit.duration), timescale: movieScale).ticks(in: scale)
        guard length < PresentationTimes.limit else { return times.end }
        let end = edit.mediaTime + length
        // The edit's duration is rounded to the movie's ticks.
        let tick = MediaTime(value: 1, timescale: movieScale).ticks(in: scale, rounding: .up)
        return end > times.end && end - times.end <= tick ? times.end : end
    }
}

/// The first and the last presentation times of a track, from its sample tables. All times are in the track's ticks.
struct PresentationTimes {
    /// Times of real media are far below this limit, and sums of a few such times fit in 64 bits.
    static let limit: Int64 = 1 << 60

    private(set) var count: Int64 = 0
    /// The sum of the samples' durations.
    private(set) var sum: Int64 = 0
    private(set) var first = Int64.max
    private(set) var last = Int64.min
    /// The presentation time before the last one.
    private var before = Int64.min
    /// True if the frame that is shown last is also decoded last.
    private var endsInOrder = true
    private var lastDuration: Int64 = 0

    /// The end of the frame that is shown last. If another frame is decoded after it, its duration is unknown. It is
    /// then assumed to last as long as the frame before it.
    var end: Int64 { endsInOrder || before == .min ? last + lastDuration : last + (last - before) }

    /// - Parameters:
    ///   - durations: the payload of `stts`.
    ///   - offsets: the payload of `ctts`.
    /// - Returns: nil for an empty track, and for tables with unreasonable numbers.
    init?(durations: [UInt8], offsets: [UInt8]) {
        guard var durations = Runs(durations), var offsets = Runs(offsets) else { return nil }
        while durations.fill() {
            let isShifted = offsets.fill()
            let run = isShifted ? min(durations.left, offsets.left) : durations.left
            let duration = Int64(durations.value)
            let (length, overflow) = duration.multipliedReportingOverflow(by: run)
            // Some programs store negative durations.
            guard !overflow, length < Self.limit, sum < Self.limit, duration <= Int64(Int32.max) else { return nil }
            record(
                from: sum + (isShifted ? Int64(Int32(bitPattern: offsets.value)) : 0), count: run, duration: duration)
            (sum, count) = (sum + length, count + run)
            durations.left -= run
            if isShifted { offsets.left -= run }
        }
        guard count > 0 else { return nil }
    }

    /// Records samples that are decoded and shown one after the other.
    private mutating func record(from start: Int64, count: Int64, duration: Int64) {
        let end = start + duration * (count - 1)
        first = min(first, start)
        endsInOrder = end >= last
        if end > last {
            before = max(last, count > 1 ? end - duration : .min)
            last = end
            lastDuration = duration
        } else {
            before = max(before, end < last ? end : .min)
        }
    }

    /// A table of runs: each entry has a number of samples and their common value.
    private struct Runs {
        private var reader: ByteReader
        private var entries: UInt32
        /// The number of samples that remain in the current run.
        var left: Int64 = 0
        private(set) var value: UInt32 = 0

        init?(_ payload: [UInt8]) {
            reader = ByteReader(payload)
            guard reader.skip(4), let entries = reader.u32() else { return nil }
            self.entries = entries
        }

        /// Moves to the next run if the current one is used up. Returns false at the end.
        mutating func fill() -> Bool {
            while left == 0 {
                guard entries > 0, let count = reader.u32(), let value = reader.u32() else { return false }
                (left, self.value) = (Int64(count), value)
                entries -= 1
            }
            return true
        }
    }
}

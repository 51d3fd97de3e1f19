/// The decode and presentation times of one track, as far as the final header needs them. Its size is constant.
///
/// All times are in the track's ticks. A `Section` is the range between two gaps; nearly every track has one.
struct TrackTimes {
    struct Section: Equatable {
        /// The decode time of the section's first sample, on the recording's timeline and on that of the final tables.
        var decodeStart: Int64
        var mediaStart: Int64
        /// The earliest presentation time of the section's samples, and the end of the sample that is shown last.
        var firstPresentation: Int64
        var presentationEnd: Int64
        /// The value to subtract from a time on the recording's timeline to get the time in the tables.
        var shift: Int64 { decodeStart - mediaStart }
    }

    /// Each `Section` before the open one.
    private(set) var closed: [Section] = []
    private(set) var firstDecodeTime: Int64 = 0
    /// The decode time of the last sample, and the end of its decode duration.
    private(set) var lastDecodeTime: Int64 = 0
    private(set) var decodeEnd: Int64 = 0
    private(set) var isEmpty = true

    private var decodeStart: Int64 = 0
    private var mediaStart: Int64 = 0
    private var firstPresentation = Int64.max
    /// The presentation times of the samples that are shown last and second to last, and the decode duration of the
    /// last.
    private(set) var lastPresentation = Int64.min
    private var presentationBefore = Int64.min
    private var lastDuration: Int64 = 0
    private var isReordered = false

    /// The maximum number of gaps in the edit list, which limits the memory for finalizing. Further gaps are ignored.
    static let mostSections = 4096
    var hasRoomForSection: Bool { closed.count < Self.mostSections - 1 }

    /// Each `Section`; the open one is last.
    var sections: [Section] {
        closed + [
            Section(
                decodeStart: decodeStart, mediaStart: mediaStart, firstPresentation: firstPresentation,
                presentationEnd: presentationEnd)
        ]
    }

    /// The end of the sample that is shown last. If frames are reordered, a duration is the distance to the next
    /// decoded frame. The last frame is then assumed to last as long as the one before it.
    var presentationEnd: Int64 {
        guard lastPresentation > .min else { return 0 }
        guard isReordered, presentationBefore > .min else { return lastPresentation + lastDuration }
        return lastPresentation + (lastPresentation - presentationBefore)
    }

    /// Begins a `Section`: the first, or one after a gap.
    mutating func beginSection(decodeTime: Int64, mediaTime: Int64) {
        if isEmpty {
            firstDecodeTime = decodeTime
        } else {
            closed.append(sections[closed.count])
        }
        decodeStart = decodeTime
        mediaStart = mediaTime
        firstPresentation = .max
        lastPresentation = .min
        presentationBefore = .min
        isReordered = false
    }

    /// Records `count` samples that are decoded and shown one after the other.
    mutating func record(decodeTime: Int64, compositionOffset: Int32, count: UInt32, duration: UInt32) {
        isEmpty = false
        let shown = decodeTime + Int64(compositionOffset)
        let length = Int64(duration) * Int64(max(count, 1) - 1)
        firstPresentation = min(firstPresentation, shown)
        isReordered = isReordered || compositionOffset != 0
        let last = shown + length
        if last > lastPresentation {
            presentationBefore = count > 1 ? last - Int64(duration) : lastPresentation
            lastPresentation = last
            lastDuration = Int64(duration)
        } else {
            presentationBefore = max(presentationBefore, last)
        }
        lastDecodeTime = decodeTime + length
        decodeEnd = lastDecodeTime + Int64(duration)
    }

    /// Extends the last sample to a presentation time.
    mutating func extendLast(until end: Int64) { lastDuration = max(0, end - lastPresentation) }
}

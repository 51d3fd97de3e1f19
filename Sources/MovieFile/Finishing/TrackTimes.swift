/// When one track's samples are decoded and shown, as far as the final header must know. Of constant size.
///
/// All times are in the track's ticks. A *stretch* is what lies between two gaps; nearly every track has one.
struct TrackTimes {
    struct Stretch: Equatable {
        /// When its first sample is decoded, on the recording's time line and on that of the final tables.
        var decodeStart: Int64
        var mediaStart: Int64
        /// When the sample that is shown first is shown, and when the one that is shown last ends.
        var firstPresentation: Int64
        var presentationEnd: Int64
        /// How far the tables' time line is behind.
        var shift: Int64 { decodeStart - mediaStart }
    }

    /// The stretches before the one that is open.
    private(set) var closed: [Stretch] = []
    private(set) var firstDecodeTime: Int64 = 0
    /// When the last sample is decoded, and when decoding has done with it.
    private(set) var lastDecodeTime: Int64 = 0
    private(set) var decodeEnd: Int64 = 0
    private(set) var isEmpty = true

    private var decodeStart: Int64 = 0
    private var mediaStart: Int64 = 0
    private var firstPresentation = Int64.max
    /// The samples that are shown last and last but one, and how long decoding has for the last.
    private(set) var lastPresentation = Int64.min
    private var presentationBefore = Int64.min
    private var lastDuration: Int64 = 0
    private var isReordered = false

    /// More gaps than this are left out of the edit list: what memory finishing takes has an end.
    static let mostStretches = 4096
    var hasRoomForStretch: Bool { closed.count < Self.mostStretches - 1 }

    /// All stretches; the open one last.
    var stretches: [Stretch] {
        closed + [
            Stretch(
                decodeStart: decodeStart, mediaStart: mediaStart, firstPresentation: firstPresentation,
                presentationEnd: presentationEnd)
        ]
    }

    /// Where the last sample shown ends. Where pictures are decoded in another order than shown, durations tell the
    /// distance to the next one decoded; then the last is taken to be shown as long as the one before it.
    var presentationEnd: Int64 {
        guard lastPresentation > .min else { return 0 }
        guard isReordered, presentationBefore > .min else { return lastPresentation + lastDuration }
        return lastPresentation + (lastPresentation - presentationBefore)
    }

    /// Begins a stretch, the first one or one behind a gap.
    mutating func beginStretch(decodeTime: Int64, mediaTime: Int64) {
        if isEmpty {
            firstDecodeTime = decodeTime
        } else {
            closed.append(stretches[closed.count])
        }
        decodeStart = decodeTime
        mediaStart = mediaTime
        firstPresentation = .max
        lastPresentation = .min
        presentationBefore = .min
        isReordered = false
    }

    /// Takes note of `count` samples that are decoded and shown one after the other.
    mutating func note(decodeTime: Int64, compositionOffset: Int32, count: UInt32, duration: UInt32) {
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

    /// The last sample, shown until a time.
    mutating func extendLast(until end: Int64) { lastDuration = max(0, end - lastPresentation) }
}

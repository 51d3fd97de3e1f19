package import MediaTypes

/// Decides where one fragment ends and the next begins. A single caller passes it every packet in order.
package protocol FragmentCutting: Sendable {
    /// True if fragments end only where `admit` decides, at the same time for every track. Later packets of other
    /// tracks then belong to the next fragment.
    var isStrict: Bool { get }
    /// Records the next packet of a track, and returns whether a fragment ends before or after it.
    mutating func admit(_ sample: SampleBuffer, track index: Int) -> FragmentPolicy.Decision
    /// Records that the open fragment was written although no packet ended it.
    mutating func begin()
    /// Requests that the open fragment ends as soon as possible after `time`; if nil, at once.
    mutating func flush(after time: MediaTime?)
}

extension FragmentCutting {
    package mutating func flush(after time: MediaTime?) {}
}

/// The ends of a file's fragments. A pure value; a single caller passes it every packet in order.
///
/// - A fragment ends before a keyframe of the reference track (the first video track, or else the first track), so that
///   fragments can be decoded independently. It also ends when it reaches the interval. However, it does not end before
///   a keyframe if the next keyframe is expected within the interval. The time between the last two keyframes is the
///   estimate. Without this exception, a movie of only keyframes would have a fragment for each frame.
/// - The first fragment ends as soon as the reference track has a packet and the format of every track is known. The
///   file is then readable.
/// - If the reference track has no packets, the other tracks end fragments, one interval later. So a silent track does
///   not delay the others.
package struct FragmentPolicy: FragmentCutting {
    package enum Decision: Sendable, Equatable { case append, endBefore, endAfter }

    private struct Track {
        var hasFormat: Bool
        var isSparse: Bool
        var firstPending: MediaTime?
    }

    private let interval: MediaTime
    private let initialInterval: MediaTime
    private let reference: Int
    private let patience: MediaTime
    private var tracks: [Track]
    private var isFirst = true
    /// The decode time of the last keyframe of the reference track.
    private var lastKey: MediaTime?
    package let isStrict: Bool

    /// - Parameters:
    ///   - interval: the maximum duration of a fragment.
    ///   - initialInterval: the minimum duration of the first fragment; zero for as soon as possible.
    ///   - reference: index of the track that determines the ends.
    ///   - hasFormat: for each track, true if its format is known before its first packet.
    ///   - patience: the amount of media after which a track with unknown format is left out.
    ///   - sparse: tracks whose times do not show how much was recorded. The samples of a track of titles, for example,
    ///     may all come at the start.
    ///   - isStrict: true if fragments end at the same time for all tracks.
    package init(
        interval: MediaTime, initialInterval: MediaTime = .zero, reference: Int, hasFormat: [Bool],
        patience: MediaTime = MediaTime(value: 5, timescale: 1), sparse: Set<Int> = [],
        isStrict: Bool = false
    ) {
        self.isStrict = isStrict
        self.patience = patience
        self.interval = interval
        self.initialInterval = initialInterval
        self.reference = reference
        tracks = hasFormat.enumerated().map { index, hasFormat in
            Track(hasFormat: hasFormat, isSparse: sparse.contains(index), firstPending: nil)
        }
    }

    /// Records the next packet of a track, and returns whether a fragment ends before or after it.
    package mutating func admit(_ sample: SampleBuffer, track index: Int) -> Decision {
        let time = sample.decodeTime ?? sample.presentationTime
        tracks[index].hasFormat = true
        guard !tracks[index].isSparse else { return .append }
        let start = tracks[index].firstPending
        let isReference = index == reference
        let isKey = isReference && sample.isKeyframe && sample.format.mediaType == .video
        let distance = isKey ? lastKey.map { time - $0 } : nil
        if isKey { lastKey = time }
        if isFirst {
            if start == nil { tracks[index].firstPending = time }
            return admitFirst(time, track: index)
        }
        guard let start else {
            tracks[index].firstPending = time
            return .append
        }
        let limit = isReference ? interval : interval + interval
        let isLastKey = isKey && distance.map { time - start + $0 > interval } ?? true
        guard isLastKey || time - start >= limit else { return .append }
        begin()
        tracks[index].firstPending = time
        return .endBefore
    }

    /// Records that the open fragment was written although no packet ended it (it was due, or the file ends).
    package mutating func begin() {
        isFirst = false
        for index in tracks.indices { tracks[index].firstPending = nil }
    }

    private mutating func admitFirst(_ time: MediaTime, track index: Int) -> Decision {
        let span = time - (tracks[index].firstPending ?? time)
        let isReady = tracks.allSatisfy(\.hasFormat) && tracks[reference].firstPending != nil
        let isOverdue = span >= patience
        guard isOverdue || (isReady && span >= initialInterval) else { return .append }
        begin()
        return .endAfter
    }
}

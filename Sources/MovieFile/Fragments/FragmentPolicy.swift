package import MediaTypes

/// Decides where one fragment ends and the next begins. One place feeds it every packet in order.
package protocol FragmentCutting: Sendable {
    /// Whether fragments end only where `admit` says, and at a moment that holds for every track: later packets of others
    /// go into the next.
    var isStrict: Bool { get }
    /// Takes note of the next packet of a track and says whether a fragment ends before or after it.
    mutating func admit(_ sample: SampleBuffer, track index: Int) -> FragmentPolicy.Decision
    /// The open fragment was taken although no packet ended it.
    mutating func begin()
    /// The open fragment is to end as soon as it can, but not before a moment; nil: at once.
    mutating func flush(after time: MediaTime?)
}

extension FragmentCutting {
    package mutating func flush(after time: MediaTime?) {}
}

/// Where the fragments of a file end. A pure value; one place feeds it every packet in order.
///
/// - A fragment ends before a key frame of the reference track (the first video track, else the first track), so that
///   fragments can be decoded on their own, and when it has grown to the interval. It goes on where the key frame after that
///   would, at the distance of the last two, still be inside the interval: of a film that has key frames alone each would be one.
/// - The first fragment ends as soon as the reference track has a packet and every track's format is known: then the
///   file begins to exist for its readers.
/// - When the reference track is silent the others end fragments, one interval later: a silent track holds back nobody.
package struct FragmentPolicy: FragmentCutting {
    package enum Decision: Sendable, Equatable { case goOn, endBefore, endAfter }

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
    /// When the reference's last key frame was decoded.
    private var lastKey: MediaTime?
    package let isStrict: Bool

    /// - Parameters:
    ///   - interval: how long a fragment may grow.
    ///   - initialInterval: the same for the first one; zero: as soon as possible.
    ///   - reference: index of the track that sets the rhythm.
    ///   - hasFormat: for each track, whether its format is known before its first packet.
    ///   - patience: after so much media a track whose format nobody knows is left out rather than waited for.
    ///   - sparse: tracks whose times say nothing about how far the recording is: titles, which may all come at its start.
    ///   - isStrict: fragments end at the same moment for all tracks.
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

    /// Takes note of the next packet of a track and says whether a fragment ends before or after it.
    package mutating func admit(_ sample: SampleBuffer, track index: Int) -> Decision {
        let time = sample.decodeTime ?? sample.presentationTime
        tracks[index].hasFormat = true
        guard !tracks[index].isSparse else { return .goOn }
        let start = tracks[index].firstPending
        let isReference = index == reference
        let isKey = isReference && sample.isKeyFrame && sample.format.mediaType == .video
        let distance = isKey ? lastKey.map { time - $0 } : nil
        if isKey { lastKey = time }
        if isFirst {
            if start == nil { tracks[index].firstPending = time }
            return admitFirst(time, track: index)
        }
        guard let start else {
            tracks[index].firstPending = time
            return .goOn
        }
        let limit = isReference ? interval : interval + interval
        let isLastKey = isKey && distance.map { time - start + $0 > interval } ?? true
        guard isLastKey || time - start >= limit else { return .goOn }
        begin()
        tracks[index].firstPending = time
        return .endBefore
    }

    /// The open fragment was taken although no packet ended it (its time was up, or the file ends).
    package mutating func begin() {
        isFirst = false
        for index in tracks.indices { tracks[index].firstPending = nil }
    }

    private mutating func admitFirst(_ time: MediaTime, track index: Int) -> Decision {
        let span = time - (tracks[index].firstPending ?? time)
        let isReady = tracks.allSatisfy(\.hasFormat) && tracks[reference].firstPending != nil
        let isOverdue = span >= patience
        guard isOverdue || (isReady && span >= initialInterval) else { return .goOn }
        begin()
        return .endAfter
    }
}

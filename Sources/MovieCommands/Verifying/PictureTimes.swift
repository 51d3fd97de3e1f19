import AssetIO
import MediaTypes

/// The times at which the pictures of a track are shown, one after the other: read from packets, without decoding. Pictures are
/// stored in another order than they are shown in; a few wait here until none before them can come.
struct PictureTimes {
    private let output: TrackOutput
    private let range: TimeRange
    private var waiting: [MediaTime] = []
    private var isAtEnd = false
    /// Pictures that may wait for an earlier one: H.264 and HEVC have 16 at most, and pairs of fields are two.
    private static let delay = 40

    /// - Throws: what opening the file throws.
    init(_ asset: Asset, _ track: AssetTrack) throws(MediaError) {
        let reader = try AssetReader(asset: asset)
        try reader.configure {
            $0.skipsDamagedMedia = true
            $0.timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        }
        output = try TrackOutput(track: track)
        try output.configure {
            $0.alwaysCopiesSampleData = false
            $0.givesHiddenSamples = false
        }
        try reader.add(output)
        try reader.startReading()
        // What lies before and behind is stored for others to lean on, and not shown.
        let tick = MediaTime(value: 1, timescale: max(1, track.naturalTimeScale))
        range = TimeRange(start: track.timeRange.start - tick, end: .positiveInfinity)
    }

    /// nil at the end.
    mutating func next() async throws(MediaError) -> MediaTime? {
        while !isAtEnd, waiting.count < Self.delay {
            guard let sample = try await output.next() else {
                isAtEnd = true
                break
            }
            let time = sample.presentationTime
            guard time.isNumeric, range.contains(time) else { continue }
            // Nearly always the latest but a few.
            let place = waiting.lastIndex { $0 <= time }.map { $0 + 1 } ?? 0
            waiting.insert(time, at: place)
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}

/// Two lists of times beside each other: which have no counterpart. A pure value; memory is that of a few numbers.
struct TimeMatch {
    private let tolerance: MediaTime
    /// Of the source, without a counterpart.
    private(set) var missing: (count: Int64, first: MediaTime?) = (0, nil)
    /// Of the copy, without a counterpart.
    private(set) var added: (count: Int64, first: MediaTime?) = (0, nil)
    private(set) var matched: Int64 = 0

    init(tolerance: MediaTime) { self.tolerance = tolerance }

    enum Step { case both, source, copy }

    /// Which of the two goes on; both where they are the same.
    mutating func take(copy: MediaTime?, source: MediaTime?) -> Step {
        guard let source else {
            note(&added, copy)
            return .copy
        }
        guard let copy else {
            note(&missing, source)
            return .source
        }
        if (copy - source).absoluteValue <= tolerance {
            matched += 1
            return .both
        }
        if copy < source {
            note(&added, copy)
            return .copy
        }
        note(&missing, source)
        return .source
    }

    private func note(_ list: inout (count: Int64, first: MediaTime?), _ time: MediaTime?) {
        list.count += 1
        if list.first == nil { list.first = time }
    }
}

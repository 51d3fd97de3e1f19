import AssetIO
import MediaTypes

/// The display times of a track's frames in order, read from packets without decoding. Frames may be stored in a
/// different order than they are shown in, so times wait here until no earlier one can follow.
struct FrameTimes {
    private let output: TrackOutput
    private let range: TimeRange
    private var waiting: [MediaTime] = []
    private var isAtEnd = false
    private var secondFields = SecondFields()
    /// The maximum number of frames that may wait for an earlier one. H.264 and HEVC reorder at most 16, and the field
    /// pairs of HEVC count twice.
    private static let delay = 40

    /// Opens the track.
    ///
    /// - Throws: The errors of opening the file.
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
        // Frames outside of the range are stored only as references, and not shown.
        let tick = MediaTime(value: 1, timescale: max(1, track.naturalTimeScale))
        range = TimeRange(start: track.timeRange.start - tick, end: .positiveInfinity)
    }

    /// Returns the next time; nil at the end.
    mutating func next() async throws(MediaError) -> MediaTime? {
        while !isAtEnd, waiting.count < Self.delay {
            guard let sample = try await output.next() else {
                isAtEnd = true
                break
            }
            if secondFields.contains(sample) { continue }
            let time = sample.presentationTime
            guard time.isNumeric, range.contains(time) else { continue }
            // The place is usually near the end of the list.
            let place = waiting.lastIndex { $0 <= time }.map { $0 + 1 } ?? 0
            waiting.insert(time, at: place)
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }
}

/// A comparison of two lists of times that counts those without a counterpart. A pure value; memory use is constant.
struct TimeMatch {
    private let tolerance: MediaTime
    /// The number of times of the source without a counterpart, and the first of them.
    private(set) var missing: (count: Int64, first: MediaTime?) = (0, nil)
    /// The number of times of the copy without a counterpart, and the first of them.
    private(set) var added: (count: Int64, first: MediaTime?) = (0, nil)
    private(set) var matched: Int64 = 0

    init(tolerance: MediaTime) { self.tolerance = tolerance }

    enum Step { case both, source, copy }

    /// Returns the list or lists to advance; both if the times are equal.
    mutating func take(copy: MediaTime?, source: MediaTime?) -> Step {
        guard let source else {
            record(&added, copy)
            return .copy
        }
        guard let copy else {
            record(&missing, source)
            return .source
        }
        if (copy - source).absoluteValue <= tolerance {
            matched += 1
            return .both
        }
        if copy < source {
            record(&added, copy)
            return .copy
        }
        record(&missing, source)
        return .source
    }

    private func record(_ list: inout (count: Int64, first: MediaTime?), _ time: MediaTime?) {
        list.count += 1
        if list.first == nil { list.first = time }
    }
}

import MediaTypes
import MovieFile

/// Compares the header of a finalized movie with the signed samples. Each must be in its track's table and be shown at
/// its signed time, exact to the tick.
struct HeaderCheck {
    private(set) var problems: [Verification.Problem] = []
    /// The presentation according to the header; nil if its tables were rejected.
    private(set) var presentation: Presentation?
    /// The parts of the file that no signature covers.
    private(set) var notCovered = ["titles and other metadata", "names, dates and languages in the header"]

    /// The tolerance at the end of a track, in seconds. Within it, rounding in the header may hide or show the last
    /// sample.
    private static let tolerance = 0.001

    /// Checks a recording.
    init(
        _ header: SealedFragments.MovieTracks, _ signed: [UInt32: FragmentVerification.Track], end: SignedHead.End?
    ) {
        self.init(header, signed, known: []) { Self.limit($0, end) }
        guard end != nil else { return }
        notCovered = notCovered.map {
            $0 == "titles and other metadata" ? "titles and other metadata, except the drop counts" : $0
        }
    }

    /// Checks a cut. `signed` has the track IDs of the cut.
    ///
    /// - Parameters:
    ///   - known: other tracks that are permitted and not compared.
    ///   - movieEnd: the end of the movie, in seconds from its start.
    init(
        _ header: SealedFragments.MovieTracks, _ signed: [UInt32: FragmentVerification.Track], known: Set<UInt32>,
        movieEnd: Double
    ) {
        self.init(header, signed, known: known) { _ in movieEnd }
    }

    /// - Parameter limit: returns the end of a track, in seconds.
    private init(
        _ header: SealedFragments.MovieTracks, _ signed: [UInt32: FragmentVerification.Track], known: Set<UInt32>,
        limit: (UInt32) -> Double
    ) {
        guard let stored = header.tracks(isOne: { signed[$0]?.description.isOneLeaf ?? false }) else {
            problem(0, nil, "the tables of the header are inconsistent")
            return
        }
        for track in stored where signed[track.id] == nil && !known.contains(track.id) {
            problem(0, nil, "track \(track.id) was added")
        }
        var shown: [Presentation.Track] = []
        for (id, track) in signed.sorted(by: { $0.key < $1.key }) {
            let limit = limit(id)
            let isShown = track.samples.contains {
                Self.isDue(Double($0.time) / Double(track.description.timeScale), before: limit)
            }
            guard let own = stored.first(where: { $0.id == id }) else {
                if isShown { problem(0, nil, "track \(id) is missing") }
                continue
            }
            check(own, track, limit: limit, movieScale: header.timeScale)
            // Players show no frame of video that begins before its edit does, even by a tick.
            let isVideo = own.handler == "vide"
            shown.append(.init(own, track) { Self.isDue($0, before: limit) && (!isVideo || $0 >= 0) })
        }
        presentation = Presentation(tracks: shown, others: known)
    }

    private mutating func describedOtherwise(_ id: UInt32) {
        problem(0, nil, "the decoding and display settings of track \(id) differ from the signed ones")
    }

    /// Returns the end of a track, in seconds.
    private static func limit(_ id: UInt32, _ end: SignedHead.End?) -> Double {
        let times = [end?.movieEnd, end?.trackEnds[String(id)]].compactMap(\.self)
        return times.map(\.seconds).min() ?? .infinity
    }

    private static func isDue(_ time: Double, before limit: Double) -> Bool {
        time > -tolerance / 2 && time < limit - tolerance
    }

    private mutating func problem(_ from: Double, _ to: Double?, _ what: String) {
        // Reports each kind of problem once for each time range, so that a shifted table is not reported for every
        // sample.
        if let last = problems.last, last.what == what, let end = last.to, from - end < 1 {
            problems[problems.count - 1].to = to
        } else {
            problems.append(.init(from: max(0, from), to: to, what: what))
        }
    }

    private mutating func check(
        _ stored: StoredTrack, _ signed: FragmentVerification.Track, limit: Double, movieScale: UInt32
    ) {
        let facts = signed.description
        guard stored.description.hash == facts.form, stored.description.timeScale == facts.timeScale else {
            return describedOtherwise(stored.id)
        }
        var line = ShownTimes(stored, movieScale: movieScale)
        var found: [ShownTimes.Sample] = []
        found.reserveCapacity(min(stored.samples.count, signed.samples.count))
        var next = 0
        var time = 0.0
        for sample in stored.samples {
            // Reports the samples that are missing from the table.
            while next < signed.samples.count, signed.samples[next].offset < sample.offset {
                missing(signed.samples[next], stored.id, facts, limit)
                next += 1
            }
            guard next < signed.samples.count, signed.samples[next].offset == sample.offset,
                signed.samples[next].byteCount == sample.byteCount
            else {
                problem(time, time, "track \(stored.id) plays bytes that the signature does not cover")
                continue
            }
            let own = signed.samples[next]
            next += 1
            time = Double(own.time) / Double(facts.timeScale)
            found.append(.init(presentation: sample.presentation, span: own.span, ticks: own.time))
            if own.isKeyframe != sample.isKeyframe {
                problem(time, time, "the keyframes of track \(stored.id) in the header differ from the signed ones")
            }
            let error = line.error(of: sample.presentation, shownAt: own.time)
            if error ?? 0 != 0 || sample.span ?? own.span != own.span {
                problem(time, time, "the header shows track \(stored.id) at a different time than signed")
            } else if error == nil, Self.isDue(time, before: limit) {
                problem(time, time, "the header hides samples of track \(stored.id)")
            }
        }
        for sample in signed.samples[min(next, signed.samples.count)...] { missing(sample, stored.id, facts, limit) }
        if let ticks = line.strayEdit(found) {
            let time = Double(ticks) / Double(facts.timeScale)
            problem(time, time, "the header shows samples of track \(stored.id) at a wrong time")
        }
    }

    private mutating func missing(
        _ sample: FragmentVerification.SignedSample, _ id: UInt32, _ facts: SignedHead.Track.Description,
        _ limit: Double
    ) {
        guard sample.isProven else { return }
        let time = Double(sample.time) / Double(facts.timeScale)
        if Self.isDue(time, before: limit) { problem(time, time, "the header leaves out samples of track \(id)") }
    }
}

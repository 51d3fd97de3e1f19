package import MediaTypes
import MovieFile

/// The expected presentation of a movie, according to its header and signatures: every sample of each track, with its
/// position in the file and its time.
///
/// `MovieVerifier` creates it with this library's parser. A player's parser may interpret the same bytes differently;
/// `problems(played:)` compares the two.
package struct Presentation: Sendable {
    struct Sample {
        var offset: UInt64
        var byteCount: UInt64
        /// The presentation time in seconds from the start of the movie. `span` is the time from there to the last
        /// sample of a run of PCM audio.
        var time: Double
        var span: Double
        /// True if the sample is proven and is between the start and the end of the movie.
        var isDue: Bool
    }

    struct Track {
        var id: UInt32
        var handler: FourCharCode
        /// True if samples are runs of PCM audio. Players read parts of them.
        var isChunked: Bool
        /// True if one edit shows the track. Only then are times compared: players bridge the gaps between edits in
        /// different ways.
        var hasOneEdit: Bool
        var samples: [Sample]

        /// - Parameter isDue: returns true if a time, in seconds, is within the movie.
        init(_ stored: StoredTrack, _ signed: FragmentVerification.Track, isDue: (Double) -> Bool) {
            (id, handler, isChunked) = (stored.id, stored.handler, signed.description.isOneLeaf)
            hasOneEdit = stored.edits.count == 1
            let scale = Double(max(1, signed.description.timeScale))
            samples = signed.samples.map {
                let time = Double($0.time) / scale
                return Sample(
                    offset: $0.offset, byteCount: $0.byteCount, time: time, span: Double($0.span) / scale,
                    isDue: $0.isProven && isDue(time))
            }
        }
    }

    let tracks: [Track]
    /// Tracks that are not compared.
    let others: Set<UInt32>

    /// The maximum time, in seconds, by which a player may shift a track. FFmpeg makes a track begin with its first
    /// frame.
    private static let slack = 0.15
    /// The maximum difference between the times of one track, in seconds, caused by rounding to ticks.
    private static let rounding = 0.002

    /// Returns the differences between the presentation of a player and the expected one.
    package func problems(played: [PlayedTrack]) -> [Verification.Problem] {
        var problems: [Verification.Problem] = []
        for track in played where !isKnown(track) {
            problems.append(.init(from: 0, to: nil, what: "a player finds track \(track.id), which is not signed"))
        }
        for track in tracks {
            let found = played.filter { $0.id == Int(track.id) }
            guard let kind = track.kind else { continue }
            guard found.count == 1, let own = found.first, own.kind == kind, !own.isLeftOut else {
                if track.samples.contains(where: \.isDue) {
                    problems.append(.init(from: 0, to: nil, what: "a player does not show track \(track.id)"))
                }
                continue
            }
            if let problem = Self.compare(track, own) { problems.append(problem) }
        }
        return problems
    }

    private func isKnown(_ track: PlayedTrack) -> Bool {
        guard let id = UInt32(exactly: track.id) else { return false }
        return others.contains(id) ? track.kind == .other : tracks.contains { $0.id == id }
    }

    private static func compare(_ track: Track, _ played: PlayedTrack) -> Verification.Problem? {
        let places = track.samples.indices.sorted { track.samples[$0].offset < track.samples[$1].offset }
        var isSeen = [Bool](repeating: false, count: track.samples.count)
        var shift: ClosedRange<Double>?
        for packet in played.packets {
            guard let index = sample(of: packet, in: track, places) else {
                let time = max(0, packet.time ?? 0)
                return .init(from: time, to: time, what: "a player shows unsigned data in track \(track.id)")
            }
            isSeen[index] = true
            let sample = track.samples[index]
            guard track.hasOneEdit, let time = packet.time else { continue }
            let late = time - min(max(time, sample.time), sample.time + (track.isChunked ? sample.span : 0))
            let whole = min(late, shift?.lowerBound ?? late)...max(late, shift?.upperBound ?? late)
            shift = whole
            guard abs(late) <= slack, whole.upperBound - whole.lowerBound <= rounding || track.isChunked else {
                return .init(
                    from: max(0, sample.time), to: max(0, sample.time),
                    what: "a player shows track \(track.id) at a different time than signed")
            }
        }
        guard track.hasOneEdit,
            let index = track.samples.indices.first(where: { track.samples[$0].isDue && !isSeen[$0] })
        else { return nil }
        let time = max(0, track.samples[index].time)
        return .init(from: time, to: time, what: "a player does not show all of track \(track.id)")
    }

    /// Returns the index of the sample that equals or contains a packet.
    private static func sample(of packet: PlayedTrack.Packet, in track: Track, _ places: [Int]) -> Int? {
        var (next, end) = (0, places.count)
        while next < end {
            let middle = (next + end) / 2
            if track.samples[places[middle]].offset > packet.offset { end = middle } else { next = middle + 1 }
        }
        guard next > 0, case let index = places[next - 1], case let sample = track.samples[index] else { return nil }
        let isInside =
            track.isChunked
            ? packet.offset - sample.offset <= sample.byteCount
                && packet.byteCount <= sample.byteCount - (packet.offset - sample.offset)
            : packet.offset == sample.offset && packet.byteCount == sample.byteCount
        return isInside ? index : nil
    }
}

extension Presentation.Track {
    /// The kind of the track; nil if the track is neither video nor audio.
    fileprivate var kind: PlayedTrack.Kind? { handler == "vide" ? .video : handler == "soun" ? .audio : nil }
}

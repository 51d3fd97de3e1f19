import Cryptography
import Foundation
import MediaTypes
import MovieFile

/// Verifies that a movie is part of a signed recording. The movie's statement contains signed heads. They must cover
/// each sample that the movie shows, and the sample's distance in time from the other samples.
struct CutVerification {
    private let key: VerificationKey
    private let storage: any MovieStorage
    private var problems: [Verification.Problem] = []
    private var facts: [UInt32: SignedHead.Track.Description] = [:]
    /// The tracks, by their IDs in the recording.
    private var tracks: [UInt32: CutTrack] = [:]
    private var file: SignedHead.File?
    private var describedBy: String?
    private var previous: (number: UInt32, hash: String)?
    private var uncertainty: Double?
    private var reached = 0.0
    private var samples = 0

    /// The limit of a cut's start in the recording, in seconds: a hundred years.
    private static let latest = 3.2e9
    /// The presentation according to the header; nil if its tables were rejected.
    private(set) var presentation: Presentation?

    init(key: VerificationKey, storage: any MovieStorage) { (self.key, self.storage) = (key, storage) }

    private mutating func problem(_ from: Double, _ to: Double?, _ what: String) {
        problems.append(.init(from: max(0, from), to: to.map { max(0, $0) }, what: what))
    }

    mutating func verify(_ cut: CutMovie, name: String) throws(MediaError) -> Verification {
        var answer = Verification(file: name)
        answer.ending = .cut
        guard let statement = cut.statement.flatMap(CutStatement.init) else {
            return altered(&answer, "the statement about the origin of the cut cannot be read")
        }
        // No recorder writes a time beyond this limit. Sums of times within it cannot overflow.
        guard abs(statement.from.seconds) < Self.latest, statement.from.timeScale > 0 else {
            return altered(&answer, "the cut claims a start time that no recording has")
        }
        let described = statement.described.map(head)
        let heads = statement.fragments.map { head($0.proof) }
        guard (described + heads).contains(where: { $0 != nil }) else {
            answer.verdict = .otherKey
            answer.ending = nil
            return answer
        }
        guard statement.namesTracksOnce else {
            return altered(&answer, "the statement about the origin of the cut names a track twice")
        }
        for head in described + heads {
            guard let head else {
                problem(0, nil, "a fragment head in the cut is invalid, or not signed with this key")
                continue
            }
            follow(head.head, hash: head.hash)
        }
        previous = nil
        guard let header = cut.header, !header.isLeading else {
            return altered(&answer, "the header cannot be read, or there is more than one")
        }
        guard let stored = header.tracks(isOne: { id in isOneLeaf(statement, id) }) else {
            return altered(&answer, "the tables of the header are inconsistent")
        }
        if !Self.isPlain(header.movie) {
            problem(0, nil, "the display settings of the movie differ from the signed ones")
        }
        begin(statement, stored)
        for (fragment, head) in zip(statement.fragments, heads) {
            guard let head else { continue }
            try take(fragment, head.head, hash: head.hash)
        }
        conclude(header, stored, &answer)
        describe(statement, &answer)
        return answer
    }

    private func altered(_ answer: inout Verification, _ what: String) -> Verification {
        answer.verdict = .altered
        answer.problems = problems + [.init(from: 0, to: nil, what: what)]
        return answer
    }

    /// Decodes a proof into its head and the head's hash. Returns nil if the proof is invalid, was not made with the
    /// expected key, or belongs to a file's end.
    private func head(_ text: String) -> (head: SignedHead, hash: String)? {
        guard let seal = CutStatement.seal(text), key.isSignature(seal.proof, of: SignedHead.message(seal.head)),
            let head = SignedHead(seal.head), head.end == nil
        else { return nil }
        return (head, SignedHead.hash(seal.head))
    }

    /// Checks that a head is from the same recording as the earlier heads. Every head contains the hash of the newest
    /// previous head that describes tracks.
    private mutating func follow(_ head: SignedHead, hash: String) {
        if head.describedBy != describedBy || (describedBy == nil) != (head.number == 1) {
            problem(0, nil, "it contains fragment heads of several recordings")
        }
        if head.describes { describedBy = hash }
        file = file ?? head.file
        for track in head.tracks ?? [] { facts[track.id] = facts[track.id] ?? track.description }
    }

    private func isOneLeaf(_ statement: CutStatement, _ id: UInt32) -> Bool {
        statement.tracks.first { $0.id == id }.flatMap { facts[$0.source] }?.isOneLeaf ?? false
    }

    /// Returns true if the part of `mvhd` after the duration, except the next track's ID, has default values: normal
    /// speed and volume, and no rotation.
    private static func isPlain(_ movie: [UInt8]) -> Bool {
        var plain: [UInt8] = [0, 1, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 10)
        for word in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] as [UInt32] {
            withUnsafeBytes(of: word.bigEndian) { plain += $0 }
        }
        plain += [UInt8](repeating: 0, count: 24)
        return movie.count == 84 && movie[4..<80].elementsEqual(plain)
    }

    private mutating func begin(_ statement: CutStatement, _ stored: [StoredTrack]) {
        let from = statement.from.seconds
        for claim in statement.tracks {
            guard let facts = facts[claim.source], facts.timeScale > 0,
                let own = stored.first(where: { $0.id == claim.id }), claim.before >= 0, claim.after >= 0,
                case let track = CutTrack(claim, facts, own), claim.before <= track.count
            else {
                problem(0, nil, "track \(claim.id) does not belong to the recording")
                continue
            }
            if abs(Double(claim.zero) / Double(facts.timeScale) - from) > 2 / Double(facts.timeScale) + 1e-9 {
                problem(0, nil, "track \(claim.id) is shown at a different time than signed")
            }
            tracks[claim.source] = track
        }
    }

    // MARK: Fragments

    private mutating func take(
        _ fragment: CutStatement.Fragment, _ head: SignedHead, hash: String
    ) throws(MediaError) {
        if let previous, head.number != previous.number &+ 1 || head.previous != previous.hash {
            problem(reached, nil, "a fragment of the recording is missing, or not in its signed position")
        }
        previous = (head.number, hash)
        uncertainty = head.uncertainty.map { max($0, uncertainty ?? $0) } ?? uncertainty
        let parts = head.tracks ?? []
        let isWhole = fragment.kept.allSatisfy { $0.count == 3 && $0.allSatisfy { 0...(1 << 32) ~= $0 } }
        guard isWhole, fragment.kept.count == parts.count,
            zip(parts, fragment.kept).reduce(0, { $0 + leaves($1.0.id, $1.1) }) == head.leaves,
            let rests = rests(fragment, parts)
        else { return problem(reached, nil, "the statement about a fragment is inconsistent") }
        for id in tracks.keys { tracks[id]?.latest = nil }
        var hashes: [[UInt8]?] = []
        for (part, kept) in zip(parts, fragment.kept) {
            hashes += [[UInt8]?](repeating: nil, count: kept[0])
            try keep(part, kept, rests[part.id] ?? .init(), &hashes)
            hashes += [[UInt8]?](repeating: nil, count: kept[2])
        }
        var left = Data(base64Encoded: fragment.left).map { Array($0) } ?? []
        left.reverse()
        let root = PartialTree.root(hashes[...]) {
            guard left.count >= 32 else { return nil }
            defer { left.removeLast(32) }
            return left.suffix(32).reversed()
        }
        if root?.hexadecimal != head.tree || !left.isEmpty {
            let shown = tracks.values.compactMap(\.latest)
            let from = shown.map(\.lowerBound).min() ?? reached
            problem(from, shown.map(\.upperBound).max() ?? from, "the samples differ from the signed ones")
        } else {
            samples += hashes.count { $0 != nil }
        }
    }

    /// Returns the missing bytes of leaves, by track of the recording; nil if some of these bytes belong to no leaf
    /// that is partly in the movie.
    private func rests(_ fragment: CutStatement.Fragment, _ parts: [SignedHead.Track]) -> [UInt32: CutTrack.Rest]? {
        var rests: [UInt32: CutTrack.Rest] = [:]
        for rest in fragment.rest ?? [] {
            guard let index = parts.firstIndex(where: { $0.id == rest.id }), fragment.kept[index][1] > 0,
                tracks[rest.id]?.facts.isOneLeaf == true, rests[rest.id] == nil,
                let before = Data(base64Encoded: rest.before), let after = Data(base64Encoded: rest.after)
            else { return nil }
            rests[rest.id] = CutTrack.Rest(before: Array(before), after: Array(after))
        }
        return rests
    }

    /// Reports unproven samples at the ends of a track. A player shows all samples of the track, so each must be
    /// proven.
    private mutating func checkEnds(of track: CutTrack) {
        guard track.stored.isShown else { return }
        for range in track.unproven {
            problem(
                range.lowerBound, range.upperBound,
                "the samples of track \(track.claim.id) are not proven here; cut the recording again")
        }
    }

    private func leaves(_ id: UInt32, _ kept: [Int]) -> Int {
        kept[0] + kept[2] + (tracks[id]?.facts.isOneLeaf == true ? min(1, kept[1]) : kept[1])
    }

    /// Adds the hashes of the samples that are in the movie.
    private mutating func keep(
        _ part: SignedHead.Track, _ kept: [Int], _ rest: CutTrack.Rest, _ hashes: inout [[UInt8]?]
    ) throws(MediaError) {
        guard var track = tracks[part.id] else {
            if kept[1] > 0 { problem(reached, nil, "samples of track \(part.id) of the recording are missing") }
            hashes += [[UInt8]?](repeating: nil, count: kept[1])
            return
        }
        defer { tracks[part.id] = track }
        if kept[1] > 0 {
            if track.hasEnded || track.hasBegun && (kept[0] > 0 || !rest.before.isEmpty) {
                problem(reached, nil, "samples of track \(track.claim.id) are missing")
            }
            if !track.hasBegun {
                track.hasBegun = true
                let isFromStart = kept[0] == 0 && track.claim.before == 0 && rest.before.isEmpty
                track.isWhole = part.description != nil && isFromStart
            }
        }
        if track.hasBegun, kept[2] > 0 || !rest.after.isEmpty || kept[1] == 0 && kept[0] > 0 { track.hasEnded = true }
        guard track.next + kept[1] <= track.count else {
            problem(reached, nil, "samples of track \(track.claim.id) are missing")
            hashes += [[UInt8]?](repeating: nil, count: leaves(part.id, [0, kept[1], 0]))
            return
        }
        if track.facts.isOneLeaf {
            if kept[1] > 0 { hashes.append(try track.frames(kept[1], rest, from: storage)) }
        } else {
            for _ in 0..<kept[1] { hashes.append(try track.sample(from: storage)) }
        }
        reached = max(reached, track.shown?.upperBound ?? 0)
    }

    // MARK: The end

    private mutating func conclude(
        _ header: SealedFragments.MovieTracks, _ stored: [StoredTrack], _ answer: inout Verification
    ) {
        var signed: [UInt32: FragmentVerification.Track] = [:]
        let ends = tracks.values.map { track in
            track.stored.end.map { Double($0) / Double(header.timeScale) } ?? track.shown?.upperBound ?? 0
        }
        let end = ends.max() ?? 0
        for track in tracks.values {
            if track.count - track.next != track.claim.after {
                problem(track.shown?.upperBound ?? 0, nil, "track \(track.claim.id) has unsigned samples")
            }
            checkEnds(of: track)
            signed[track.claim.id] = track.signed
        }
        // A cut gets a new timecode, and other chapter titles.
        var left = facts.filter { tracks[$0.key] == nil }.mapValues(\.form)
        var others: Set<UInt32> = []
        for track in stored where signed[track.id] == nil {
            let form = track.description.hash
            if !track.isShown, let source = left.keys.sorted().first(where: { left[$0] == form }) {
                left[source] = nil
                others.insert(track.id)
            } else {
                problem(0, nil, "track \(track.id) does not belong to the recording")
            }
        }
        let check = HeaderCheck(header, signed, known: others, movieEnd: end)
        problems += check.problems
        answer.notCovered = check.notCovered
        answer.notCovered += others.sorted().map { "track \($0), whose samples are not proven" }
        presentation = check.presentation
        for track in tracks.values.sorted(by: { $0.claim.id < $1.claim.id }) {
            answer.notCovered += track.gaps(until: end)
        }
        for id in left.keys.sorted() {
            answer.notCovered.append("track \(id) of the recording, which is not in the cut")
        }
        reached = end
    }

    private mutating func describe(_ statement: CutStatement, _ answer: inout Verification) {
        problems.sort { $0.from < $1.from }
        answer.problems = problems
        answer.verdict = problems.isEmpty ? .genuine : .altered
        answer.cutFrom = statement.from.seconds
        answer.duration = reached
        answer.uncertainty = uncertainty
        answer.fragments = statement.fragments.count
        answer.samples = samples
        guard let file else { return }
        answer.describe(file, from: statement.from.seconds, duration: reached)
    }
}

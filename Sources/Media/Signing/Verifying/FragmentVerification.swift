import Foundation
import MediaTypes
import MovieFile

/// Follows the chain of a file's heads, and compares each head with the samples of its fragment.
struct FragmentVerification {
    /// A range of the file that is a sample, and its signed presentation time.
    struct SignedSample {
        var offset: UInt64
        var byteCount: UInt64
        /// The presentation time in ticks from the start of the movie. `span` is the time from there to the last sample
        /// of a run of PCM audio.
        var time: Int64
        var span: Int64
        var isKeyframe: Bool
        /// True if the sample's fragment is as it was signed.
        var isProven: Bool
    }

    struct Track {
        var description: SignedHead.Track.Description
        var samples: [SignedSample] = []
    }

    private let key: VerificationKey
    private var problems: [Verification.Problem] = []
    private(set) var tracks: [UInt32: Track] = [:]
    private(set) var ties: FileTies?
    /// The presentation according to the header; nil if it has no tables, or they were rejected.
    private(set) var presentation: Presentation?
    private var file: SignedHead.File?
    private var lastHead: String?
    private var lastNumber: UInt32 = 0
    private var uncertainty: Double?
    private var headers: Set<String> = []
    private var fragments = 0
    private var samples = 0
    /// The number of seals with a signature by another key.
    private var foreign = 0
    private var isUnsignedTail = false
    /// The problem of a fragment that has fewer samples than were signed. In the last fragment of a repaired recording
    /// this is not an error.
    private var cutShort: Verification.Problem?
    /// The end of the last proven fragment, in seconds from the start of the movie.
    private var reached = 0.0
    private var missesPlace: Double?

    init(key: VerificationKey) { self.key = key }

    mutating func take(_ fragment: SealedFragments.Fragment, of file: SealedFragments) throws(MediaError) {
        if let cutShort { problems.append(cutShort) }
        cutShort = nil
        guard let seal = fragment.seal else { return takeUnproven(fragment) }
        // The signature is checked before the head's contents are trusted.
        guard key.isSignature(seal.proof, of: SignedHead.message(seal.head)) else {
            foreign += 1
            return takeUnproven(fragment)
        }
        guard let head = SignedHead(seal.head), head.end == nil else { return takeUnproven(fragment) }
        for track in head.tracks ?? [] {
            if let description = track.description {
                tracks[track.id] = tracks[track.id] ?? Track(description: description)
            }
        }
        let span = span(of: fragment)
        let isNext = head.number == lastNumber &+ 1
        if !isNext {
            // Unreadable data is reported once, here.
            problem(
                missesPlace ?? reached, span?.lowerBound,
                head.number > lastNumber
                    ? "fragments \(lastNumber + 1) to \(head.number - 1) are missing or unreadable"
                    : "a fragment is not in its signed position")
        } else if let lastHead, head.previous != lastHead {
            problem(
                reached, span?.upperBound, "this fragment does not follow the previous one: it is from another file")
        } else if missesPlace != nil {
            problem(missesPlace ?? reached, span?.lowerBound, "this data is not signed")
        }
        missesPlace = nil
        begin(head)
        let isProven = try proves(head, fragment, file)
        enter(fragment, isProven: isProven)
        if isProven {
            fragments += 1
            samples += head.leaves ?? 0
        } else if fragment.isTorn {
            isUnsignedTail = true
        } else {
            problem(span?.lowerBound ?? reached, span?.upperBound, "the samples differ from the signed ones")
            if count(of: fragment) < head.leaves ?? 0 { cutShort = problems.popLast() }
        }
        if let span, !fragment.isTorn { reached = max(reached, span.upperBound) }
        lastNumber = max(lastNumber, head.number)
        lastHead = SignedHead.hash(seal.head)
        if let lastHead { ties?.heads.insert(lastHead) }
        ties?.last = lastHead
    }

    /// Handles a fragment without a valid signature: the tail that a crash left, or inserted data.
    private mutating func takeUnproven(_ fragment: SealedFragments.Fragment) {
        if fragment.isTorn { isUnsignedTail = true } else { missesPlace = missesPlace ?? reached }
        enter(fragment, isProven: false)
    }

    private func count(of fragment: SealedFragments.Fragment) -> Int {
        fragment.tracks.reduce(0) { $0 + $1.samples(isOne: tracks[$1.id]?.description.isOneLeaf ?? false).count }
    }

    private mutating func begin(_ head: SignedHead) {
        uncertainty = head.uncertainty.map { max($0, uncertainty ?? $0) } ?? (fragments == 0 ? nil : uncertainty)
        if let own = head.file, file == nil {
            file = own
            ties = FileTies(number: own.number)
        }
        if let before = head.fileBefore { ties?.before = before }
        if let header = head.header { headers.insert(header) }
    }

    private mutating func problem(_ from: Double, _ to: Double?, _ what: String) {
        problems.append(.init(from: max(0, from), to: to.map { max(0, $0) }, what: what))
    }

    /// Returns the time range of a fragment's samples, in seconds from the start of the movie.
    private func span(of fragment: SealedFragments.Fragment) -> ClosedRange<Double>? {
        var range: ClosedRange<Double>?
        for part in fragment.tracks {
            guard let facts = tracks[part.id]?.description, facts.timeScale > 0 else { continue }
            for sample in part.samples(isOne: facts.isOneLeaf) {
                let contents = sample.contents
                let first = Double(Self.time(contents, facts)) / Double(facts.timeScale)
                let last = first + (facts.isOneLeaf ? Double(contents.count) / Double(facts.timeScale) : 0)
                range = min(first, range?.lowerBound ?? first)...max(last, range?.upperBound ?? last)
            }
        }
        return range
    }

    private static func time(
        _ sample: FragmentContents.Sample, _ facts: SignedHead.Track.Description
    ) -> Int64 {
        Int64(clamping: sample.decodeTime) &+ Int64(sample.compositionOffset) &- facts.start
    }

    private func proves(
        _ head: SignedHead, _ fragment: SealedFragments.Fragment, _ file: SealedFragments
    ) throws(MediaError) -> Bool {
        var tree = HashTree()
        guard head.tracks?.map(\.id) == fragment.tracks.map(\.id) else { return false }
        for part in fragment.tracks {
            guard let facts = tracks[part.id]?.description else { return false }
            for sample in part.samples(isOne: facts.isOneLeaf) {
                tree.begin(track: part.id, sample.contents)
                for piece in sample.pieces { guard try file.read(piece.range, { tree.add($0) }) else { return false } }
            }
        }
        return tree.root() == head.tree && tree.leaves == head.leaves
    }

    private mutating func enter(_ fragment: SealedFragments.Fragment, isProven: Bool) {
        for part in fragment.tracks {
            guard let facts = tracks[part.id]?.description else { continue }
            for sample in part.samples(isOne: facts.isOneLeaf) {
                for piece in sample.pieces {
                    tracks[part.id]?.samples.append(
                        SignedSample(
                            offset: piece.range.lowerBound, byteCount: piece.range.upperBound - piece.range.lowerBound,
                            time: Self.time(sample.contents, facts) &+ piece.start, span: piece.span,
                            isKeyframe: sample.contents.isKeyframe, isProven: isProven))
                }
            }
        }
    }

    // MARK: The end

    mutating func conclude(_ movie: SealedFragments, name: String) throws(MediaError) -> Verification {
        let header = movie.header
        var answer = Verification(file: name)
        // Any head is enough, because the first one may be missing.
        guard lastHead != nil else {
            answer.verdict = foreign > 0 ? .otherKey : .unsigned
            return answer
        }
        if movie.hasBadHeader { problem(0, nil, "the header cannot be read, or there is more than one") }
        if movie.holdsStrangeAtoms { problem(0, nil, "the file contains atoms that no recorder writes") }
        if missesPlace != nil { problem(missesPlace ?? reached, nil, "this data is not signed") }
        let end = end(header)
        // The last sample lasts until the end of the movie.
        if let movieEnd = end?.movieEnd, problems.isEmpty { reached = movieEnd.seconds }
        answer.ending = end == nil ? .unsigned : .signed
        if isUnsignedTail, end != nil { problem(reached, nil, "the samples differ from the signed ones") }
        if let cutShort, end != nil { problems.append(cutShort) } else if cutShort != nil { isUnsignedTail = true }
        if let header, header.isLeading {
            // A header before fragments has no samples, but determines how the samples of the fragments are
            // interpreted.
            var bytes: [UInt8] = []
            _ = try movie.read(0..<header.end) { bytes += $0 }
            if !headers.contains(SignedHead.hash(bytes)) { problem(0, nil, "the header differs from the signed one") }
        } else if header == nil, !movie.isFinished {
            problem(0, nil, "the header is missing")
        } else if let header {
            let check = HeaderCheck(header, tracks, end: end)
            if let file, SignedHead.hash(header.movie) != file.movie {
                problem(0, nil, "the display settings of the movie differ from the signed ones")
            }
            problems += check.problems
            answer.notCovered = check.notCovered
            presentation = check.presentation
        }
        if isUnsignedTail || movie.endsInDamage {
            answer.notCovered.append(
                "the incomplete last fragment: everything from \(SignedTime.seconds(reached)) on")
        }
        if movie.holdsCopies {
            answer.notCovered.append("copies of fragment headers, which only `recorder repair` reads")
        }
        answer.uncertainty = uncertainty
        answer.fragments = fragments
        answer.samples = samples
        answer.duration = reached
        if let file { answer.describe(file, from: 0, duration: reached) }
        problems.sort { $0.from < $1.from }
        answer.problems = problems
        answer.verdict = problems.isEmpty ? .genuine : .altered
        return answer
    }

    /// Returns the signed end, if the header has one that belongs to this file.
    private mutating func end(_ header: SealedFragments.MovieTracks?) -> SignedHead.End? {
        guard let header, case let texts = header.metadataValues(MetadataItem.signedEndKey), let text = texts.first
        else {
            return nil
        }
        guard texts.count == 1, let seal = Data(base64Encoded: text).flatMap({ FragmentSeal(Array($0)) }),
            let head = SignedHead(seal.head),
            let end = head.end, key.isSignature(seal.proof, of: SignedHead.message(seal.head))
        else {
            problem(reached, nil, "the signed end is invalid, or not signed with this key")
            return nil
        }
        let hash = SignedHead.hash(seal.head)
        ties?.heads.insert(hash)
        ties?.last = hash
        if end.fragments > lastNumber {
            problem(reached, nil, "the last fragments, \(lastNumber + 1) to \(end.fragments), are missing")
        } else if end.fragments < lastNumber || head.previous != lastHead {
            problem(reached, nil, "the signed end belongs to another file")
        }
        for (key, hash) in end.metadata.sorted(by: { $0.key < $1.key })
        where header.metadata(key).map({ SignedHead.hash(Array($0.utf8)) }) != hash {
            problem(0, nil, "the value of \(key) in the header differs from the signed one")
        }
        return end
    }
}

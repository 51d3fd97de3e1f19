import Foundation
package import MediaTypes
package import MovieFile

/// Creates the statement that proves the origin of a cut. Needs no key, because the proofs of the samples are copied
/// from the recording.
package struct CutProver {
    package enum Outcome: Equatable {
        /// The statement, for `CutMovie.append`.
        case statement([UInt8])
        /// The reason why nothing can be proven.
        case nothing(String)
        /// The recording is not signed.
        case unsigned
    }

    private let cut: any MovieStorage
    private let source: any MovieStorage
    private var cursors: [CutCursor]
    private var statement: CutStatement
    /// The hash of the newest head that describes tracks. `previous` has the hash of the previous head.
    private var describedBy: String?
    private var previous: (number: UInt32, hash: String)?
    private var facts: [UInt32: SignedHead.Track.Description] = [:]

    /// Proves a cut. Reads the heads of the recording. If a fragment is only partly in the cut, also reads its samples
    /// that are not in the cut.
    ///
    /// - Parameters:
    ///   - cut: a finalized movie, remuxed from packets of `source`.
    ///   - from: the start of the cut, on the timeline of `source`.
    /// - Throws: the storages' errors.
    package static func prove(
        _ cut: any MovieStorage, of source: any MovieStorage, from: MediaTime
    ) throws(MediaError) -> Outcome {
        guard try SealedFragments.begin(source) else { return .unsigned }
        var fragments = try SealedFragments(source)
        guard let header = try CutMovie.header(ofFinished: cut), case let frames = header.tracksOfFrames,
            let tracks = header.tracks(isOne: { frames.contains($0) })
        else { return .nothing("the header of the copy is missing or inconsistent") }
        var prover = CutProver(cut, source, header, tracks, from)
        var next = try fragments.next()
        while !prover.isDone, let fragment = next {
            next = try fragments.next()
            if let reason = try prover.take(fragment, of: fragments, isLast: next == nil) { return .nothing(reason) }
        }
        return prover.conclude()
    }

    private init(
        _ cut: any MovieStorage, _ source: any MovieStorage, _ header: SealedFragments.MovieTracks,
        _ tracks: [StoredTrack], _ from: MediaTime
    ) {
        (self.cut, self.source) = (cut, source)
        cursors = tracks.filter { !$0.samples.isEmpty }.map {
            CutCursor($0, movieScale: header.timeScale, from: from)
        }
        statement = CutStatement(from: .init(value: from.value, timeScale: from.timescale), tracks: [])
    }

    /// The number of fragments since the last sample of the cut was found. The search continues for a few fragments,
    /// because another track may begin later.
    private var idle = 0
    private var isDone: Bool { idle > 2 }

    private func conclude() -> Outcome {
        var statement = statement
        statement.fragments.removeLast(
            statement.fragments.reversed().prefix { $0.kept.allSatisfy { $0[1] == 0 } }.count)
        statement.tracks = cursors.filter(\.isFound).map { cursor in
            var cursor = cursor
            if !cursor.isDone { cursor.end() }
            return cursor.claim
        }
        guard !statement.fragments.isEmpty, cursors.allSatisfy({ $0.isFound || !$0.isShown }) else {
            return .nothing("the descriptions of its tracks were changed, such as by another container or rotation")
        }
        let isTorn = statement.tracks.contains { claim in
            claim.after > 0 && cursors.contains { $0.claim.id == claim.id && $0.isShown }
        }
        guard !isTorn else {
            return .nothing("it continues past damaged or missing data, which cannot be proven; end the cut before it")
        }
        let bytes = statement.bytes
        guard bytes.count <= CutMovie.largestStatement else {
            return .nothing("the proof is too long; make a shorter cut")
        }
        return .statement(bytes)
    }

    /// - Returns: the reason if nothing can be proven; nil otherwise.
    private mutating func take(
        _ fragment: SealedFragments.Fragment, of file: SealedFragments, isLast: Bool
    ) throws(MediaError) -> String? {
        let hasBegun = !statement.fragments.isEmpty
        guard let seal = fragment.seal, let head = SignedHead(seal.head), !fragment.isTorn,
            head.tracks?.map(\.id) == fragment.tracks.map(\.id),
            previous.map({ head.number == $0.number &+ 1 && head.previous == $0.hash }) ?? (head.number == 1)
        else { return leave(hasBegun) }
        guard head.describedBy == describedBy else {
            return "it was signed by a recorder before 0.2, whose fragment heads lack the needed references"
        }
        let hash = SignedHead.hash(seal.head)
        previous = (head.number, hash)
        for track in head.tracks ?? [] { facts[track.id] = facts[track.id] ?? track.description }
        var leaves: [(UInt32, SealedFragments.Sample)] = []
        for track in fragment.tracks {
            guard let own = facts[track.id] else { return leave(hasBegun) }
            leaves += track.samples(isOne: own.isOneLeaf).map { (track.id, $0) }
        }
        // A repair may have shortened the last fragment, even within a leaf.
        guard leaves.count == head.leaves else { return leave(hasBegun) }
        if isLast, try root(leaves, file) != head.tree { return leave(hasBegun) }
        var matches: [CutCursor.Match] = []
        for track in fragment.tracks {
            let none = CutCursor.none(leaves.count { $0.0 == track.id })
            guard let own = facts[track.id] else { continue }
            matches.append(try match(track, own, file) ?? none)
        }
        if hasBegun || matches.contains(where: { $0.kept > 0 }) {
            statement.fragments.append(
                .init(
                    proof: CutStatement.text(seal), kept: matches.map { [$0.before, $0.kept, $0.after] },
                    left: try left(leaves, matches, file), rest: try rest(fragment, matches, file)))
            idle = cursors.allSatisfy { $0.isDone || !$0.isFound } ? idle + 1 : 0
        } else if head.describes {
            statement.described.append(CutStatement.text(seal))
        }
        if head.describes { describedBy = hash }
        return nil
    }

    /// Ends the proof at this fragment. Returns nil if the cut has begun. Otherwise nothing can be proven, and the
    /// reason is returned.
    private mutating func leave(_ hasBegun: Bool) -> String? {
        guard hasBegun else { return "the recording is damaged before the cut" }
        for index in cursors.indices where cursors[index].isFound && !cursors[index].isDone { cursors[index].end() }
        return nil
    }

    private mutating func match(
        _ track: SealedFragments.Track, _ own: SignedHead.Track.Description, _ file: SealedFragments
    ) throws(MediaError) -> CutCursor.Match? {
        let cut = cut
        let isSame = {
            (sample: StoredTrack.Sample, leaf: SealedFragments.Sample, frame: Int) throws(MediaError) -> Bool in
            try Self.isSame(sample, of: cut, leaf, of: file, frame: frame)
        }
        if let index = cursors.firstIndex(where: { $0.isFound && $0.claim.source == track.id }) {
            return try cursors[index].match(track, own, isSame: isSame)
        }
        for index in cursors.indices where !cursors[index].isFound {
            let description = cursors[index].description
            guard description.timeScale == own.timeScale, description.hash == own.form else { continue }
            if let match = try cursors[index].match(track, own, isSame: isSame) { return match }
        }
        return nil
    }

    /// Returns true if a sample has the bytes of a leaf. A PCM chunk is compared with the leaf from `frame` on, up to
    /// the end of the shorter one.
    private static func isSame(
        _ sample: StoredTrack.Sample, of cut: any MovieStorage, _ leaf: SealedFragments.Sample,
        of file: SealedFragments, frame: Int
    ) throws(MediaError) -> Bool {
        var bytes: [UInt8] = []
        for piece in leaf.pieces where bytes.count < 64 << 20 { _ = try file.read(piece.range) { bytes += $0 } }
        let rest = bytes.dropFirst(bytes.count / max(1, Int(leaf.contents.count)) * frame)
        let count = min(rest.count, Int(clamping: sample.byteCount))
        return try cut.read(count, at: sample.offset) == Array(rest.prefix(count))
    }

    private func root(
        _ leaves: [(UInt32, SealedFragments.Sample)], _ file: SealedFragments
    ) throws(MediaError) -> String {
        var tree = HashTree()
        for (track, leaf) in leaves {
            tree.begin(track: track, leaf.contents)
            for piece in leaf.pieces { _ = try file.read(piece.range) { tree.add($0) } }
        }
        return tree.root()
    }

    /// Returns the missing bytes of the leaves that are only partly in the cut; nil if there are no such leaves.
    private func rest(
        _ fragment: SealedFragments.Fragment, _ matches: [CutCursor.Match], _ file: SealedFragments
    ) throws(MediaError) -> [CutStatement.Rest]? {
        var rests: [CutStatement.Rest] = []
        for (track, match) in zip(fragment.tracks, matches) where match.lead > 0 || match.rest > 0 {
            var bytes: [UInt8] = []
            for piece in track.samples(isOne: true).flatMap(\.pieces) { _ = try file.read(piece.range) { bytes += $0 } }
            let size = bytes.count / max(1, match.lead + match.kept + match.rest)
            let text = { (bytes: ArraySlice<UInt8>) in Data(bytes).base64EncodedString() }
            rests.append(
                .init(
                    id: track.id, before: text(bytes.prefix(match.lead * size)),
                    after: text(bytes.suffix(match.rest * size))))
        }
        return rests.isEmpty ? nil : rests
    }

    /// Returns the hashes that represent the leaves that are not in the cut.
    private func left(
        _ leaves: [(UInt32, SealedFragments.Sample)], _ matches: [CutCursor.Match], _ file: SealedFragments
    ) throws(MediaError) -> String {
        var isKept = [Bool](repeating: false, count: leaves.count)
        var first = 0
        for match in matches {
            for index in match.range where first + index < isKept.count { isKept[first + index] = true }
            first += match.before + match.range.count + match.after
        }
        var hashes: [[UInt8]?] = []
        for (index, (track, leaf)) in leaves.enumerated() {
            guard !isKept[index] else {
                hashes.append(nil)
                continue
            }
            var hash = LeafHash(track: track, leaf.contents)
            for piece in leaf.pieces { _ = try file.read(piece.range) { hash.add($0) } }
            hashes.append(hash.finish())
        }
        return Data(PartialTree.hashes(hashes[...]).flatMap(\.self)).base64EncodedString()
    }
}

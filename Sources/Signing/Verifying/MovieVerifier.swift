import Foundation
package import MediaTypes
package import MovieFile

/// Tells whether recordings are what a recorder signed. Reads each once, in bounded pieces, and changes nothing.
package struct MovieVerifier {
    private let key: VerificationKey
    /// Of the files looked at so far, by recording and number.
    private var ties: [String: [Int: FileTies]] = [:]

    /// What the file looked at last is to show, for comparing it with what a player shows; nil where it has no header with tables.
    package private(set) var presentation: Presentation?

    package init(key: VerificationKey) { self.key = key }

    /// Looks at one file, and at what ties it to those before.
    ///
    /// - Parameter name: what the answer calls it.
    /// - Throws: the storage's error. What the file holds is never one.
    package mutating func verify(_ storage: any MovieStorage, name: String) throws(MediaError) -> Verification {
        presentation = nil
        if let cut = try CutMovie(storage) {
            var verification = CutVerification(key: key, storage: storage)
            let answer = try verification.verify(cut, name: name)
            presentation = verification.presentation
            return answer
        }
        var walk = FragmentVerification(key: key)
        var fragments = try SealedFragments(storage)
        while let fragment = try fragments.next() { try walk.take(fragment, of: fragments) }
        var answer = try walk.conclude(fragments, name: name)
        presentation = walk.presentation
        if let recording = answer.recording, let own = walk.ties {
            tie(own, of: recording, into: &answer)
            ties[recording, default: [:]][own.number] = own
        }
        return answer
    }

    /// What the file before is said to have been is compared with what it is, where both were given.
    private func tie(_ own: FileTies, of recording: String, into answer: inout Verification) {
        guard let known = ties[recording], let newest = known.keys.filter({ $0 < own.number }).max() else { return }
        func problem(_ what: String) {
            answer.verdict = .altered
            answer.problems.insert(.init(from: 0, to: 0, what: what), at: 0)
        }
        if newest &+ 1 < own.number {
            let missing =
                newest &+ 2 == own.number ? "file \(newest &+ 1)" : "files \(newest &+ 1) to \(own.number &- 1)"
            return problem("\(missing) of the recording, before this one, is missing")
        }
        guard let before = own.before, let other = known[newest] else { return }
        if !other.heads.contains(before.head) {
            problem(
                before.isEnd
                    ? "the file before is not whole: its signed end is missing"
                    : "the file before is another one than was recorded")
        }
    }
}

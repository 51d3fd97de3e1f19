import Foundation
package import MediaTypes
package import MovieFile

/// Verifies that recordings are as a recorder signed them. Reads each file once, in pieces of limited size, and changes
/// nothing.
package struct MovieVerifier {
    private let key: VerificationKey
    /// The ties of the files that were verified so far, by recording and number.
    private var ties: [String: [Int: FileTies]] = [:]

    /// The expected presentation of the last file, for comparison with a player; nil if it has no header with tables.
    package private(set) var presentation: Presentation?

    package init(key: VerificationKey) { self.key = key }

    /// Verifies one file, and its tie to the previous ones.
    ///
    /// - Parameter name: the name of the file in the result.
    /// - Throws: the storage's error. The contents of the file never cause one.
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

    /// Compares the previous file with its description in this one, if both files were given.
    private func tie(_ own: FileTies, of recording: String, into answer: inout Verification) {
        guard let known = ties[recording], let newest = known.keys.filter({ $0 < own.number }).max() else { return }
        func problem(_ what: String) {
            answer.verdict = .altered
            answer.problems.insert(.init(from: 0, to: 0, what: what), at: 0)
        }
        if newest &+ 1 < own.number {
            let missing =
                newest &+ 2 == own.number ? "file \(newest &+ 1)" : "files \(newest &+ 1) to \(own.number &- 1)"
            return problem("missing before this file: \(missing) of the recording")
        }
        guard let before = own.before, let other = known[newest] else { return }
        if !other.heads.contains(before.head) {
            problem(
                before.isEnd
                    ? "the previous file is incomplete: its signed end is missing"
                    : "the previous file is not the one that was recorded before this one")
        }
    }
}

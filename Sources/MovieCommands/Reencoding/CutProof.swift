import MediaTypes
import MovieFile
import RealTime
import Signing

/// The proof that a copy carries of what it holds of a signed recording.
final class CutProof: Sendable {
    private let source: String
    private let missing: Locked<String?>

    /// Whether one of several films is signed: what is made of all of them carries no proof.
    ///
    /// - Throws: why one cannot be read.
    static func isAnySigned(_ films: [String]) throws(MediaError) -> Bool {
        for film in films where try CutProof(film) != nil { return true }
        return false
    }

    /// nil where nobody signed the file.
    ///
    /// - Throws: why it cannot be read.
    init?(_ source: String) throws(MediaError) {
        self.source = source
        let file = try DiskFile(path: source, mode: .read)
        if try SealedFragments.begin(file) {
            missing = Locked("what is encoded anew is not what was signed")
        } else if try CutMovie(file) != nil {
            missing = Locked("the film is a cut itself; cut the recording")
        } else {
            return nil
        }
    }

    /// What the copy lacks, for its owner; nil where it carries the proof.
    var leftOut: String? { missing.withLock { $0 }.map { "the signature: \($0)" } }

    /// Adds the proof to a copy that is whole. Reads the heads of the whole recording.
    ///
    /// - Parameter from: when the copy begins, on the recording's time line.
    func add(to path: String, from: MediaTime) throws(MediaError) {
        let copy = try DiskFile(path: path, mode: .update)
        defer { copy.close() }
        switch try CutProver.prove(copy, of: try DiskFile(path: source, mode: .read), from: from) {
        case .statement(let bytes):
            try CutMovie.append(bytes, to: copy)
            missing.withLock { $0 = nil }
        case .nothing(let reason): missing.withLock { $0 = reason }
        case .unsigned: break
        }
    }
}

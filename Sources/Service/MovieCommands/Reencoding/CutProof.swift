import MediaTypes
import MovieFile
import RealTime
import Signing

/// Adds to a copy the proof that it is a cut of a signed recording.
final class CutProof: Sendable {
    private let source: String
    private let missing: Locked<String?>

    /// Returns true if at least one of several movies is signed. A copy that is joined from them carries no proof.
    ///
    /// - Throws: The reason why a movie cannot be read.
    static func isAnySigned(_ movies: [String]) throws(MediaError) -> Bool {
        for movie in movies where try CutProof(movie) != nil { return true }
        return false
    }

    /// Opens the proof of a signed file; nil if the file is not signed.
    ///
    /// - Throws: The reason why it cannot be read.
    init?(_ source: String) throws(MediaError) {
        self.source = source
        let file = try DiskFile(path: source, mode: .read)
        if try SealedFragments.begin(file) {
            missing = Locked("re-encoded media is not what was signed")
        } else if try CutMovie(file) != nil {
            missing = Locked("the file is a cut itself; cut the original recording")
        } else {
            return nil
        }
    }

    /// The reason why the copy carries no proof, for the user; nil if it carries one.
    var leftOut: String? { missing.withLock { $0 }.map { "the signature: \($0)" } }

    /// Adds the proof to a complete copy. Reads the fragment headers of the entire recording.
    ///
    /// - Parameter from: The beginning of the copy on the recording's timeline.
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

import Foundation
import MovieFile

/// What a movie that was cut out of a signed one says of where its samples come from, as JSON. `docs/signature.md` describes every
/// key. It is not signed itself: a verifier believes nothing of it, but finds by it what was signed.
struct CutStatement: Codable, Equatable {
    struct Track: Codable, Equatable {
        /// In this movie, and in the recording.
        var id: UInt32
        var source: UInt32
        /// When this movie begins on the recording's time line, in ticks of the track.
        var zero: Int64
        /// What is added to a decode time and a composition offset of this movie's tables to have those that were signed.
        var decodeTime: Int64
        var compositionOffset: Int32
        /// Samples in front of and behind those that the fragments below prove.
        var before: Int
        var after: Int
    }

    struct Fragment: Codable, Equatable {
        /// The head and its signature, laid out as in a recording, in base 64.
        var proof: String
        /// Of each of the head's tracks: how many leaves were left out, how many samples follow in this movie, and how many leaves
        /// were left out then.
        var kept: [[Int]]
        /// The hashes that stand for leaves that were left out, one behind the other, in base 64.
        var left: String
        /// The rest of each leaf of PCM audio of which this movie has a part; nil where it has none.
        var rest: [Rest]?
    }

    /// Frames of a leaf of PCM audio that the movie does not hold: only the whole leaf proves the frames that it holds.
    struct Rest: Codable, Equatable {
        /// The track's, in the recording.
        var id: UInt32
        /// The bytes before and after the movie's frames, in base 64.
        var before: String
        var after: String
    }

    /// One that a verifier does not know proves nothing to it.
    var version = Self.version
    /// When this movie begins, on the recording's time line.
    var from: SignedHead.Time
    var tracks: [Track]
    /// The proofs of the heads that say how those of the fragments are to be understood, from the recording's first on.
    var described: [String]
    var fragments: [Fragment]

    static let version = 1

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// nil for what is none, or one of another version.
    init?(_ bytes: [UInt8]) {
        guard let statement = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            statement.version == Self.version
        else { return nil }
        self = statement
    }

    init(from: SignedHead.Time, tracks: [Track]) {
        (self.from, self.tracks, described, fragments) = (from, tracks, [], [])
    }

    static func text(_ seal: FragmentSeal) -> String { Data(seal.bytes).base64EncodedString() }

    static func seal(_ text: String) -> FragmentSeal? { Data(base64Encoded: text).flatMap { FragmentSeal(Array($0)) } }
}

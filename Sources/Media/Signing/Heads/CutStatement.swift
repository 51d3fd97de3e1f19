import Foundation
import MovieFile

/// The origin of the samples of a movie that was cut from a signed one, as JSON. `docs/reference/signature.md`
/// describes every key.
///
/// The statement itself is not signed. A verifier does not trust it, and uses it only to find the signed data.
struct CutStatement: Codable, Equatable {
    struct Track: Codable, Equatable {
        /// The track's ID in this movie, and in the recording.
        var id: UInt32
        var source: UInt32
        /// The start of this movie on the recording's timeline, in ticks of the track.
        var zero: Int64
        /// The values to add to a decode time and a composition offset of this movie's tables to get the signed ones.
        var decodeTime: Int64
        var compositionOffset: Int32
        /// The number of samples before those that the fragments prove. `after` is the number after them.
        var before: Int
        var after: Int
    }

    struct Fragment: Codable, Equatable {
        /// The head and its signature, in the same format as in a recording, in base64.
        var proof: String
        /// Three numbers for each track of the head: the leaves left out before this movie's samples, the samples that
        /// this movie contains, and the leaves left out after them.
        var kept: [[Int]]
        /// The concatenated hashes that represent the leaves that were left out, in base64.
        var left: String
        /// The rest of each PCM leaf that is partly in this movie; nil if there is none.
        var rest: [Rest]?
    }

    /// The frames of a PCM leaf that the movie does not contain. Only the complete leaf proves the frames that the
    /// movie contains.
    struct Rest: Codable, Equatable {
        /// The track's ID in the recording.
        var id: UInt32
        /// The bytes before and after the movie's frames, in base64.
        var before: String
        var after: String
    }

    /// The version of the format. A statement of a version that a verifier does not know proves nothing.
    var version = Self.version
    /// The start of this movie, on the recording's timeline.
    var from: SignedHead.Time
    var tracks: [Track]
    /// The proofs of all heads before `fragments` that describe the file or a track, beginning with the recording's
    /// first head.
    var described: [String]
    var fragments: [Fragment]

    static let version = 1

    /// True if each track of this movie and each track of the recording occurs at most once. Otherwise it would depend
    /// on the reader which entry of a track counts: the one that says how its tables are read, or another one.
    var namesTracksOnce: Bool {
        Set(tracks.map(\.id)).count == tracks.count && Set(tracks.map(\.source)).count == tracks.count
    }

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// Parses a statement. Returns nil for invalid bytes and for another version.
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

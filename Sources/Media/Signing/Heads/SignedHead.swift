import Cryptography
import Foundation
import MovieFile

/// The signed head of a fragment, as JSON. The signature covers exactly the bytes that are stored in the file.
/// `docs/reference/signature.md` describes every key.
struct SignedHead: Codable, Equatable {
    struct File: Codable, Equatable {
        /// Identifies one recording, from a start to a stop.
        var recording: String
        /// The number of the file in the recording, from 1.
        var number: Int
        var recorder: String
        var software: String
        var camera: String?
        var microphone: String?
        /// The wall clock at the start of the movie.
        var begun: String
        /// The hash of the header's settings for presenting the movie.
        var movie: String
        /// The fingerprint of the key.
        var key: String
    }

    struct FileBefore: Codable, Equatable {
        var number: Int
        /// The hash of the previous file's newest known head.
        var head: String
        /// True if that head is the end of the previous file.
        var isEnd: Bool
    }

    struct Track: Codable, Equatable {
        struct Description: Codable, Equatable {
            var timeScale: UInt32
            /// The start of the movie on the track's timeline, in ticks.
            var start: Int64
            /// The hash of the track's settings for decoding and presenting samples.
            var form: String
            /// True if all samples of a fragment form one leaf.
            var isOneLeaf: Bool

            init(_ track: TrackDescription, isOneLeaf: Bool) {
                (timeScale, start, form) = (track.timeScale, track.start, track.hash)
                self.isOneLeaf = isOneLeaf
            }
        }

        var id: UInt32
        /// The decode time of the first sample, in ticks.
        var decodeTime: UInt64
        var description: Description?
    }

    struct Time: Codable, Equatable {
        var value: Int64
        var timeScale: Int32

        var seconds: Double { Double(value) / Double(max(1, timeScale)) }
    }

    struct End: Codable, Equatable {
        var fragments: UInt32
        /// The end of the movie, from its start; if absent, the movie ends with its last sample.
        var movieEnd: Time?
        /// The ends of tracks, by their IDs.
        var trackEnds: [String: Time]
        /// The hashes of the header's metadata, by key.
        var metadata: [String: String]
    }

    /// The number of the fragment in the file, from 1. The signed end has the number after that of the last fragment.
    var number: UInt32
    /// The hash of the previous head; absent in the first.
    var previous: String?
    /// The hash of the newest previous head that describes the file or a track of it; absent if there is none.
    var describedBy: String?
    /// The wall clock when this was signed, and its possible error in seconds. The error is absent if no program sets
    /// the clock.
    var time: String
    var uncertainty: Double?
    /// The root of the hash tree over the fragment's samples. `leaves` is the number of its leaves.
    var tree: String?
    var leaves: Int?
    var tracks: [Track]?
    /// The hash of everything before the first fragment; present if a track has its first samples in this fragment.
    var header: String?
    var file: File?
    var fileBefore: FileBefore?
    var end: End?

    /// True if the head describes the file or a track. Other heads can be interpreted only with this description.
    var describes: Bool { file != nil || tracks?.contains { $0.description != nil } ?? false }

    /// The prefix that is signed together with a head. It ensures that no other text signed with the same key can pass
    /// for a head.
    private static let domain = Array("recorder fragment head 1\n".utf8)

    static func message(_ head: [UInt8]) -> [UInt8] { domain + head }

    static func hash(_ head: [UInt8]) -> String { SHA256.hash(data: head).hexadecimal }

    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    init?(_ bytes: [UInt8]) {
        guard let head = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = head
    }

    init(number: UInt32, previous: String?, time: SignedTime) {
        self.number = number
        self.previous = previous
        self.time = time.text
        uncertainty = time.uncertainty
    }
}

extension TrackDescription {
    var hash: String { SignedHead.hash(form) }
}

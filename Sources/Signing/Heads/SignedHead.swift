import Crypto
import Foundation
import MovieFile

/// What is signed of a fragment, as JSON: the bytes that stand in the file are the ones that are signed. `docs/signature.md`
/// describes every key.
struct SignedHead: Codable, Equatable {
    struct File: Codable, Equatable {
        /// Names one recording, from a start to a stop.
        var recording: String
        /// Counts its files, from 1.
        var number: Int
        var recorder: String
        var software: String
        var camera: String?
        var microphone: String?
        /// The wall clock at the movie's beginning.
        var begun: String
        /// The hash of what the header says about showing the movie as a whole.
        var movie: String
        /// The fingerprint of the key.
        var key: String
    }

    struct FileBefore: Codable, Equatable {
        var number: Int
        /// The hash of its newest head that was known.
        var head: String
        /// That head is its end.
        var isEnd: Bool
    }

    struct Track: Codable, Equatable {
        struct Description: Codable, Equatable {
            var timeScale: UInt32
            /// Where on its time line the movie begins, in ticks.
            var start: Int64
            /// The hash of what says how samples are to be decoded and shown.
            var form: String
            /// All samples of a fragment are one leaf.
            var isOneLeaf: Bool

            init(_ track: TrackDescription, isOneLeaf: Bool) {
                (timeScale, start, form) = (track.timeScale, track.start, track.hash)
                self.isOneLeaf = isOneLeaf
            }
        }

        var id: UInt32
        /// When its first sample is decoded, in ticks.
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
        /// Where the movie ends, from its beginning; absent: with its last sample.
        var movieEnd: Time?
        /// The same for tracks, by their ids.
        var trackEnds: [String: Time]
        /// The hashes of what the header says by these keys.
        var metadata: [String: String]
    }

    /// Counts the fragments of the file, from 1; of the end it is one more than the last.
    var number: UInt32
    /// The hash of the head before; absent in the first.
    var previous: String?
    /// The hash of the newest head before that describes the file or a track of it; absent where there is none.
    var describedBy: String?
    /// The wall clock when this was signed, and how wrong it may be, in seconds; absent where nothing sets the clock.
    var time: String
    var uncertainty: Double?
    /// The root of the tree of samples, and how many leaves it has.
    var tree: String?
    var leaves: Int?
    var tracks: [Track]?
    /// The hash of everything in front of the first fragment, where that is new.
    var header: String?
    var file: File?
    var fileBefore: FileBefore?
    var end: End?

    /// It says how others are to be understood.
    var describes: Bool { file != nil || tracks?.contains { $0.description != nil } ?? false }

    /// What stands in front of a head when it is signed, so that no other text of the key's owner can be taken for one.
    private static let domain = Array("recorder fragment head 1\n".utf8)

    static func message(_ head: [UInt8]) -> [UInt8] { domain + head }

    static func hash(_ head: [UInt8]) -> String { Hexadecimal.text(SHA256.hash(data: head)) }

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

import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile
@testable import Signing

/// Tests that no number in a movie ends the program. Each number of a header and of a fragment header is replaced by
/// the ends of its range, and the readers of our movies process the result. An addition that overflows would end these
/// tests.
///
/// RECORDER_NUMBERS=all tries every number at every place; otherwise every third place has one of them.
@Suite(.timeLimit(.minutes(60))) struct ExtremeNumberTests {
    private static let isThorough = ProcessInfo.processInfo.environment["RECORDER_NUMBERS"] == "all"
    private static let words: [UInt32] = [0, 1, 0x7FFF_FFFF, 0x8000_0000, .max, 0x1_0000]
    private static let longWords: [UInt64] = [0, UInt64(Int64.max), 1 << 63, .max, 1 << 62, 1 << 60, .max - 0xFFFF]

    private static let short = try! SignedMovie(fragments: 0..<1)

    private static func movie(_ name: String) async throws -> [UInt8] {
        switch name {
        case "growing": short.growing
        case "finished": short.finished
        case "torn": Array(short.growing.dropLast(500))
        default: try await SignedCut(SignedPCM.finished, 0.6...0.8, media: [.audio]).bytes
        }
    }

    @Test(arguments: ["growing", "finished", "torn", "cut of PCM"])
    func movie_extremeNumbers_doNotCrash(name: String) async throws {
        let original = try await Self.movie(name)
        let places = Self.places(original)
        #expect(places.count > 150, "\(places.count)")
        for (index, place) in places.enumerated() where Self.isThorough || index.isMultiple(of: 3) {
            let choices = Self.words.count + Self.longWords.count
            for choice in Self.isThorough ? Array(0..<choices) : [index / 3 % choices] {
                var bytes = original
                let number =
                    choice < Self.words.count
                    ? Self.words[choice].bytes : Self.longWords[choice - Self.words.count].bytes
                guard place + number.count <= bytes.count else { continue }
                bytes.replaceSubrange(place..<(place + number.count), with: number)
                try Self.read(bytes)
            }
        }
    }

    private static func read(_ bytes: [UInt8]) throws {
        let answer = try SignedMovie.verify(bytes)
        #expect(answer.problems.allSatisfy { $0.from >= 0 && $0.from.isFinite })
        let storage = MemoryStorage(bytes)
        let shape = try FileShape(storage)
        _ = try TableCheck(storage, shape)
        _ = try? MovieFinisher.look(at: storage)
        _ = try? MovieFinisher.finish(storage)
    }

    /// Every fourth byte that is not media: of headers, of fragment headers and of the beginning of their media data.
    private static func places(_ bytes: [UInt8]) -> [Int] {
        var places: [Int] = []
        func walk(_ range: Range<Int>) {
            var place = range.lowerBound
            while range.upperBound - place >= 8 {
                let size = Int(bytes.number(at: place))
                guard size >= 8, size <= range.upperBound - place else { return }
                let end = place + size
                switch String(decoding: bytes[(place + 4)..<(place + 8)], as: UTF8.self) {
                case "moov", "trak", "mdia", "minf", "stbl", "edts", "moof", "traf", "mvex":
                    places += [place, place + 4]
                    walk((place + 8)..<end)
                case "mdat":
                    places += stride(from: place, to: min(end, place + 16), by: 4)
                    // A finalized movie has its fragments in there.
                    if end - place > 16, bytes[(place + 12)..<(place + 16)].elementsEqual("mvhd".utf8) {
                        walk((place + 8)..<end)
                    }
                case "free", "uuid", "ftyp": places += stride(from: place, to: min(end, place + 64), by: 4)
                default: places += stride(from: place, to: end, by: 4)
                }
                place = end
            }
        }
        walk(0..<bytes.count)
        return places
    }
}

import Foundation
import MediaTypes
import MovieFile
import TestSupport

@testable import Signing

/// One alteration of a signed recording, chosen by a seed.
struct Alteration {
    /// The state of the recording.
    enum Form: CaseIterable { case growing, finished, cut }

    /// The recordings that are altered, and those that others' parts come from.
    struct Originals {
        let movie = SignedMovie.one
        /// Recordings of the same recorder, and of another key's owner.
        let other = try! SignedMovie()
        let foreign = try! SignedMovie(SignedMovie.signer(SigningKey()))
        let cut: SignedCut
        let otherCut: SignedCut
        let fragments: [Form: [Range<Int>]]
        /// The byte ranges of the samples in the file, with their presentation times.
        let samples: [Form: [(bytes: Range<Int>, seconds: Double)]]

        init() async throws {
            cut = try await SignedCut(movie.finished, 2.3...3.9)
            otherCut = try await SignedCut(other.finished, 2.3...3.9)
            fragments = [
                .growing: try SignedMovie.fragments(movie.growing),
                .finished: try SignedMovie.fragments(movie.finished),
            ]
            samples = [
                .growing: try Self.samples(movie.growing), .finished: try Self.samples(movie.finished),
                .cut: try Self.samples(cut),
            ]
        }

        func bytes(_ form: Form) -> [UInt8] {
            switch form {
            case .growing: movie.growing
            case .finished: movie.finished
            case .cut: cut.bytes
            }
        }

        private static func samples(_ cut: SignedCut) throws -> [(bytes: Range<Int>, seconds: Double)] {
            let tracks = try CutMovie(MemoryStorage(cut.bytes))?.header?.tracks { _ in false } ?? []
            return tracks.flatMap { track in
                track.samples.map { sample in
                    // Media that only decoding needs is reported at time 0.
                    let ticks = max(0, sample.presentation - (track.edits.first?.mediaTime ?? 0))
                    return (
                        Int(sample.offset)..<Int(sample.offset + sample.byteCount),
                        Double(ticks) / Double(track.description.timeScale)
                    )
                }
            }
        }

        private static func samples(_ bytes: [UInt8]) throws -> [(bytes: Range<Int>, seconds: Double)] {
            var walk = try SealedFragments(MemoryStorage(bytes))
            var all: [(bytes: Range<Int>, seconds: Double)] = []
            var facts: [UInt32: SignedHead.Track.Description] = [:]
            while let next = try walk.next() {
                for track in next.seal.flatMap({ SignedHead($0.head) })?.tracks ?? [] {
                    facts[track.id] = track.description ?? facts[track.id]
                }
                for part in next.tracks {
                    guard let own = facts[part.id] else { continue }
                    for sample in part.samples(isOne: own.isOneLeaf) {
                        let ticks =
                            Int64(sample.contents.decodeTime) + Int64(sample.contents.compositionOffset) - own.start
                        for piece in sample.pieces {
                            let bytes = Int(piece.range.lowerBound)..<Int(piece.range.upperBound)
                            all.append((bytes, Double(ticks) / Double(own.timeScale)))
                        }
                    }
                }
            }
            return all
        }
    }

    let text: String
    let form: Form
    private(set) var bytes: [UInt8]
    /// The verifiers must find it.
    private(set) var isCovered = false
    /// The end of the file is missing, as after a crash.
    private(set) var mayCutTail = false
    /// The presentation times of the altered samples, in seconds.
    private(set) var samples: ClosedRange<Double>?

    static func drawn(_ seed: UInt64, _ originals: Originals) -> Alteration {
        var random = SeededRandom(seed: seed)
        let form = Form.allCases.randomElement(using: &random) ?? .finished
        return form == .cut
            ? Alteration(ofCut: seed, originals, &random) : Alteration(of: form, seed, originals, &random)
    }

    private init(of form: Form, _ seed: UInt64, _ originals: Originals, _ random: inout SeededRandom) {
        self.form = form
        bytes = originals.bytes(form)
        let isFinished = form == .finished
        let fragments = originals.fragments[form] ?? []
        let index = Int.random(in: 0..<fragments.count, using: &random)
        let fragment = fragments[index]
        let kind = Int.random(in: 0..<10, using: &random)
        let name: String
        switch kind {
        case 0:
            name = "a bit anywhere"
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1:
            name = "a bit of a sample"
            let own = originals.samples[form]?.randomElement(using: &random)
            guard let own, !own.bytes.isEmpty else { break }
            bytes[Int.random(in: own.bytes, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            (isCovered, samples) = (true, own.seconds...own.seconds)
        case 2:
            name = "bytes cut off the end"
            bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            mayCutTail = true
        case 3:
            name = "a fragment taken out"
            bytes.removeSubrange(fragment)
            (isCovered, mayCutTail) = (index < fragments.count - 1, index == fragments.count - 1)
        case 4:
            name = "two fragments swapped"
            let next = fragments[index == 0 ? 1 : 0]
            let (a, b) = fragment.lowerBound < next.lowerBound ? (fragment, next) : (next, fragment)
            let parts = [0..<a.lowerBound, b, a.upperBound..<b.lowerBound, a, b.upperBound..<bytes.count]
            bytes = parts.flatMap { [bytes] in bytes[$0] }
            isCovered = true
        case 5:
            name = "bytes appended"
            bytes += (0..<Int.random(in: 1..<5000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            mayCutTail = true
        case 6:
            name = "a bit of the header"
            let start = isFinished ? fragments[fragments.count - 1].upperBound : 0
            let end = isFinished ? bytes.count : fragments[0].lowerBound
            bytes[Int.random(in: start..<end, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 7:
            name = "a fragment of another recording in the place of one"
            let other = isFinished ? originals.other.finished : originals.other.growing
            if other[fragment].count == fragment.count { bytes.replaceSubrange(fragment, with: other[fragment]) }
            isCovered = true
        case 8:
            name = "a tail by a program without the key"
            let other = isFinished ? originals.foreign.finished : originals.foreign.growing
            bytes = Array(bytes[..<fragment.lowerBound] + other[fragment.lowerBound...])
            isCovered = true
        default:
            name = "a fragment twice"
            bytes.insert(contentsOf: bytes[fragment], at: fragment.upperBound)
            isCovered = true
        }
        text = "\(name) (seed \(seed), \(form), fragment \(index))"
    }

    private init(ofCut seed: UInt64, _ originals: Originals, _ random: inout SeededRandom) {
        form = .cut
        bytes = originals.cut.bytes
        let places = (try? (originals.cut.atom("moov"), originals.cut.atom("uuid"))) ?? (0..<1, 0..<1)
        let name: String
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            name = "a bit anywhere"
            bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1:
            name = "a bit of a sample"
            guard let own = originals.samples[.cut]?.randomElement(using: &random), !own.bytes.isEmpty else { break }
            bytes[Int.random(in: own.bytes, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            (isCovered, samples) = (true, own.seconds...own.seconds)
        case 2:
            name = "a bit of the header"
            bytes[Int.random(in: places.0, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 3:
            name = "a bit of the statement"
            bytes[Int.random(in: places.1, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 4:
            name = "bytes cut off the end"
            bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            isCovered = true
        case 5:
            name = "bytes appended"
            let count = Int.random(in: 1..<5000, using: &random)
            bytes += (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            isCovered = true
        case 6:
            name = "two samples exchanged"
            let all = originals.samples[.cut] ?? []
            guard let one = all.randomElement(using: &random), let other = all.randomElement(using: &random) else {
                break
            }
            let count = min(one.bytes.count, other.bytes.count)
            for place in 0..<count { bytes.swapAt(one.bytes.lowerBound + place, other.bytes.lowerBound + place) }
            isCovered = bytes != originals.cut.bytes
        default:
            name = "a proof of another recording"
            guard var statement = originals.cut.statement, let other = originals.otherCut.statement else { break }
            let index = Int.random(in: statement.fragments.indices, using: &random)
            statement.fragments[index].proof = other.fragments[index % other.fragments.count].proof
            bytes = (try? originals.cut.stating(statement)) ?? bytes
            isCovered = true
        }
        text = "\(name) (seed \(seed), a cut)"
    }
}

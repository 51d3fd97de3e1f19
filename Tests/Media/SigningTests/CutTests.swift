import Demuxing
import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests that a cut carries the proof of its part, and that it is not genuine if anything is removed, added or
/// misstated.
@Suite(.timeLimit(.minutes(10))) struct CutTests {
    private let movie = SignedMovie.one

    @Test(arguments: [0...4.0, 0...1.2, 1.3...2.9, 2.1...4.5, 1.0...1.05, 3.2...3.9])
    func cut_anyRange_isGenuine(range: ClosedRange<Double>) async throws {
        let cut = try await SignedCut(movie.finished, range)
        let answer = try SignedMovie.verify(cut.bytes)
        #expect(answer.verdict == .genuine && answer.problems.isEmpty, "\(range): \(answer.problems)")
        #expect(answer.ending == .cut)
        #expect(abs((answer.cutFrom ?? -1) - range.lowerBound) < 1e-6)
        #expect(abs(answer.duration - (min(4, range.upperBound) - range.lowerBound)) < 0.1)
        #expect(answer.samples > 0 && answer.fragments > 0)
        #expect(answer.recorder == "front")
        let begun = SignedMovie.begun.addingTimeInterval(range.lowerBound)
        #expect(answer.begun == SignedTime.text(begun))
        #expect(!answer.notCovered.contains { $0.hasPrefix("track") }, "\(answer.notCovered)")
        #expect(try judged(cut.bytes) == "genuine")
        #expect(try SignedMovie.verify(cut.bytes, key: SigningKey()).verdict == .otherKey)
    }

    /// FFmpeg shows no frame that begins before the movie, even if only by a third of a millisecond.
    @Test func cut_justAfterAFrameBegins_isGenuineToLibavformat() async throws {
        let cut = try await SignedCut(movie.finished, 1.33366...2.9)
        var verifier = MovieVerifier(key: SignedMovie.key.publicKey)
        let answer = try verifier.verify(MemoryStorage(cut.bytes), name: "cut.mov")
        #expect(answer.verdict == .genuine, "\(answer.problems)")
        let presentation = try #require(verifier.presentation)
        let directory = try TemporaryDirectory()
        try Data(cut.bytes).write(to: directory.file("cut.mov"))
        let played = try PlayersView.tracks(directory.path("cut.mov"))
        #expect(played.contains { $0.kind == .video && $0.packets.count > 40 })
        #expect(presentation.problems(played: played) == [])
    }

    @Test func cut_withoutATrack_namesIt() async throws {
        let cut = try await SignedCut(movie.finished, 1.3...2.9, media: [.video])
        let answer = try SignedMovie.verify(cut.bytes)
        #expect(answer.verdict == .genuine)
        #expect(answer.notCovered.contains { $0.contains("which is not in the cut") })
        #expect(try judged(cut.bytes) == "genuine")
    }

    @Test func cut_withTheTruncatedFragmentOfARepairedRecording_hasNoProof() async throws {
        let fragments = try SignedMovie.fragments(movie.growing)
        let last = try #require(fragments.last)
        let storage = MemoryStorage(Array(movie.growing[..<(last.lowerBound + last.count * 2 / 3)]))
        try MovieFinisher.finish(storage)
        let torn = try await SignedCut(storage.bytes, 1.3...4)
        guard case .nothing(let reason) = torn.outcome else {
            Issue.record("\(torn.outcome)")
            return
        }
        #expect(reason.contains("damaged or missing data"))
        let cut = try await SignedCut(storage.bytes, 1.3...2.9)
        let answer = try SignedMovie.verify(cut.bytes)
        #expect(answer.verdict == .genuine, "\(answer.problems)")
        #expect(try judged(cut.bytes) == "genuine")
    }

    /// Frames are added, and stated as unproven.
    @Test func cut_withSamplesThatNothingProves_isAltered() async throws {
        let cut = try await SignedCut(movie.finished, 1.3...2.9)
        let own = try #require(cut.statement)
        for isBefore in [true, false] {
            var statement = own
            for index in statement.tracks.indices {
                // The fragments at one end are stated to be absent, and their samples stay in the file.
                let place = isBefore ? 0 : statement.fragments.count - 1
                let source = statement.tracks[index].source
                let seal = try #require(CutStatement.seal(statement.fragments[place].proof))
                let head = try #require(SignedHead(seal.head))
                guard let part = head.tracks?.firstIndex(where: { $0.id == source }) else { continue }
                let kept = statement.fragments[place].kept[part][1]
                if isBefore { statement.tracks[index].before += kept } else { statement.tracks[index].after += kept }
            }
            if isBefore {
                let first = statement.fragments.removeFirst()
                let seal = try #require(CutStatement.seal(first.proof))
                if try #require(SignedHead(seal.head)).describes { statement.described.append(first.proof) }
            } else {
                statement.fragments.removeLast()
            }
            let bytes = try cut.stating(statement)
            #expect(try SignedMovie.verify(bytes).verdict == .altered)
            #expect(try judged(bytes) == "altered")
        }
    }

    @Test func cut_ofAnAlteredRecording_isAltered() async throws {
        var bytes = movie.finished
        let fragments = try SignedMovie.fragments(bytes)
        bytes[fragments[4].upperBound - 7] ^= 1
        let cut = try await SignedCut(bytes, 0...4)
        #expect(try SignedMovie.verify(cut.bytes).verdict == .altered)
        #expect(try judged(cut.bytes) == "altered")
    }

    @Test func cut_ofAnUnsignedRecording_isUnsigned() async throws {
        let recording = try Recording(seconds: 2)
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [], tracks: recording.tracks,
            sessionStart: recording.sessionStart)
        for part in recording.fragments { try writer.writeFragment(part) }
        try MovieFinisher.finish(storage, facts: recording.facts)
        #expect(try await SignedCut(storage.bytes, 0.5...1.5).outcome == .unsigned)
    }

    /// An attacker can write any statement, but has no key.
    @Test func statement_false_isNotGenuine() async throws {
        let cut = try await SignedCut(movie.finished, 2.3...3.9)
        let other = try await SignedCut(try SignedMovie().finished, 2.3...3.9)
        let own = try #require(cut.statement)
        try #require(!own.described.isEmpty && own.fragments.count > 3)
        let foreign = try #require(other.statement)
        var lies: [(String, CutStatement)] = []
        func lie(_ name: String, _ change: (inout CutStatement) -> Void) {
            var statement = own
            change(&statement)
            lies.append((name, statement))
        }
        lie("another time") { $0.from.value += 1_000_000 }
        lie("another zero") { statement in
            for index in statement.tracks.indices { statement.tracks[index].zero += 90_000 }
            statement.from.value += 90_000
        }
        lie("another decode time") { $0.tracks[0].decodeTime += 1 }
        lie("another offset") { $0.tracks[0].compositionOffset += 1 }
        lie("tracks exchanged") {
            ($0.tracks[0].source, $0.tracks[1].source) = ($0.tracks[1].source, $0.tracks[0].source)
        }
        lie("a track twice") { $0.tracks.append($0.tracks[0]) }
        lie("a fragment left out") { $0.fragments.remove(at: 1) }
        lie("the first fragment left out") { $0.fragments.removeFirst() }
        lie("the last fragment left out") { $0.fragments.removeLast() }
        lie("fragments exchanged") { $0.fragments.swapAt(1, 2) }
        lie("no description") { $0.described.removeAll() }
        lie("the description of another recording") { $0.described = foreign.described }
        lie("a fragment of another recording") { $0.fragments[1] = foreign.fragments[1] }
        lie("one sample fewer") { $0.fragments[1].kept[0][1] -= 1 }
        lie("a sample that is said to be left out") {
            $0.fragments[1].kept[0][1] -= 1
            $0.fragments[1].kept[0][2] += 1
        }
        lie("a negative number") { $0.fragments[1].kept[0] = [-1, $0.fragments[1].kept[0][1] + 1, 0] }
        lie("a number that is too large to add") { $0.fragments[1].kept[0] = [.max, .max, .max] }
        lie("a time that no number of seconds is") { $0.from.value = .max }
        lie("a time before all others") { $0.from = .init(value: .min, timeScale: 1) }
        lie("a time scale of nothing") { $0.from.timeScale = 0 }
        lie("a zero that is too small to subtract") { $0.tracks[0].zero = .min }
        lie("a decode time that is too large to add") { $0.tracks[0].decodeTime = .max }
        lie("a hash too many") { $0.fragments[0].left += String(repeating: "A", count: 44) }
        lie("samples before") { $0.tracks[0].before = 3 }
        lie("samples far before") { $0.tracks[0].before = .max }
        lie("nothing of it") { $0.fragments.removeAll() }
        for (name, statement) in lies {
            let bytes = try cut.stating(statement)
            let answer = try SignedMovie.verify(bytes)
            #expect(answer.verdict != .genuine, "\(name)")
            #expect(try judged(bytes) == answer.verdict.rawValue, "\(name)")
        }
        #expect(try SignedMovie.verify(try cut.stating(own)).verdict == .genuine)
    }

    /// Atoms that a player may read as a part of the movie.
    @Test func cut_withMoreAtoms_isAltered() async throws {
        let cut = try await SignedCut(movie.finished, 1.3...2.9)
        let header = cut.bytes[try cut.atom("moov")]
        let statement = cut.bytes[try cut.atom("uuid")]
        for (name, more) in [
            ("a second header", Array(header)), ("a second statement", Array(statement)),
            ("an index of fragments", [0, 0, 0, 8] + Array("sidx".utf8)), ("a tail", [1, 2, 3]),
        ] {
            let bytes = cut.bytes + more
            #expect(try SignedMovie.verify(bytes).verdict == .altered, "\(name)")
            #expect(try judged(bytes) == "altered", "\(name)")
        }
    }

    private func judged(_ bytes: [UInt8]) throws -> String? {
        let directory = try TemporaryDirectory()
        try Data(bytes).write(to: directory.file("cut.mov"))
        try Data(SignedMovie.key.publicKey.pem.utf8).write(to: directory.file("key.pub"))
        let result = try Command.run(
            Project.path(".build/judges/bin/python"), Project.path("Tests/Judges/signature.py"),
            directory.path("key.pub"), directory.path("cut.mov"))
        let answer = try JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [String: Any]
        return answer?["verdict"] as? String
    }
}

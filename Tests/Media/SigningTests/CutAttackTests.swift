import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests of cuts with PCM audio that begin and end within a leaf of the signed tree: every audio frame that they show
/// is proven nevertheless. Both verifiers report each attack of the list as altered; docs/reference/signature.md has it
/// under its name.
@Suite(.timeLimit(.minutes(10))) struct CutAttackTests {
    @Test(arguments: [0...2.0, 0...0.7, 0.3...1.7, 0.6...0.65, 0.55...0.95, 0.5...1.0, 1.3...2.0])
    func cut_ofPCMWithinLeaves_isGenuineWithEveryFrameProven(range: ClosedRange<Double>) async throws {
        let cut = try await SignedCut(SignedPCM.finished, range)
        guard let statement = cut.statement else {
            Issue.record("\(range): \(cut.outcome)")
            return
        }
        #expect(statement.tracks.allSatisfy { $0.before == 0 && $0.after == 0 })
        let answer = try SignedMovie.verify(cut.bytes)
        #expect(answer.verdict == .genuine && answer.problems.isEmpty, "\(range): \(answer.problems)")
        #expect(!answer.notCovered.contains { $0.hasPrefix("track") }, "\(answer.notCovered)")
        #expect(try Self.judged([cut.bytes]) == ["genuine"])
    }

    /// FFmpeg plays the same audio from a cut as from that range of the recording: the rest of a leaf does not belong
    /// to the track.
    @Test func cut_ofPCMWithinLeaves_playsNoFrameMore() async throws {
        let cut = try await SignedCut(SignedPCM.finished, 0.6...1.1, media: [.audio])
        let rest = try #require(cut.statement?.fragments.compactMap(\.rest).joined())
        #expect(rest.count == 2)
        let (played, recorded) = (try Self.pcm(cut.bytes), try Self.pcm(SignedPCM.finished).dropFirst(4800 * 2))
        // FFmpeg plays the last packet to its end.
        #expect(4000..<4000 + 1024 ~= played.count / 2, "\(played.count)")
        #expect(played.elementsEqual(recorded.prefix(played.count)))
    }

    @Test func cut_ofAnEarlierVersion_isAlteredWhereNothingProvesIt() async throws {
        let cut = try await SignedCut(SignedPCM.finished, 0.3...1.7)
        let bytes = try cut.stating(SignedPCM.earlier(try #require(cut.statement)))
        let answer = try SignedMovie.verify(bytes)
        #expect(answer.verdict == .altered)
        let gaps = answer.problems.filter { $0.what.contains("are not proven here") }
        #expect(gaps.count == 2 && answer.problems.count == 2, "\(answer.problems)")
        #expect(gaps.first.map { $0.from < 0.001 && abs(($0.to ?? 0) - 0.2) < 0.001 } == true, "\(gaps)")
        // The last packet is stored completely.
        #expect(gaps.last.map { abs($0.from - 1.2) < 0.001 && 1.399..<1.53 ~= $0.to ?? 0 } == true, "\(gaps)")
        #expect(try Self.judged([bytes]) == ["altered"])
    }

    @Test(arguments: [0.3, 0.7, 0.95])
    func cut_ofARepairedRecording_isGenuineBeforeTheTruncatedLeaf(share: Double) async throws {
        let source = try SignedPCM.make(cutTo: share)
        let torn = try await SignedCut(source, 0.3...2, media: [.audio])
        switch torn.outcome {
        case .statement:
            // No sample of the last fragment is left: the cut ends before it.
            #expect(try SignedMovie.verify(torn.bytes).verdict == .genuine)
        case .nothing(let reason):
            #expect(reason.contains("damaged or missing data"), "\(reason)")
            #expect(try SignedMovie.verify(torn.bytes).verdict != .genuine)
        case .unsigned: Issue.record("the recording is signed")
        }
        let cut = try await SignedCut(source, 0.3...1.4)
        #expect(try SignedMovie.verify(cut.bytes).verdict == .genuine)
    }

    // MARK: The list

    private static let range = 0.3...1.7

    /// The changes that an attacker makes to the cut's bytes and its statement.
    private static let attacks: [(name: String, forge: @Sendable (SignedCut, inout CutStatement) throws -> [UInt8]?)] =
        [
            ("audio frames at the beginning of a cut", { cut, _ in try frames(of: cut, atEnd: false) }),
            ("audio frames at the end of a cut", { cut, _ in try frames(of: cut, atEnd: true) }),
            (
                "audio frames at the beginning, and a statement that proves none there",
                { cut, statement in
                    statement = try SignedPCM.earlier(statement)
                    return try frames(of: cut, atEnd: false)
                }
            ),
            (
                "audio frames at the end, and a statement that proves none there",
                { cut, statement in
                    statement = try SignedPCM.earlier(statement)
                    return try frames(of: cut, atEnd: true)
                }
            ),
            (
                "a statement that proves no frame of the audio",
                { cut, statement in
                    guard let index = statement.tracks.firstIndex(where: { $0.source == 2 }) else { return nil }
                    statement.tracks[index].before = 11_200
                    return try frames(of: cut, atEnd: false)
                }
            ),
            (
                "a leaf without its rest",
                { cut, statement in
                    statement.fragments[0].rest = nil
                    return cut.bytes
                }
            ),
            (
                "a leaf with another rest",
                { cut, statement in
                    statement.fragments[0].rest = statement.fragments.last?.rest
                    return cut.bytes
                }
            ),
            (
                "a rest that is longer",
                { cut, statement in
                    statement.fragments[0].rest?[0].before += "AAAA"
                    return cut.bytes
                }
            ),
            (
                "a rest of another track",
                { cut, statement in
                    statement.fragments[0].rest?[0].id = 1
                    return cut.bytes
                }
            ),
            (
                "a rest twice",
                { cut, statement in
                    statement.fragments[0].rest = statement.fragments[0].rest.map { $0 + $0 }
                    return cut.bytes
                }
            ),
            (
                "a rest in the middle of a cut",
                { cut, statement in
                    statement.fragments[1].rest = statement.fragments[0].rest
                    return cut.bytes
                }
            ),
            (
                "a track that is named twice, first as a track of another form",
                { cut, statement in
                    statement.tracks.insert(try nameAgain(in: statement), at: 0)
                    return cut.bytes
                }
            ),
            (
                "a track that is named twice, last as a track of another form",
                { cut, statement in
                    statement.tracks.append(try nameAgain(in: statement))
                    return cut.bytes
                }
            ),
            (
                "a time scale of the movie that players read differently",
                { cut, _ in
                    var bytes = cut.bytes
                    let place = try cut.atom("moov").lowerBound + 8 + 8 + 20
                    bytes.replaceSubrange(place..<(place + 4), with: UInt32(0xE241_4000).bytes)
                    return bytes
                }
            ),
        ]

    @Test func attack_onACut_isFoundByBothVerifiers() async throws {
        let cut = try await SignedCut(SignedPCM.finished, Self.range)
        let own = try #require(cut.statement)
        try #require(own.fragments.count > 2 && own.fragments[0].rest != nil && own.fragments.last?.rest != nil)
        #expect(try SignedMovie.verify(try cut.stating(own)).verdict == .genuine)
        let files = try Self.attacks.map { attack in
            var statement = own
            let movie = try #require(try attack.forge(cut, &statement))
            let bytes = try Self.stating(statement, movie, cut)
            #expect(try SignedMovie.verify(bytes).verdict == .altered, "\(attack.name)")
            return bytes
        }
        let verdicts = try Self.judged(files)
        #expect(verdicts.count == files.count)
        for (verdict, attack) in zip(verdicts, Self.attacks) {
            #expect(verdict == "altered", "\(attack.name)")
        }
    }

    @Test func attack_onACut_isInTheDocumentation() throws {
        let (tested, documented) = (Self.attacks.map(\.name), try DocumentedAttacks().cuts)
        #expect(Set(tested).symmetricDifference(documented).isEmpty, "only in one of the two lists")
        #expect(tested.count == Set(tested).count && documented.count == tested.count, "a name occurs twice")
    }

    // MARK: Helpers

    private static func stating(_ statement: CutStatement, _ movie: [UInt8], _ cut: SignedCut) throws -> [UInt8] {
        let storage = MemoryStorage(Array(movie[..<(try cut.atom("uuid").lowerBound)]))
        try CutMovie.append(statement.bytes, to: storage)
        return storage.bytes
    }

    /// The cut with other audio in the first or in the last hundredth of a second.
    private static func frames(of cut: SignedCut, atEnd: Bool) throws -> [UInt8] {
        let header = try #require(try CutMovie(MemoryStorage(cut.bytes))?.header)
        let ids = Set(cut.statement?.tracks.filter { $0.source == 2 }.map(\.id) ?? [])
        let chunks = try #require(header.tracks { ids.contains($0) }?.first { ids.contains($0.id) }).samples
        let chunk = try #require(atEnd ? chunks.last : chunks.first)
        let place = Int(chunk.offset) + (atEnd ? max(0, Int(chunk.byteCount) - 160) : 0)
        var bytes = cut.bytes
        for index in place..<min(place + 160, Int(chunk.offset + chunk.byteCount)) { bytes[index] ^= 0x55 }
        return bytes
    }

    /// An entry that makes the video's id that of the PCM audio, whose tables are read by chunks. No track can begin
    /// before its first sample, so the entry itself is refused.
    private static func nameAgain(in statement: CutStatement) throws -> CutStatement.Track {
        var track = try #require(statement.tracks.first { $0.source == 2 })
        track.id = try #require(statement.tracks.first { $0.source == 1 }).id
        track.before = -1
        return track
    }

    private static func pcm(_ bytes: [UInt8]) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        try Data(bytes).write(to: directory.file("movie.mov"))
        _ = try Command.run(
            "ffmpeg", "-v", "error", "-i", directory.path("movie.mov"), "-map", "0:a", "-f", "s16le", "-y",
            directory.path("audio.raw"))
        return Array(try Data(contentsOf: directory.file("audio.raw")))
    }

    /// The verdicts of the verifier in Python.
    private static func judged(_ files: [[UInt8]]) throws -> [String] {
        let directory = try TemporaryDirectory()
        try Data(SignedMovie.key.publicKey.pem.utf8).write(to: directory.file("key.pub"))
        for (index, bytes) in files.enumerated() { try Data(bytes).write(to: directory.file("\(index).mov")) }
        let judge = [Project.path(".build/judges/bin/python"), Project.path("Tests/Judges/signature.py")]
        let result = try Command.run(
            judge + [directory.path("key.pub")] + files.indices.map { directory.path("\($0).mov") })
        return try result.text.split(separator: "\n").map { line in
            let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return answer?["verdict"] as? String ?? ""
        }
    }
}

import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests that an unaltered file is genuine, whatever its state, and that its links to other files are checked.
@Suite(.timeLimit(.minutes(10))) struct VerificationTests {
    private let movie = SignedMovie.one

    @Test func verify_unalteredFile_isGenuineToItsSignedEnd() throws {
        let answer = try SignedMovie.verify(movie.finished)
        #expect(answer.verdict == .genuine && answer.problems.isEmpty)
        #expect(answer.ending == .signed)
        #expect(answer.begun == "2023-11-14T22:13:20.000000Z")
        #expect(answer.fragments == (try SignedMovie.fragments(movie.finished).count))
        #expect(abs(answer.duration - 4) < 0.1)
        #expect(answer.recorder == "front" && answer.camera == "test camera" && answer.uncertainty == 0.001)
        #expect(answer.notCovered.contains { $0.contains("titles") })
    }

    /// Earlier builds signed with another library.
    @Test(arguments: ["signed.mov", "signed.mp4", "signed-pcm.mov", "signed-torn.recording.mov"])
    func verify_recordingOfAnEarlierBuild_isGenuine(_ name: String) throws {
        let corpus = Project.file("Tests/Corpus/0.2.0-dev")
        let pem = try String(contentsOf: corpus.appendingPathComponent("key.pub"), encoding: .utf8)
        var verifier = MovieVerifier(key: try VerificationKey(pem: pem))
        let bytes = Array(try Data(contentsOf: corpus.appendingPathComponent(name)))
        let answer = try verifier.verify(MemoryStorage(bytes), name: name)
        #expect(answer.verdict == .genuine && answer.fragments > 1, "\(answer)")
    }

    @Test func verify_unfinishedFile_isGenuineSoFar() throws {
        let answer = try SignedMovie.verify(movie.growing)
        #expect(answer.verdict == .genuine && answer.ending == .unsigned)
    }

    @Test func verify_truncatedFile_isGenuineBeforeAndAfterRepair() throws {
        let fragments = try SignedMovie.fragments(movie.growing)
        for (index, fragment) in fragments.enumerated().dropFirst() {
            for cut in [fragment.lowerBound + 5, fragment.lowerBound + fragment.count / 2, fragment.upperBound - 1] {
                let torn = Array(movie.growing[..<cut])
                let before = try SignedMovie.verify(torn)
                #expect(before.verdict == .genuine && before.fragments == index, "\(before)")
                let storage = MemoryStorage(torn)
                try MovieFinisher.finish(storage)
                let after = try SignedMovie.verify(storage.bytes)
                #expect(after.verdict == .genuine && after.ending == .unsigned && after.fragments == index, "\(after)")
            }
        }
    }

    @Test func verify_headerFirst_isGenuine() throws {
        let target = MemoryStorage()
        try MovieFinisher.finish(MemoryStorage(movie.growing), into: target)
        #expect(try SignedMovie.verify(target.bytes).verdict == .genuine)
    }

    @Test func verify_firstFragmentDamaged_isAlteredNotUnsigned() throws {
        let fragments = try SignedMovie.fragments(movie.growing)
        var bytes = movie.growing
        for place in fragments[0].prefix(16) { bytes[place] = 0xFF }
        let answer = try SignedMovie.verify(bytes)
        #expect(answer.verdict == .altered && answer.problems.contains { $0.what.hasPrefix("fragments 1 to") })
    }

    @Test func verify_anotherKey_isOtherKey() throws {
        #expect(try SignedMovie.verify(movie.finished, key: SigningKey()).verdict == .otherKey)
    }

    @Test func verify_noSignature_isUnsigned() throws {
        let storage = MemoryStorage()
        try Recording.short.write(to: storage)
        #expect(try SignedMovie.verify(storage.bytes).verdict == .unsigned)
        #expect(try SignedMovie.verify([]).verdict == .unsigned)
        #expect(try SignedMovie.verify(Array("no movie at all, but some words".utf8)).verdict == .unsigned)
    }

    @Test func verify_fileMissingBetweenOthers_isAltered() throws {
        let signer = SignedMovie.signer()
        let files = try (0..<3).map { _ in try SignedMovie(signer) }
        func verify(_ chosen: [Int]) throws -> [Verification] {
            var verifier = MovieVerifier(key: SignedMovie.key.publicKey)
            return try chosen.map { try verifier.verify(MemoryStorage(files[$0].finished), name: "\($0)") }
        }
        #expect(try verify([0, 1, 2]).allSatisfy { $0.verdict == .genuine })
        let gap = try verify([0, 2])
        #expect(gap[1].verdict == .altered && gap[1].problems.first?.what.contains("file 2 of") == true)
        // Another recording of the same camera, verified alone, does not count as the next file.
        #expect(try verify([0]).map(\.number) == [1])
    }

    @Test func verify_previousFileTruncated_isAltered() throws {
        let signer = SignedMovie.signer()
        let (first, second) = (try SignedMovie(signer), try SignedMovie(signer))
        var verifier = MovieVerifier(key: SignedMovie.key.publicKey)
        let fragments = try SignedMovie.fragments(first.growing)
        let storage = MemoryStorage(Array(first.growing[..<fragments[3].lowerBound]))
        try MovieFinisher.finish(storage)
        #expect(try verifier.verify(storage, name: "first").verdict == .genuine)
        let answer = try verifier.verify(MemoryStorage(second.finished), name: "second")
        #expect(answer.verdict == .altered && answer.problems.first?.what.contains("the previous file") == true)
    }

    @Test func keys_matchOpenSSL() throws {
        let temporary = try TemporaryDirectory()
        let directory = temporary.url.path
        do {
            let key = try KeyFile.make(directory + "/k")
            let openssl = try Command.run("openssl", "pkey", "-in", directory + "/k", "-pubout")
            #expect(openssl.text == key.publicKey.pem)
            _ = try Command.run("openssl", "genpkey", "-algorithm", "ed25519", "-out", directory + "/o")
            #expect(chmod(directory + "/o", 0o600) == 0)
            _ = try KeyFile.signingKey(directory + "/o")
            #expect(throws: MediaError.self) { try KeyFile.make(directory + "/k") }
            #expect(chmod(directory + "/k", 0o644) == 0)
            #expect(throws: MediaError.self) { try KeyFile.signingKey(directory + "/k") }
            #expect(throws: Never.self) { try KeyFile.signingKey("k", credentials: directory) }
        }
    }

    @Test func writer_noSigner_writesNoSeals() throws {
        let storage = MemoryStorage()
        try Recording.short.write(to: storage)
        #expect(!storage.bytes.contains("rcsl".utf8))
    }
}

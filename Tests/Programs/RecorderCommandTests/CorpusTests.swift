import Foundation
import TestSupport
import Testing

/// Recordings of all earlier versions: this version reads, repairs and verifies them as their own version did.
@Suite(.timeLimit(.minutes(10))) struct CorpusTests {
    private static let versions =
        (try? FileManager.default.contentsOfDirectory(atPath: Project.path("Tests/Corpus")).sorted()) ?? []

    private struct Expectation: Decodable {
        struct Info: Decodable { let health: String? }
        struct Verification: Decodable { let verdict: String }
        struct FFmpeg: Decodable { let isDecoded: Bool }
        struct Look: Decodable {
            let info: Info
            let verify: Verification
            let ffmpeg: FFmpeg
        }
        let info: Info
        let verify: Verification
        let `repair`: Look
    }

    @Test(arguments: versions) func corpus_everyVersion_isReadRepairedAndVerifiedAsBefore(version: String) throws {
        let result = try TestSupport.Command.run(
            "python3", Project.path("scripts/corpus"), "check", Command.executable.path, version)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
    }

    /// A wrong expectation from the day of its recording would otherwise stay wrong forever.
    @Test(arguments: versions) func expectations_everyVersion_areCorrect(version: String) throws {
        let file = Project.file("Tests/Corpus/\(version)/expectations.json")
        let all = try JSONDecoder().decode([String: Expectation].self, from: Data(contentsOf: file))
        for (name, expectation) in all {
            #expect(expectation.repair.info.health == "whole" && expectation.repair.ffmpeg.isDecoded, "\(name)")
            let verdict = name.hasPrefix("signed") ? "genuine" : "unsigned"
            #expect(expectation.verify.verdict == verdict && expectation.repair.verify.verdict == verdict, "\(name)")
        }
        let health = Set(all.values.compactMap(\.info.health))
        #expect(health == ["whole", "torn", "unfinished"])
    }

    @Test func corpus_isNotEmpty() { #expect(!Self.versions.isEmpty) }
}

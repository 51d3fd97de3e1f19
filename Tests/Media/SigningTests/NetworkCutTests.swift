import Demuxing
import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import Signing

/// Tests of cuts of a network camera's recording. Its sample description has no color, which libavformat finds in the
/// parameter sets; a cut must not add it.
@Suite(.timeLimit(.minutes(10))) struct NetworkCutTests {
    /// Ranges that begin at a keyframe, in its frame, just after a frame begins, and at a leading frame. The last three
    /// end among leading frames, whose keyframe is not shown.
    private static let ranges: [ClosedRange<Double>] = [
        0...4, 0.48...2, 0.96...3, 0.5...2, 1.00033...3, 1.1...2.37, 0.92...1.4, 0.5...1.33,
    ]

    @Test(arguments: [FileType.mov, .mp4], ranges)
    func cut_ofOpenGOPs_isGenuine(_ fileType: FileType, range: ClosedRange<Double>) async throws {
        let recording = try await SignedHEVC.make(fileType)
        let cut = try await SignedCut(recording, range, fileType: fileType)
        guard case .statement = cut.outcome else {
            Issue.record("\(range): \(cut.outcome)")
            return
        }
        var verifier = MovieVerifier(key: SignedMovie.key.publicKey)
        let answer = try verifier.verify(MemoryStorage(cut.bytes), name: "cut")
        #expect(answer.verdict == .genuine && answer.problems.isEmpty, "\(answer.problems)")
        let tables = try [cut.bytes, recording].map { try Self.descriptions(Self.header($0)).payload }
        #expect(tables[0] == tables[1])
        let directory = try TemporaryDirectory()
        let path = directory.path("cut.\(fileType.rawValue)")
        try Data(cut.bytes).write(to: URL(fileURLWithPath: path))
        let presentation = try #require(verifier.presentation)
        #expect(presentation.problems(played: try PlayersView.tracks(path)) == [])
        let probe = try Probe(path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.video?.codecName == "hevc", "\(probe.complaints)")
    }

    /// Another color changes what a player shows, so no difference of the description is permitted.
    @Test func cut_withAnAddedColor_isAltered() async throws {
        let cut = try await SignedCut(try await SignedHEVC.make(), 0.48...2)
        #expect(try SignedMovie.verify(cut.bytes).verdict == .genuine)
        let header = try Self.header(cut.bytes)
        let table = try Self.descriptions(header)
        let color: [UInt8] = [0, 0, 0, 18] + Array("colrnclc".utf8) + [0, 9, 0, 16, 0, 9]
        // The entry is after version, flags and count.
        let size = table.payload.number(at: 8)
        table.payload.insert(contentsOf: color, at: 8 + Int(size))
        table.payload.replaceSubrange(8..<12, with: (size + UInt32(color.count)).bytes)
        // The header is after the media, so no position changes.
        let place = try cut.atom("moov")
        let bytes = Array(cut.bytes[..<place.lowerBound]) + header.bytes + Array(cut.bytes[place.upperBound...])
        let answer = try SignedMovie.verify(bytes)
        #expect(answer.verdict == .altered)
        #expect(answer.problems.contains { $0.what.contains("decoding and display settings") }, "\(answer.problems)")
    }

    @Test func cut_intoAnotherContainer_hasNoProof() async throws {
        let cut = try await SignedCut(try await SignedHEVC.make(), 0.48...2, fileType: .mp4)
        guard case .nothing(let reason) = cut.outcome else {
            Issue.record("\(cut.outcome)")
            return
        }
        #expect(reason.contains("descriptions of its tracks were changed"))
    }

    // MARK: Helpers

    private static func header(_ bytes: [UInt8]) throws -> Box {
        try #require(Box.all(bytes[...])?.last { $0.name == "moov" })
    }

    /// The sample description table of the first track.
    private static func descriptions(_ header: Box) throws -> Box {
        try #require(header.tree.first { $0.name == "stsd" })
    }
}

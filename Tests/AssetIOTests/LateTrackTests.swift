import Foundation
import MediaTypes
import MovieFile
import TestSupport
import Testing

@testable import AssetIO

/// A track whose format nobody knows in time has no place in the header.
@Suite struct LateTrackTests {
    @Test func aTrackThatComesTooLateFailsTheMovieAndKeepsTheOthers() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.add(.audio, nil)
        try fixture.begin()
        // Longer than a header waits.
        try fixture.appendPictures(0..<300, to: video)
        #expect(eventually { fixture.writer.bytesWritten > 0 })
        try fixture.appendTone(300..<310, to: audio)
        let error = await #expect(throws: MediaError.self) { try await fixture.writer.finishWriting() }
        #expect(error?.action.contains("audio track") == true && error?.wayOut.contains("sourceFormatHint") == true)
        #expect(fixture.writer.status == .failed && fixture.writer.error?.action == error?.action)
        #expect(fixture.directory.names == ["movie.recording.mov"])
        #expect(audio.ledger[dropped: .encoder] == audio.ledger.captured && audio.ledger.isBalanced)

        let file = try DiskFile(path: fixture.writer.temporaryURL.path, mode: .update)
        _ = try MovieFinisher.finish(file)
        let probe = try Probe(fixture.writer.temporaryURL.path, decodes: true)
        #expect(probe.complaints == "" && probe.video?.frames == 300)
    }

    @Test func aTrackThatNobodyFeedsIsNoFailure() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        _ = try fixture.add(.audio, nil)
        try fixture.begin()
        try fixture.appendPictures(0..<300, to: video)
        try await fixture.writer.finishWriting()
        #expect(fixture.writer.status == .completed)
    }
}

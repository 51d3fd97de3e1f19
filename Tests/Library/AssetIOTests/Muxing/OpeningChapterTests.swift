import Demuxing
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of the chapters of a recording with marks, from its start to the end of its tracks.
@Suite struct OpeningChapterTests {
    @Test(arguments: [true, false]) func chapters_openingTitleSet_coverTheMovie(isLate: Bool) async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        let audio = try fixture.addAudio()
        try fixture.writer.configure {
            $0.writesChapters = true
            $0.openingChapterTitle = "Start"
        }
        if !isLate { try fixture.writer.addChapter("Mark", at: WriterFixture.time(1)) }
        try fixture.begin()
        try fixture.appendFrames(0..<71, to: video)
        try fixture.appendTone(0..<71, to: audio)
        if isLate { try fixture.writer.addChapter("Mark", at: WriterFixture.time(1)) }
        try await fixture.writer.finishWriting()
        let summary = try MovieInspector.summary(ofFileAt: fixture.path)
        #expect(summary.chapters.map(\.title) == ["Start", "Mark"])
        #expect(summary.chapters.map(\.start) == [0, 1])
        let end = summary.tracks.filter { ["video", "audio"].contains($0.type) }.compactMap(\.duration).max() ?? 0
        let last = try #require(summary.chapters.last?.end)
        #expect(last <= end && last > end - 0.002, "\(last) \(end)")
        let complaints = try Probe.ask(fixture.path, level: "warning").errors
        #expect(!complaints.contains("chapters"), "\(complaints)")
    }

    @Test func openingChapter_chapterAtTheStart_isNotAdded() async throws {
        let fixture = try WriterFixture()
        let video = try fixture.addVideo()
        try fixture.writer.configure { $0.openingChapterTitle = "Start" }
        try fixture.writer.addChapter("Own", at: WriterFixture.start)
        try fixture.begin()
        try fixture.appendFrames(0..<60, to: video)
        try fixture.writer.addChapter("Next", at: WriterFixture.time(1))
        try await fixture.writer.finishWriting()
        #expect(try MovieInspector.summary(ofFileAt: fixture.path).chapters.map(\.title) == ["Own", "Next"])
    }
}

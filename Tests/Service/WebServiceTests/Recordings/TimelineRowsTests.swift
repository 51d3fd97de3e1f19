import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// Queries for a time range, on rows that need no recordings.
@Suite struct TimelineRowsTests {
    private let directory: TemporaryDirectory
    private let index: RecordingIndex

    init() throws {
        directory = try TemporaryDirectory()
        index = RecordingIndex(directory.path("recordings.sqlite"))
    }

    /// Adds one recording a minute, from 0 on.
    private func fill(_ count: Int) throws {
        let begun = (0..<count).map { number -> IndexRows.Seen in
            let seconds = Int64(number) * 60
            let identity = FinishedRecording.Identity(
                inode: UInt64(number + 1), size: 1, modified: (seconds + 50) * 1_000_000_000)
            let account = FinishedRecording.Account(started: Double(seconds), duration: 50, ending: .stopped)
            return .init(path: "/movies/\(number).mov", recorder: "front", identity: identity, account: account)
        }
        try index.change { database throws(Database.Failure) in
            for seen in begun { try IndexRows.record(seen, in: database) }
        }
    }

    private func record(_ info: IndexedRecording.Info) throws {
        try index.change { database throws(Database.Failure) in
            guard let entry = try IndexRows.unread(1, in: database).first else { return }
            try IndexRows.record(info, of: entry, in: database)
        }
    }

    @Test func timeline_manyRecordings_mergesSpansByScreenPoint() throws {
        try fill(20_000)
        let all = try index.timeline(.init(range: 0...1_200_000, step: 1200))
        #expect(all.first == 0 && all.last == 1_199_990)
        #expect(all.lines[0].spans.count == 1 && all.lines[0].spans[0].count == 20_000)
        let hour = try index.timeline(.init(range: 3600...7200, step: 3.6))
        #expect(hour.lines[0].spans.count == 60 && hour.lines[0].spans[0].begin == 3600)
        #expect(try index.timeline(.init(range: 0...60, step: 1, recorder: "back")).lines.isEmpty)
    }

    @Test func unfinishedFile_ofARecorderThatIsGone_isInterruptedAndDoesNotGrow() throws {
        let isRunning = Locked(true)
        let index = RecordingIndex(directory.path("growing.sqlite")) { name in
            name == "front" && isRunning.withLock { $0 }
        }
        let identity = FinishedRecording.Identity(inode: 1, size: 1, modified: 50_000_000_000)
        try index.change { database throws(Database.Failure) in
            try IndexRows.record(
                .init(path: "/movies/a.recording.mov", recorder: "front", identity: identity), in: database)
        }
        func look() throws -> (span: Timeline.Span, json: String) {
            let line = try #require(try index.timeline(.init(range: 0...100, step: 1)).lines.first)
            return (line.spans[0], JSONText.line(try index.page(.init()).recordings))
        }
        let alive = try look()
        #expect(alive.span.isGrowing && !alive.span.hasLosses)
        #expect(alive.json.contains(#""isGrowing":true,"isInterrupted":false"#))
        #expect(alive.json.contains(#""problem":null"#))
        isRunning.withLock { $0 = false }
        let dead = try look()
        #expect(!dead.span.isGrowing && dead.span.hasLosses)
        #expect(dead.json.contains(#""isGrowing":false,"isInterrupted":true"#))
        #expect(dead.json.contains("it was interrupted; the next start of front, or `recorder repair`, finalizes it"))
    }

    @Test func timelineQuery_readsOnlyAnIndex() throws {
        try fill(1)
        let plan = try index.read { database throws(Database.Failure) in
            var words = ""
            try database.run(
                """
                EXPLAIN QUERY PLAN SELECT recorder, begin, "end", id, growing, lost FROM recording INDEXED BY recording_line
                WHERE shown = 1 AND begin < 5 AND "end" > 1 ORDER BY recorder, begin, id
                """
            ) { row in
                words += row.text(3)
                return true
            }
            return words
        }
        #expect(plan.contains("COVERING INDEX recording_line") && !plan.contains("TEMP B-TREE"), "\(plan)")
    }

    @Test func timeline_showsPausesMarksAndDrops() throws {
        try fill(1)
        var info = IndexedRecording.Info(begin: 1000, duration: 30, hasVideo: true, hasAudio: true)
        info.recorder = "front"
        info.pauses = [.init(time: 10, duration: 60)]
        info.marks = [.init(time: 5, title: "before"), .init(time: 20, title: "behind")]
        info.ledger = [.init(track: "video", captured: 9, written: 8, dropped: ["disk": 1])]
        try record(info)
        let line = try #require(try index.timeline(.init(range: 900...1200, step: 0.5)).lines.first)
        #expect(line.spans.map(\.begin) == [1000, 1070] && line.spans.map(\.end) == [1010, 1090])
        #expect(line.spans.allSatisfy { $0.hasLosses && $0.id == line.spans[0].id && !$0.isGrowing })
        #expect(line.marks.map(\.time) == [1005, 1080] && line.marks.map(\.title) == ["before", "behind"])
        let found = try index.recordings(of: "front", 1050...1060, most: 5)
        #expect(found.map(\.end) == [1090] && found[0].info.pauses == info.pauses)
    }

    @Test func growingRecordingWithPauses_endsWithItsLastWrite() throws {
        let identity = FinishedRecording.Identity(inode: 1, size: 1, modified: 1_090_000_000_000)
        try index.change { database throws(Database.Failure) in
            try IndexRows.record(
                .init(path: "/movies/a.recording.mov", recorder: "front", identity: identity), in: database)
        }
        // The movie had 12 seconds when it was read.
        var info = IndexedRecording.Info(begin: 1000, duration: 12, hasVideo: true)
        info.recorder = "front"
        info.pauses = [.init(time: 10, duration: 60)]
        try record(info)
        let line = try #require(try index.timeline(.init(range: 900...1200, step: 0.5)).lines.first)
        #expect(line.spans.map(\.begin) == [1000, 1070] && line.spans.map(\.end) == [1010, 1090])
        let found = try index.recordings(of: "front", 1050...1060, most: 5)
        #expect(found.map(\.end) == [1090] && found.map(\.duration) == [30])
    }

    @Test func timeline_pausedFrames_areNotDrops() throws {
        try fill(1)
        var info = IndexedRecording.Info(begin: 1000, duration: 30, hasVideo: true)
        info.recorder = "front"
        info.ledger = [.init(track: "video", captured: 9, written: 8, dropped: ["paused": 1])]
        try record(info)
        #expect(try index.timeline(.init(range: 900...1200, step: 1)).lines[0].spans[0].hasLosses == false)
    }
}

import Foundation
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// Many recordings, page by page.
@Suite(.timeLimit(.minutes(10))) struct RecordingIndexTests {
    /// Returns an index with 2,000 recordings of two recorders: five at each time, one minute apart.
    private func filled(_ directory: TemporaryDirectory) throws -> RecordingIndex {
        let index = RecordingIndex(directory.path("recordings.sqlite"))
        try index.change { database throws(Database.Failure) in
            for number in 0..<2000 {
                let begin = 1_700_000_000 + Double(number / 5) * 60
                try IndexRows.record(
                    .init(
                        path: "/nowhere/\(number).mov", recorder: number % 4 == 0 ? "yard" : "front",
                        identity: .init(
                            inode: UInt64(number + 1), size: 10, modified: Int64(begin + 30) * 1_000_000_000),
                        account: .init(started: begin, duration: 30, ending: .stopped)), in: database)
            }
        }
        return index
    }

    @Test func pages_haveEachRecordingOnceNewestFirst() throws {
        let directory = try TemporaryDirectory()
        let index = try filled(directory)
        var question = RecordingIndex.Question()
        question.limit = 200
        var all: [IndexedRecording] = []
        var pages = 0
        while true {
            let page = try index.page(question)
            #expect(page.total == 2000 && page.recordings.count == 200)
            all += page.recordings
            pages += 1
            guard let next = page.next else { break }
            let mark: RecordingIndex.Question.Mark = try #require(RecordingIndex.Question.Mark(next))
            question.after = mark
        }
        #expect(pages == 10 && Set(all.map(\.id)).count == 2000)
        #expect(zip(all, all.dropFirst()).allSatisfy { ($0.begin, $0.number) > ($1.begin, $1.number) })
    }

    @Test func page_recorderOrTimeRange_filtersRecordings() throws {
        let directory = try TemporaryDirectory()
        let index = try filled(directory)
        var question = RecordingIndex.Question()
        question.recorder = "yard"
        let yard = try index.page(question)
        #expect(yard.total == 500)
        question.recorder = "unknown"
        let none = try index.page(question)
        #expect(none.total == 0 && none.recordings.isEmpty && none.next == nil)
        question.recorder = nil
        // These end after the range's start and begin before its end.
        (question.from, question.to) = (1_700_000_029, 1_700_000_061)
        let ten = try index.page(question)
        #expect(ten.total == 10)
        question.from = 1_700_000_030
        let five = try index.page(question)
        #expect(five.total == 5)
    }

    @Test func pageQuery_usesAnIndex() throws {
        let directory = try TemporaryDirectory()
        let index = try filled(directory)
        let plans = try index.read { database throws(Database.Failure) in
            var plans: [String] = []
            for words in [
                "shown = 1", "shown = 1 AND recorder = 'yard'", "shown = 1 AND \"end\" > 5 AND begin < 9",
                "shown = 1 AND recorder = 'yard' AND (begin, id) < (5, 5)",
            ] {
                let question =
                    "EXPLAIN QUERY PLAN SELECT * FROM recording WHERE \(words) ORDER BY begin DESC, id DESC LIMIT 9"
                try database.run(question) { row in
                    plans.append(row.text(3))
                    return true
                }
            }
            return plans
        }
        #expect(plans.count == 4 && plans.allSatisfy { $0.contains("USING INDEX recording_") }, "\(plans)")
    }

    @Test func overlapQuery_usesAnIndex() throws {
        let directory = try TemporaryDirectory()
        let index = try filled(directory)
        let plans = try index.read { database throws(Database.Failure) in
            var plans: [String] = []
            for question in [RecordingClaims.overlapping, RecordingClaims.longest] {
                try database.run("EXPLAIN QUERY PLAN " + question) { row in
                    plans.append(row.text(3))
                    return true
                }
            }
            return plans
        }
        // No line of the plans contains a sort.
        #expect(plans.count == 2 && plans[0].contains("(recorder=? AND claim=? AND begin>? AND begin<?)"), "\(plans)")
        #expect(plans[1].contains("(recorder=? AND claim=?)"), "\(plans)")
    }

    @Test func unlistedFile_overlapsARecordingBriefly_isShown() throws {
        let directory = try TemporaryDirectory()
        let index = RecordingIndex(directory.path("recordings.sqlite"))
        func record(_ number: UInt64, begin: Double, isListed: Bool) throws {
            let identity = FinishedRecording.Identity(
                inode: number, size: 10, modified: Int64(begin + 30) * 1_000_000_000)
            let path = "/nowhere/\(number).mov"
            try index.change { database throws(Database.Failure) in
                try IndexRows.record(
                    .init(
                        path: path, recorder: "front", identity: identity,
                        account: isListed ? .init(started: begin, duration: 30, ending: .stopped) : nil), in: database)
                guard !isListed, let entry = try IndexRows.unread(1, in: database).first else { return }
                var info = IndexedRecording.Info(begin: begin, duration: 30)
                info.recorder = "front"
                try IndexRows.record(info, of: entry, in: database)
            }
        }
        try record(1, begin: 1000, isListed: true)
        try record(2, begin: 1029, isListed: false)
        try record(3, begin: 1010, isListed: false)
        try record(4, begin: 971, isListed: false)
        let shown = try index.page(.init()).recordings.map(\.file)
        #expect(shown == ["2.mov", "1.mov", "4.mov"])
    }

    @Test func pageMark_invalid_isRefused() {
        for text in ["", "-", "x-1", "1-", "-1", "7ff0000000000000-1", "1-1-1", "ffffffffffffffffff-1"] {
            #expect(RecordingIndex.Question.Mark(text) == nil, "\(text)")
        }
        let mark = RecordingIndex.Question.Mark(begin: 12.5, number: 3)
        #expect(RecordingIndex.Question.Mark(mark.text) == mark)
    }
}

import ArchiveService
import Foundation
import MediaTypes
import TestSupport
import Testing

@Suite struct PlanTests {
    private let place: TemporaryDirectory
    private let path: String

    init() throws {
        place = try TemporaryDirectory()
        path = place.path("a.plan")
    }

    private static let header = ArchivePlan.Header(
        program: "recorder 0", settings: ArchiveSettings(), output: RawPath("/out"), directories: [RawPath("/in")])

    private static func movie(_ source: RawPath, _ output: RawPath) -> ArchivePlan.Movie {
        ArchivePlan.Movie(
            source: source, identity: SourceIdentity(size: 5, modified: 1_700_000_000_123_456_789, inode: .max),
            output: output, duration: 2, cost: 1)
    }

    private func read(_ lines: String...) throws(MediaError) -> ArchivePlan {
        try! (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        return try PlanReader.read(path)
    }

    private func fault(_ lines: String...) -> String {
        try! (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        do throws(MediaError) {
            _ = try PlanReader.read(path)
            return "none"
        } catch { return error.reason }
    }

    private let header = PlanText.line(PlanTests.header)

    private static func task(_ number: Int, _ source: String, _ output: String) -> String {
        PlanText.line(ArchivePlan.Task(number: number, movies: [movie(RawPath(source), RawPath(output))]))
    }

    @Test func plan_writtenAndRead_isUnchanged() throws {
        var movie = Self.movie(RawPath(bytes: [0x2F, 0xFF, 0x0A, 0x25, 0x22]), RawPath("/out/a b.mov"))
        movie.identity.hash = "00ff"
        movie.settings = ArchiveSettings()
        movie.settings?.crf = 30
        let task = ArchivePlan.Task(number: 3, movies: [movie, Self.movie(RawPath("/b"), RawPath("/out/b.mov"))])
        let skipped = ArchivePlan.Skipped(path: RawPath("/c"), reason: "it is unfinished")
        let plan = try read(header, "", PlanText.line(task), PlanText.line(skipped))
        #expect(plan.header == Self.header)
        #expect(plan.tasks == [task])
        #expect(plan.skipped == [skipped])
        let (_, alone) = try PlanReader.read(path, task: 3)
        #expect(alone == task)
    }

    @Test func plan_impossibleNumbers_areRefused() {
        let task = Self.task(1, "/a", "/out/a.mov")
        #expect(fault(header, task.replacing("\"size\":5", with: "\"size\":-1")).contains("“size” must be at least 0"))
        for number in ["1e308", "-1"] {
            let changed = task.replacing("\"duration\":2", with: "\"duration\":\(number)")
            #expect(fault(header, changed).contains("“duration” must be a number, at least 0 and at most 10^12"))
        }
    }

    @Test func accounting_impossibleNumbers_endNoProgram() throws {
        var plan = try read(header, Self.task(1, "/a", "/out/a.mov"), Self.task(2, "/b", "/out/b.mov"))
        for index in 0..<2 { plan.tasks[index].movies[0].identity.size = .max }
        var progress = ArchiveProgress(plan)
        func line(_ movie: String, _ fields: String) throws -> AccountLine {
            let text = #"{"event":"made","task":1,"file":"\#(movie)","host":"h","process":1,"time":0,\#(fields)}"#
            return try JSONDecoder().decode(AccountLine.self, from: Data(text.utf8))
        }
        #expect(throws: DecodingError.self) { try line("/a", #""bytes":-9223372036854775808"#) }
        let first = try line("/a", #""bytes":9223372036854775807,"duration":1e308,"seconds":-1,"restart":-5"#)
        #expect(first.duration == nil && first.seconds == nil && first.restart == 0)
        progress.add(first)
        progress.add(try line("/b", #""bytes":9223372036854775807,"restart":9223372036854775807"#))
        #expect(progress.inputBytes == .max && progress.bytes == .max && progress.saved == 0)
        #expect(!progress.text().isEmpty)
    }

    /// Plans that were written before the keys followed the glossary.
    @Test func plan_earlierKeys_isReadAndWrittenWithTheNewOnes() throws {
        let task = ArchivePlan.Task(number: 1, movies: [Self.movie(RawPath("/a"), RawPath("/out/a.mov"))])
        let line = PlanText.line(task)
        #expect(line.contains("\"files\":[") && !line.contains("\"films\""))
        #expect(try read(header, line.replacing("\"files\":", with: "\"films\":")).tasks == [task])
        let both = line.replacing("\"files\":", with: "\"films\":[],\"files\":")
        #expect(fault(header, both).contains("unknown key “files”"))
    }

    /// Accounting lines of a run that began with an earlier build.
    @Test func accounting_earlierKey_isRead() throws {
        var line = AccountLine(.made, task: 1, movie: "/a", host: "h", process: 1, time: 5)
        (line.bytes, line.fingerprint, line.seconds, line.leftOut) = (7, "f", 1.5, ["track 3"])
        let text = String(decoding: try JSONEncoder().encode(line), as: UTF8.self)
        #expect(text.contains("\"file\":") && !text.contains("\"film\""))
        #expect(try JSONDecoder().decode(AccountLine.self, from: Data(text.utf8)) == line)
        let earlier = text.replacing("\"file\":", with: "\"film\":")
        #expect(try JSONDecoder().decode(AccountLine.self, from: Data(earlier.utf8)) == line)
        let begun = AccountLine(.begun, task: 1, host: "h", process: 1, time: 5)
        #expect(try JSONDecoder().decode(AccountLine.self, from: try JSONEncoder().encode(begun)) == begun)
    }

    @Test func planReader_invalidEdit_reportsLineAndColumn() {
        #expect(fault(header, "{\"task\":1,\"cost\":1,\"files\":[}") == "line 2, column 29: invalid JSON")
        #expect(fault(header, "", "{\"task\":\"x\"}").hasPrefix("line 3, column"))
        #expect(fault("{\"archive\":7}").hasPrefix("line 1, column 12: plans of version 7"))
        #expect(fault(header, header).hasPrefix("line 2, column 1: a second header"))
        #expect(fault(Self.task(1, "/a", "/b")).contains("the header is missing"))
        #expect(fault("").contains("there is no header"))
        #expect(fault(header, Self.task(1, "/a", "/b").replacing("cost", with: "costs")).contains("costs"))
        #expect(fault(header, Self.task(1, "/a", "/b").replacing("/a", with: "a")).contains("must begin with a slash"))
        #expect(fault(header, Self.task(1, "/a", "/b").replacing("/a", with: "/%")).contains("%25"))
        #expect(fault(header.replacing("h264", with: "vp8")).contains("vp8"))
        // An archive copies what there is: it has no masks that a run could leave out.
        let masked = header.replacing("\"codec\":", with: "\"mask\":[\"0,0 1,0 1,1\"],\"codec\":")
        #expect(fault(masked).contains("unknown key “mask”"))
    }

    @Test func planReader_escapesInStrings_areDecoded() throws {
        func line(_ escaped: String) -> String { Self.task(1, "/name", "/b").replacing("/name", with: escaped) }
        let path = try read(header, line(#"\/a\"\\\n\u00e9\ud83d\ude00\u0041"#)).tasks[0].movies[0].source
        #expect(path == RawPath(bytes: Array("/a\"\\\né😀A".utf8)))
        for escape in [#"\x"#, #"\u12"#, #"\u12g4"#, #"\ud83d"#, #"\ud83dx"#, #"\ud83d\u0041"#, #"\ude00"#] {
            #expect(fault(header, line("/a" + escape)).contains("invalid escape"), "\(escape)")
        }
        #expect(fault(header, line("/a\t")).contains("control character"))
        #expect(fault(header, #"{"task\"#).contains("a quote is missing"))
    }

    @Test func planReader_repeatedKey_isRefused() {
        let line = Self.task(1, "/a", "/b").replacing("\"task\":1", with: "\"task\":1,\"task\":2")
        #expect(fault(header, line).contains("duplicate key “task”"))
    }

    @Test func planReader_repeatedOutputOrTask_isRefused() {
        #expect(fault(header, Self.task(1, "/a", "/o"), Self.task(2, "/b", "/o")).contains("/o is already in line 2"))
        #expect(
            fault(header, Self.task(1, "/a", "/o"), Self.task(1, "/b", "/p")).contains("task 1 is already in line 2"))
    }

    @Test func planReader_outputIsOrIsInsideASource_isRefused() {
        #expect(fault(header, Self.task(1, "/a", "/a")) == "line 2, column 1: the output /a is a source")
        #expect(fault(header, Self.task(1, "/a", "/b"), Self.task(2, "/c", "/a/x/d")).contains("inside the source /a"))
        #expect(fault(header, Self.task(1, "/a", "/ab")) == "none")
    }

    @Test func planReader_randomlyChangedBytes_failsOnlyWithCorruptData() throws {
        var refused = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            let line = PlanTests.task(1, "/a", "/b")
            var bytes = Array((header + "\n" + line + "\n").utf8)
            let noise = SyntheticMedia.noise(3, seed: seed)
            bytes[Int(noise[0]) * 2 % bytes.count] = noise[1]
            bytes.insert(noise[2], at: Int(noise[1]) % bytes.count)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            switch Result(catching: { () throws(MediaError) in try PlanReader.read(path) }) {
            case .success(let plan):
                // A change may be within a string. The plan still has its one task.
                #expect(plan.tasks.count == 1 && plan.skipped.isEmpty, "seed \(seed)")
            case .failure(let error):
                #expect(error.code == .corruptData, "seed \(seed): \(error)")
                refused += 1
            }
        }
        #expect(refused > 50, "\(refused) of 200 plans")
    }
}

import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import ArchiveService

@Suite struct ChunkPlanTests {
    private let place: TemporaryDirectory
    private let path: String
    private static let header = ArchivePlan.Header(
        program: "recorder 0", settings: ArchiveSettings(), output: RawPath("/out"), directories: [RawPath("/in")])

    init() throws {
        place = try TemporaryDirectory()
        path = place.path("a.plan")
    }

    private static func movie(_ source: String = "/a", _ output: String = "/out/a.mov") -> ArchivePlan.Movie {
        ArchivePlan.Movie(
            source: RawPath(source), identity: SourceIdentity(size: 5, modified: 7, inode: 9), output: RawPath(output),
            duration: 1200, cost: 1000)
    }

    private static let cuts = ChunkPlan(
        starts: [MediaTime(value: 12_345, timescale: 30), MediaTime(value: 800, timescale: 1)], encodesAudio: true)
    private static let tasks = cuts.tasks(of: movie(), first: 3)

    private func read(_ tasks: [ArchivePlan.Task]) throws(MediaError) -> ArchivePlan {
        let lines = [PlanText.line(Self.header)] + tasks.map(PlanText.line)
        try! (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        return try PlanReader.read(path)
    }

    private func fault(_ tasks: [ArchivePlan.Task], edit: (String) -> String = { $0 }) -> String {
        let lines = [PlanText.line(Self.header)] + tasks.map { edit(PlanText.line($0)) }
        try! (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        do throws(MediaError) {
            _ = try PlanReader.read(path)
            return "none"
        } catch { return error.reason }
    }

    @Test func chunkedPlan_writtenAndRead_isUnchanged() throws {
        #expect(Self.tasks.map(\.number) == [3, 4, 5, 6, 7])
        #expect(
            Self.tasks[1].work
                == .frames(from: MediaTime(value: 4115, timescale: 10), to: MediaTime(value: 800, timescale: 1)))
        #expect(Self.tasks[3].work == .audio && Self.tasks[4].work == .join(after: [3, 4, 5, 6]))
        let plan = try read(Self.tasks)
        #expect(plan.tasks.map(\.work) == Self.tasks.map(\.work))
        #expect(plan.movieCount == 1)
        #expect(abs(plan.tasks.reduce(0) { $0 + $1.cost } - 1000) < 1)
        let (_, join) = try PlanReader.read(path, task: 7)
        #expect(try PlanReader.read(path, tasks: join.work.after).map(\.work) == Self.tasks.dropLast().map(\.work))
    }

    /// Plans that were written before their words followed the glossary, and the parts that earlier runs made.
    @Test func plan_earlierNamesOfParts_areReadAndTheirFilesAreFound() throws {
        let words = ["\"files\":": "\"films\":", "\"frames\"": "\"pictures\"", "\"audio\"": "\"sound\""]
        let text = Self.tasks.map(PlanText.line).joined(separator: "\n")
        for word in words.keys { #expect(text.contains(word), "\(word)") }
        let found = fault(Self.tasks) { line in words.reduce(line) { $0.replacing($1.key, with: $1.value) } }
        #expect(found == "none")
        #expect(try PlanReader.read(path).tasks.map(\.work) == Self.tasks.map(\.work))
        // The fingerprint that earlier builds gave this part.
        #expect(
            Self.tasks[3].partFingerprint(Self.header)
                == "b6ac6c1d76044d65132143dbaeb3ea16f4e60dc9d6008db4b6267ee01f968d4d")
    }

    @Test func joinTask_invalidParts_isRefused() {
        var tasks = Self.tasks
        tasks[4].work = .join(after: [3, 4, 5, 6, 8])
        #expect(fault(tasks).contains("no earlier task 8 makes a part"))
        // The column of `after`, which follows the name in its line.
        #expect(fault(tasks).hasPrefix("line 6, column 10:"), "\(fault(tasks))")
        tasks[4].work = .join(after: [3, 4, 5, 7])
        #expect(fault(tasks).contains("task 7 cannot join itself"))
        #expect(fault([Self.tasks[4]] + Self.tasks.dropLast()).contains("no earlier task 3 makes"))
        tasks = Self.tasks
        tasks[1].movies = [Self.movie("/b", "/out/a.mov")]
        #expect(fault(tasks).contains("task 4, in line 3, is for another movie"))
        var second = ArchivePlan.Task(number: 9, .join(after: [3]), movies: [Self.movie("/a", "/out/b.mov")])
        #expect(fault(Self.tasks + [second]).contains("task 3 is already joined by task 7"))
        second.work = .movies
        #expect(fault(Self.tasks + [second]) == "none")
    }

    @Test func chunks_withGapOrOverlap_areRefused() {
        let middle = MediaTime(value: 4115, timescale: 10)
        func with(_ index: Int, _ work: ArchivePlan.Work) -> String {
            var tasks = Self.tasks
            tasks[index].work = work
            return fault(tasks)
        }
        let end = MediaTime(value: 800, timescale: 1)
        let late = with(1, .frames(from: MediaTime(value: 412, timescale: 1), to: end))
        #expect(late.contains("leave a gap between 823/2 and 412"))
        #expect(with(1, .frames(from: MediaTime(value: 411, timescale: 1), to: end)).contains("overlaps"))
        #expect(with(1, .frames(from: middle, to: nil)).contains("follows the one that extends to the movie's end"))
        #expect(
            with(2, .frames(from: end, to: MediaTime(value: 900, timescale: 1))).contains("leave a gap after 900"))
        #expect(with(0, .audio).contains("a gap between 0 and 823/2"))
        #expect(with(4, .join(after: [6])).contains("no chunk of the movie's frames"))
        #expect(with(4, .join(after: [3, 4, 5])).contains("no later task joins the part that task 6 makes"))
        #expect(fault(Array(Self.tasks.dropLast())).contains("no later task joins the part that task 3 makes"))
    }

    @Test func chunkedPlan_invalidFields_areReported() {
        func edited(_ from: String, _ to: String) -> String {
            fault(Self.tasks) { $0.replacing(from, with: to) }
        }
        #expect(
            edited("\"823/2\"", "\"823/0\"").contains("“from” must be a string with a number of seconds")
                || edited("\"823/2\"", "\"823/0\"").contains("“to” must be a string with a number of seconds"))
        #expect(edited("\"audio\"", "\"noise\"").contains("“part” must be “frames”, “audio” or “join”"))
        let withStart = edited("\"part\":\"audio\"", "\"part\":\"audio\",\"from\":\"1\"")
        #expect(withStart.contains("“from” cannot be used with “audio”"))
        #expect(edited("\"part\":\"join\",", "").contains("“after” is only for a task that makes a part"))
        #expect(edited("\"from\":\"800\"", "\"from\":\"800\",\"to\":\"700\"").contains("ends before it begins"))
        #expect(PlanTime.parse("-1") == nil && PlanTime.parse("1/2/3") == nil && PlanTime.parse("1/+2") == nil)
        #expect(
            PlanTime.parse("") == nil && PlanTime.parse("/") == nil && PlanTime.parse("99999999999999999999") == nil)
    }

    @Test func planner_longFiles_areSplitIntoChunks() throws {
        let movies = try TemporaryDirectory()
        for name in ["a", "b", "c"] { try Data([1]).write(to: movies.file("\(name).mov")) }
        var choice = ArchivePlanner.Choice()
        choice.chunk = 480
        var header = Self.header
        (header.directories, header.output) = ([RawPath(movies.url.path)], RawPath(place.path("out")))
        var asked: [Int] = []
        let planner = ArchivePlanner(
            header, choice,
            look: { path in
                SourceProbe(duration: path.name.first == UInt8(ascii: "b") ? 3600 : 100, pixelRate: 1e6)
            },
            cut: { _, _, count in
                asked.append(count)
                return ChunkPlan(starts: [MediaTime(value: 1700, timescale: 1)], encodesAudio: false)
            })
        var lines: [String] = []
        let result = try planner.plan { lines.append($0) }
        #expect(asked == [8] && result.movies == 3 && result.tasks == 4)
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        let plan = try PlanReader.read(path)
        #expect(plan.movieCount == 3 && plan.tasks.map(\.number) == [1, 2, 3, 4])
        #expect(plan.tasks.filter { $0.work == .movies }.flatMap(\.movies).count == 2)
    }

    // MARK: Running

    private func exited(_ task: Int, _ code: Int32) -> TaskEnd { TaskEnd(task, .exited(code)) }

    @Test func joinTask_chunksDone_startsBeforeOtherTasks() {
        var state = RunState([1, 2, 3, 4], after: [3: [1, 2]])
        #expect(state.ready(at: 0, atMost: 9) == [1, 2, 4])
        state.begun(2)
        #expect(state.ended(exited(2, 0), at: 0) == .done)
        #expect(state.ready(at: 0, atMost: 9) == [4])
        #expect(state.ended(exited(1, 0), at: 0) == .done)
        #expect(state.ready(at: 0, atMost: 9) == [3, 4])
        state.begun(2)
        #expect(state.ended(exited(3, 0), at: 0) == .done)
        #expect(!state.isOver)
        #expect(state.ended(exited(4, 0), at: 0) == .done)
        #expect(state.isOver && state.done == 4)
    }

    @Test func joinTask_chunkFailed_fails() {
        var state = RunState([1, 2, 3], after: [3: [1, 2]])
        _ = state.ready(at: 0, atMost: 9)
        state.begun(2)
        #expect(state.ended(exited(1, 74), at: 0) == .again)
        #expect(state.ended(exited(2, 65), at: 0) == .failed)
        #expect(!state.isOver && state.failed == 2)
        #expect(state.ready(at: 1 << 40, atMost: 9) == [1])
        state.begun(1)
        #expect(state.ended(exited(1, 0), at: 0) == .done)
        #expect(state.isOver)
    }

    @Test func joinTask_chunksOfEarlierRuns_areNotAwaited() {
        var state = RunState([2, 3], after: [3: [1, 2]])
        #expect(state.ready(at: 0, atMost: 9) == [2])
        var last = RunState([3], after: [3: [1, 2]])
        #expect(last.ready(at: 0, atMost: 9) == [3])
        #expect(RunState([3], after: [3: [1]], adopted: [3]).isOver == false)
        state.begun(1)
        _ = state.ended(exited(2, 0), at: 0)
        #expect(state.ready(at: 0, atMost: 9) == [3])
    }

    @Test func progress_chunkedFile_countsFilesNotChunks() throws {
        let plan = try read(Self.tasks + [ArchivePlan.Task(number: 8, movies: [Self.movie("/b", "/out/b.mov")])])
        var progress = ArchiveProgress(plan)
        #expect(progress.movies == 2 && progress.duration == 2400 && abs(progress.cost - 2000) < 1)
        func add(_ event: AccountLine.Event, _ task: Int, _ movie: String, duration: Double? = nil) {
            var line = AccountLine(event, task: task, movie: movie, host: "h", process: 1, time: 0)
            (line.duration, line.seconds, line.bytes) = (duration, 10, 2)
            progress.add(line)
        }
        add(.partMade, 3, "/a", duration: 411.5)
        add(.partFound, 3, "/a")
        add(.partMade, 4, "/a", duration: 388.5)
        add(.partMade, 5, "/a", duration: 400)
        #expect(progress.done == 0 && progress.made == 0 && progress.left == 2)
        #expect(progress.doneCost > 800 && progress.doneCost < 1000)
        #expect(progress.machines["h"]?.duration == 1200)
        add(.failed, 6, "/a")
        #expect(progress.failed == 1 && progress.failedMovies.first?.movie == "/a")
        add(.partMade, 6, "/a")
        add(.made, 7, "/a")
        #expect(progress.failed == 0 && progress.done == 1 && progress.made == 1 && progress.bytes == 2)
        #expect(abs(progress.doneCost - 1000) < 1)
        #expect(progress.incomplete.isEmpty)
        var lossy = AccountLine(.made, task: 7, movie: "/a", host: "h", process: 1, time: 0)
        lossy.leftOut = ["track 3: gone", "the signature: gone"]
        progress.add(lossy)
        #expect(progress.incomplete.map(\.reason) == ["track 3: gone; the signature: gone"])
        add(.found, 7, "/a")
        #expect(progress.incomplete.map(\.movie) == ["/a"])
        progress.record(8, "lost")
        #expect(progress.failedMovies.map(\.movie) == ["/b"])
    }

    @Test func partsDirectory_remove_deletesOnlyItsParts() throws {
        let output = RawPath(place.path("a.mov"))
        let parts = PartsDirectory(for: output)
        #expect(parts.path.name.first == UInt8(ascii: "."))
        let text = try #require(parts.path.text)
        try FileManager.default.createDirectory(atPath: text, withIntermediateDirectories: false)
        let file = parts.part(String(repeating: "ab", count: 32))
        try Data([1]).write(to: URL(fileURLWithPath: try #require(file.text)))
        try Data([1]).write(to: URL(fileURLWithPath: try #require(file.text) + ".losses"))
        // These files are from an attempt that was killed.
        let dead = try PrivateDirectory(for: file)
        try Data([1]).write(to: URL(fileURLWithPath: try #require(dead.movie(ending: "mov").text)))
        let left = try #require(dead.path.text)
        try FileManager.default.copyItem(atPath: left, toPath: left + "-copy")
        dead.remove()
        try FileManager.default.moveItem(atPath: left + "-copy", toPath: left)
        try Data([1]).write(to: URL(fileURLWithPath: text + "/mine.txt"))
        parts.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: text) == ["mine.txt"])
        try FileManager.default.removeItem(atPath: text + "/mine.txt")
        parts.remove()
        #expect(!FileManager.default.fileExists(atPath: text))
    }
}

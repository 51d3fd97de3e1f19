import ArchiveService
import Foundation
import MediaTypes
import TestSupport
import Testing

@Suite struct PlannerTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func make(_ names: [[UInt8]]) {
        for name in names {
            let path = RawPath(place.path("in")).appending(name)
            try! FileManager.default.createDirectory(
                at: place.file("in"), withIntermediateDirectories: true)
            let file = path.withCString { open($0, O_WRONLY | O_CREAT, 0o644) }
            precondition(file >= 0)
            close(file)
        }
    }

    private func plan(
        seconds: Double = 60, to output: String = "out",
        look: @escaping (RawPath) throws(SourceProbe.Refusal) -> SourceProbe = { _ throws(SourceProbe.Refusal) in
            SourceProbe(duration: 60, pixelRate: 2e8)
        }
    ) throws -> (lines: [String], result: ArchivePlanner.Result) {
        let header = ArchivePlan.Header(
            program: "recorder 0", settings: ArchiveSettings(), output: RawPath(place.path(output)),
            directories: [RawPath(place.path("in"))])
        var lines: [String] = []
        let result = try ArchivePlanner(header, look: look).plan { line throws(MediaError) in lines.append(line) }
        return (lines, result)
    }

    private func read(_ lines: [String]) throws -> ArchivePlan {
        let path = place.path("\(UUID().uuidString).plan")
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        return try PlanReader.read(path)
    }

    @Test func planner_unusualFileNames_plansEveryFile() throws {
        let names: [[UInt8]] = [
            Array("a b.mov".utf8), Array("new\nline.mov".utf8), Array("100%.mov".utf8),
            [0xFF, 0x41] + Array(".mov".utf8), Array("ä.mov".utf8),
        ]
        make(names)
        let plan = try read(plan().lines)
        #expect(Set(plan.tasks.flatMap(\.movies).map(\.source.name)) == Set(names))
        #expect(plan.tasks.flatMap(\.movies).allSatisfy { $0.output.name == $0.source.name })
    }

    @Test func planner_sameDirectory_returnsTheSamePlan() throws {
        make((0..<50).map { Array("movie \($0 * 7919 % 50).mov".utf8) })
        #expect(try plan().lines == plan().lines)
    }

    @Test func planner_shortFiles_groupsTenToTwentyMinutesOfWork() throws {
        make((0..<100).map { Array("\($0 + 100).mov".utf8) })
        let plan = try read(plan().lines)
        #expect(plan.movieCount == 100)
        #expect(plan.tasks.count > 1)
        for task in plan.tasks.dropLast() { #expect((600...1200).contains(task.cost)) }
        #expect(plan.tasks.map(\.number) == Array(1...plan.tasks.count))
    }

    @Test func planner_conflictingOutputNames_keepsExtensions() throws {
        make(["a.avi", "a.mkv", "a.mov", "b.avi.mov", "b.avi", "b.mkv"].map { Array($0.utf8) })
        let outputs = try read(plan().lines).tasks.flatMap(\.movies).map(\.output)
        #expect(Set(outputs).count == 6)
    }

    @Test func planner_skippedFiles_reportsEachReason() throws {
        make(["a.mov", "b.mov", ".hidden.mov"].map { Array($0.utf8) })
        symlink(place.path("in/a.mov"), place.path("in/link.mov"))
        let plan = try read(
            plan(look: { path throws(SourceProbe.Refusal) in
                if path.name == Array("b.mov".utf8) { throw SourceProbe.Refusal("it is unfinished") }
                return SourceProbe(duration: 1, pixelRate: 1)
            }).lines)
        #expect(plan.movieCount == 1)
        #expect(Set(plan.skipped.map(\.reason)) == ["it is unfinished", "it is hidden", "it is a link"])
    }

    @Test func planner_outputInsideSourceDirectory_isNotASource() throws {
        make([Array("a.mov".utf8)])
        try FileManager.default.createDirectory(at: place.file("in/out"), withIntermediateDirectories: true)
        try Data().write(to: place.file("in/out/b.mov"))
        #expect(try plan(to: "in/out").result.movies == 1)
    }

    @Test func planner_otherFiles_areSkippedWithAReason() throws {
        try FileManager.default.createDirectory(at: place.file("in"), withIntermediateDirectories: true)
        try Data("no movie".utf8).write(to: place.file("in/no.mov"))
        try Data().write(to: place.file("in/b.recording.mov"))
        try Data().write(to: place.file("in/notes.txt"))
        try MadeFile.copy(
            of: ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=2"],
            to: place.file("in/a.mov"))
        let plan = try read(plan(look: SourceProbe.look).lines)
        #expect(plan.tasks.flatMap(\.movies).map(\.source) == [RawPath(place.path("in/a.mov"))])
        let reasons = Dictionary(uniqueKeysWithValues: plan.skipped.map { ($0.path, $0.reason) })
        #expect(reasons[RawPath(place.path("in/no.mov"))]?.hasPrefix("it cannot be read as a movie") == true)
        #expect(reasons[RawPath(place.path("in/b.recording.mov"))]?.contains("being recorded") == true)
        #expect(reasons[RawPath(place.path("in/notes.txt"))]?.contains("name") == true)
    }
}

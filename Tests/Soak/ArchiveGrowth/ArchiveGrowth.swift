import ArchiveService
import Foundation
import Glibc
import MediaTypes

/// Plans and runs archives of many movies on many nodes without encoding any. The planner, the run, its records and its
/// report are the real ones, on real files; the work of the nodes only takes time of a virtual clock. Prints a row for
/// each size: the processor time of planning, reading the plan, one task's reading of it, running, the nodes' records
/// and the report, and the share of their time in which nodes waited for work or had none left.
@main struct ArchiveGrowth {
    static func main() throws {
        let words = CommandLine.arguments.dropFirst()
        let movies = words.first.map(numbers) ?? [1000, 10_000, 100_000]
        let nodes = words.dropFirst().first.map(numbers) ?? [1, 10, 100, 1000]
        print(
            "files    nodes  plan/file  check/file  pick  run/file  account/file  report/file  task  waiting  tail     memory"
        )
        for count in movies {
            let place = NSTemporaryDirectory() + "archive-growth-\(getpid())-\(count)"
            try FileManager.default.createDirectory(atPath: place + "/in", withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: place) }
            try makeMovies(count, in: place + "/in")
            let plan = place + "/movies.plan"
            let planning = try measured { try makePlan(of: place, at: plan) }
            let checking = try measured { _ = try PlanReader.read(plan) }
            let tasks = try PlanReader.read(plan).tasks.map(\.number)
            let picked = stride(from: 0, to: tasks.count, by: max(1, tasks.count / 20)).map { tasks[$0] }
            let picking = try measured { for number in picked { _ = try PlanReader.read(plan, task: number) } }
            let pick = Int((picking / Double(picked.count) * 1000).rounded())
            for number in nodes { try run(plan, movies: count, nodes: number, planning, checking, pick) }
        }
    }

    private static func numbers(_ text: String) -> [Int] { text.split(separator: ",").compactMap { Int($0) } }

    /// Returns the length of a lecture's recording: 20 to 100 minutes.
    private static func hours(_ name: [UInt8]) -> Double {
        let number = name.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return (20 + Double(number >> 40 & 0xFFFF) / 65_535 * 80) / 60
    }

    private static func makeMovies(_ count: Int, in directory: String) throws {
        for number in 0..<count {
            if number % 1000 == 0 { mkdir("\(directory)/\(number / 1000)", 0o755) }
            let file = open("\(directory)/\(number / 1000)/movie \(number).mov", O_WRONLY | O_CREAT, 0o644)
            guard file >= 0 else { throw MediaError(errno: errno, "cannot create a movie") }
            close(file)
        }
    }

    private static func makePlan(of place: String, at path: String) throws {
        let header = ArchivePlan.Header(
            program: "recorder growth", settings: ArchiveSettings(), output: RawPath(place + "/out"),
            directories: [RawPath(place + "/in")])
        let file = try PlanFile(path)
        let planner = ArchivePlanner(header) { movie throws(SourceProbe.Refusal) in
            SourceProbe(duration: hours(movie.name) * 3600, pixelRate: 1280 * 720 * 25)
        }
        _ = try planner.plan { line throws(MediaError) in try file.write(line) }
        try file.finish()
    }

    private static func measured(_ work: () throws -> Void) rethrows -> Double {
        let clock = ProcessorClock()
        let began = clock.nanoseconds
        try work()
        return Double(clock.nanoseconds - began) / 1e9
    }

    private static func run(
        _ path: String, movies: Int, nodes: Int, _ planning: Double, _ checking: Double, _ pick: Int
    ) throws {
        let directory = RunDirectory(ofPlan: path)
        try directory.make()
        defer { try? FileManager.default.removeItem(atPath: directory.path) }
        let plan = try PlanReader.read(path)
        let engine = SimulatedEngine(plan, directory, nodes: nodes)
        let run = ArchiveRun(plan, directory, engine: engine, clock: engine.clock)
        var end = ArchiveRun.End.failed
        let running = try measured { end = try run.run() }
        guard end == .done else { throw MediaError(.invalidState, "the run did not end", reason: "\(end)") }
        let reporting = try measured {
            let report = try ArchiveReport(ofPlan: path, isRunning: false)
            guard report.done == movies else { throw MediaError(.invalidState, "wrong report", reason: report.line) }
        }
        let micro = { (seconds: Double) in "\(Int((seconds / Double(movies) * 1e6).rounded())) µs" }
        let row = [
            "\(movies)", "\(nodes)", micro(planning), micro(checking), "\(pick) ms",
            micro(running - engine.accountingTime),
            micro(engine.accountingTime), micro(reporting),
            "\(Int(engine.meanTask.rounded())) s", percent(engine.waiting), percent(engine.tail),
            "\(peakMemory >> 20) MiB",
        ]
        let widths = [9, 7, 11, 12, 6, 10, 14, 13, 6, 9, 9, 0]
        print(zip(row, widths).map { $0.padding(toLength: max($0.count, $1), withPad: " ", startingAt: 0) }.joined())
        fflush(nil)
    }

    private static func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }

    private static var peakMemory: Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}

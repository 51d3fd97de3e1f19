import AssetIO
import Foundation
import MediaTypes
import RealTime
import RecorderStorage
import TestSupport
import Testing

@testable import ArchiveService

/// Tasks that make parts of a movie and join them, in this process.
@Suite(.timeLimit(.minutes(5))) struct TranscodeAttemptTests {
    private let place: TemporaryDirectory
    private let directory: RunDirectory
    private let header: ArchivePlan.Header
    private let output: RawPath
    /// Two chunks, the audio and their join, numbered from 1.
    private let tasks: [ArchivePlan.Task]

    init() throws {
        place = try TemporaryDirectory()
        let made = try TestSupport.Command.run(
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=8", "-f", "lavfi", "-i",
            "sine=330:r=48000:d=8", "-c:v", "libx264", "-preset", "ultrafast", "-g", "20", "-c:a", "aac", "-metadata",
            "title=Walk", place.path("source.mov"))
        try #require(made.status == 0, "\(made.errors)")
        let source = RawPath(place.path("source.mov"))
        let facts = try #require(FileMetadata.of(source))
        output = RawPath(place.path("out/copy.mov"))
        var settings = ArchiveSettings()
        (settings.preset, settings.threads) = ("ultrafast", 1)
        header = ArchivePlan.Header(
            program: "recorder 0", settings: settings, output: output.directory, directories: [source.directory])
        let movie = ArchivePlan.Movie(
            source: source, identity: SourceIdentity(facts), output: output, duration: 8, cost: 1)
        tasks = ChunkPlan(starts: [MediaTime(value: 4, timescale: 1)], encodesAudio: true).tasks(of: movie, first: 1)
        directory = RunDirectory(ofPlan: place.path("a.plan"))
        try directory.make()
    }

    private func task(_ number: Int) -> ArchivePlan.Task { tasks[number - 1] }

    /// Runs a task and returns the events that it accounted for. It does not read earlier ones.
    private func run(_ number: Int) async throws -> [AccountLine.Event] {
        var reader = Accounting.Reader(directory)
        _ = reader.next()
        let task = task(number)
        let work = TranscodeTask(
            task, header, parts: tasks.filter { task.work.after.contains($0.number) },
            accounting: Accounting(directory), encoder: TranscodeEncoder(hasBegun: { _ in }))
        let code = try await work.run(report: { _ in })
        let lines = reader.next()
        #expect(code == 0, "\(lines.compactMap(\.reason))")
        return lines.map(\.event)
    }

    private func part(_ number: Int) throws -> URL {
        URL(fileURLWithPath: try #require(task(number).partFile(header)?.text))
    }

    /// A worker that is killed after its part has its name has not accounted for it.
    @Test func part_madeButNotAccounted_isFoundByTheNextAttempt() async throws {
        for number in 1...3 {
            #expect(try await run(number) == [.begun, .partMade, .ended])
            let url = try part(number)
            #expect(try TranscodeEncoder.fingerprint(of: url) == task(number).partFingerprint(header))
            #expect(try MovieSummary(contentsOf: url).metadata["title"] == nil)
            let before = try Data(contentsOf: url)
            #expect(try await run(number) == [.begun, .partFound, .ended])
            #expect(try Data(contentsOf: url) == before)
        }
        #expect(try await run(4) == [.begun, .made, .ended])
        let copy = place.file("out/copy.mov")
        let fingerprint = header.settings.fingerprint(of: tasks[0].movies[0].identity, program: header.program)
        #expect(try TranscodeEncoder.fingerprint(of: copy) == fingerprint)
        #expect(try MovieSummary(contentsOf: copy).metadata["title"] == "Walk")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("out")) == ["copy.mov"])
        // The part is not made again once the copy exists.
        #expect(try await run(1) == [.begun, .partFound, .ended])
    }

    /// Captions in frames, for example, are missed only by the tasks that decode the frames.
    @Test func join_partLacksSomething_isInTheReceiptAndTheAccounting() async throws {
        for number in 1...3 { _ = try await run(number) }
        let working = try PrivateDirectory(for: RawPath(part(1).path))
        let losses = PartLosses(of: RawPath(try part(1).path))
        #expect(try losses.read() == [])
        try losses.record(["track 1: captions", "track 1: HDR10+"], in: working)
        try losses.record(["track 1: captions"], in: working)
        #expect(try losses.read() == ["track 1: captions"])
        working.remove()
        var reader = Accounting.Reader(directory)
        _ = reader.next()
        let key = try RunKey(
            ofPlan: place.path("a.plan"), in: StateDirectory(environment: ["XDG_STATE_HOME": place.path("state")]))
        let log = Locked<[String]>([])
        let work = TranscodeTask(
            task(4), header, parts: Array(tasks.prefix(3)), accounting: Accounting(directory),
            encoder: TranscodeEncoder(hasBegun: { _ in }), key: key)
        #expect(try await work.run(report: { line in log.withLock { $0.append(line) } }) == 0)
        let lines = reader.next()
        #expect(lines.first { $0.event == .made }?.leftOut == ["track 1: captions"])
        let receipt = try #require(lines.first { $0.event == .verified }?.receipt)
        #expect(receipt.leftOut == ["track 1: captions"] && key.isGenuine(receipt))
        #expect(log.withLock { $0.last }?.hasSuffix("left out: track 1: captions") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("out")) == ["copy.mov"])
    }

    /// A part that is made again may lack nothing.
    @Test func part_lacksNothing_removesAnEarlierList() async throws {
        let losses = PartLosses(of: RawPath(try part(1).path))
        _ = try await run(1)
        let working = try PrivateDirectory(for: RawPath(part(1).path))
        try losses.record(["track 1: captions"], in: working)
        working.remove()
        try FileManager.default.removeItem(at: try part(1))
        #expect(try await run(1) == [.begun, .partMade, .ended])
        #expect(try losses.read() == [])
    }

    /// Earlier builds gave parts no fingerprint.
    @Test(arguments: ["movie", "text", "link"]) func part_unknownFileHasItsName_replacesIt(kind: String) async throws {
        let url = try part(1)
        let parts = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parts, withIntermediateDirectories: true)
        switch kind {
        case "movie": try FileManager.default.copyItem(at: place.file("source.mov"), to: url)
        case "text": try Data("no movie".utf8).write(to: url)
        default: try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "/nowhere/a.mov")
        }
        #expect(try await run(1) == [.begun, .partMade, .ended])
        #expect(try TranscodeEncoder.fingerprint(of: url) == task(1).partFingerprint(header))
        #expect(try FileManager.default.contentsOfDirectory(atPath: parts.path) == [url.lastPathComponent])
        #expect(try await run(1) == [.begun, .partFound, .ended])
    }

    @Test func output_appearsBetweenTwoLooks_isLookedAtAgain() throws {
        let path = RawPath(place.path("late.mov"))
        var looks = 0
        let found = try TranscodeAttempt.output(at: path, fingerprint: "f") { path throws(MediaError) in
            looks += 1
            if looks > 1 { return "f" }
            // Another attempt gives its copy the name now.
            try? Data([1]).write(to: place.file("late.mov"))
            throw MediaError(errno: ENOENT, "cannot inspect \(path.display)")
        }
        #expect(found == .same && looks == 2)
    }

    @Test func output_remainsUnreadable_failsWithTheError() throws {
        try Data([1]).write(to: place.file("late.mov"))
        var looks = 0
        do throws(MediaError) {
            _ = try TranscodeAttempt.output(at: RawPath(place.path("late.mov")), fingerprint: "f") {
                path throws(MediaError) in
                looks += 1
                throw MediaError(errno: ENOENT, "cannot inspect \(path.display)")
            }
            Issue.record("it was judged")
        } catch { #expect(error.code == .notFound && looks == 3) }
    }
}

import CommandInterface
import FakeDevices
import FileSystem
import Foundation
import Glibc
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// File names shared by recorders: creating the file takes the name, and the next recorder uses another one.
@Suite(.timeLimit(.minutes(10))) struct SharedNamesTests {
    private func end(_ bench: JoinBench) async throws -> RecordingStatus {
        try await bench.playing { try await bench.process.stop(disarms: true) }
    }

    @Test(arguments: [2, 4]) func recorders_samePatternAndBoundaries_allContinue(count: Int) async throws {
        try await withTemporaryDirectory { directory in
            let benches = (0..<count).map { _ in
                JoinBench(directory, audio: .clicking) {
                    $0.output = directory + "/%H-%M-%S.mov"
                    $0.segments = SegmentRules(duration: milliseconds(2000), isAligned: true)
                }
            }
            let runs = benches.map { $0.run() }
            for bench in benches { try await bench.ready() }
            for _ in 0..<25 { for bench in benches { try await bench.play(5) } }
            var paths: [String] = []
            for (bench, run) in zip(benches, runs) {
                let status = try await end(bench)
                let outcome = await run.value
                #expect(outcome.failure == nil && status.isExact)
                #expect(status.segments.count >= 3, "\(status.segments)")
                paths += status.segments.map(\.file)
            }
            #expect(Set(paths).count == paths.count)
            #expect(Set(paths.map(\.lastComponent)) == Set(try names(directory)))
        }
    }

    @Test func name_takenMeanwhile_isKeptAndTheNextIsUsed() async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .clicking)
            let run = bench.run()
            try await bench.ready()
            try await bench.play(30)
            try Data("mine".utf8).write(to: URL(fileURLWithPath: directory + "/take.mov"))
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.file == directory + "/take-2.mov")
            #expect(try names(directory) == ["take-2.mov", "take.mov"])
            #expect(try String(contentsOfFile: directory + "/take.mov", encoding: .utf8) == "mine")
        }
    }

    @Test func name_fixedAndTaken_isRefusedOrNumberedForAService() async throws {
        try await withTemporaryDirectory { directory in
            #expect(FileManager.default.createFile(atPath: directory + "/take.mov", contents: nil))
            let refused = await JoinBench(directory, audio: .clicking).run().value
            #expect(refused.failure.map(ExitCode.init) == .cannotCreate)
            #expect(try names(directory) == ["take.mov"])
            let bench = JoinBench(directory, audio: .clicking) { $0.numbersTakenNames = true }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(30)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.file == directory + "/take-2.mov")
        }
    }

    @Test func place_takenNames_triesTheNext() throws {
        let tried = Locked<[String]>([])
        let place = RecordingFilePlace { error throws(MediaError) in
            let last = tried.withLock { $0.last }
            if last == "/c.mov", let error { throw error }
            return OutputLocation(path: error == nil ? "/a.mov" : last == "/a.mov" ? "/b.mov" : "/c.mov")
        }
        func open(_ location: OutputLocation, free: String?) throws(MediaError) -> String {
            tried.withLock { $0.append(location.path) }
            guard location.path == free else { throw MediaError(errno: EEXIST, "cannot create \(location.path)") }
            return location.path
        }
        #expect(try place.take { location throws(MediaError) in try open(location, free: "/b.mov") } == "/b.mov")
        tried.withLock { $0 = [] }
        #expect(throws: MediaError.self) {
            try place.take { location throws(MediaError) in try open(location, free: nil) }
        }
        #expect(tried.withLock { $0 } == ["/a.mov", "/b.mov", "/c.mov"])
    }

    @Test func place_directoryVanishes_createsItAgain() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("today/a.mov")
        let place = RecordingFilePlace { _ throws(MediaError) in OutputLocation(path: path, root: directory.url.path) }
        var attempts = 0
        let made = try place.take { location throws(MediaError) -> Int32 in
            attempts += 1
            // Retention removes an empty directory like this.
            if attempts < 4 { rmdir(location.directory) }
            let file = open(location.temporaryPath, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard file >= 0 else { throw MediaError(errno: errno, "cannot create \(location.path)") }
            return file
        }
        close(made)
        #expect(attempts == 4 && directory.names == ["today"])
    }

    @Test func retention_whileArmedAndIdle_deletesNothing() async throws {
        try await withTemporaryDirectory { directory in
            let name = try RecordingName(parsing: "front")
            let state = StateDirectory(environment: ["XDG_STATE_HOME": directory + "/state"])
            let root = directory + "/movies"
            let retention = Retention(
                name, below: root, in: state, log: LogLines().logger, moment: Moment.now,
                freeSpace: DiskSpace.free(at:))
            try FileManager.default.createDirectory(atPath: root + "/front", withIntermediateDirectories: true)
            let old = root + "/front/old.mov"
            #expect(FileManager.default.createFile(atPath: old, contents: Data("take".utf8)))
            try retention.catalogue.add(old, root: root)
            let bench = JoinBench(directory, audio: .clicking, retention: retention) {
                $0.name = name
                $0.isArmed = true
                $0.output = root + "/%{name}/%H-%M-%S.mov"
                $0.retention.age = milliseconds(1)
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(30)
            // The supervisor looks ten times a second.
            let start = ContinuousClock.now
            try await bench.play { ContinuousClock.now > start + .milliseconds(300) }
            #expect(FileManager.default.fileExists(atPath: old))
            for _ in 0..<3 {
                let started = try await bench.record()
                #expect(started.state == .recording)
                try await bench.play(30)
                _ = try await bench.playing { try await bench.process.stop(disarms: false) }
                try await waitUntil { bench.process.status.state == .armed }
            }
            try await bench.play { !FileManager.default.fileExists(atPath: old) }
            #expect(try await end(bench).file == nil)
            #expect(await run.value.failure == nil)
        }
    }

    @Test func save_preRollRepeatedly_findsAFreeName() async throws {
        try await withTemporaryDirectory { directory in
            let bench = JoinBench(directory, audio: .clicking) {
                $0.isArmed = true
                $0.preRoll = milliseconds(1000)
            }
            let run = bench.run()
            try await bench.ready()
            try await bench.play(50)
            func save(_ path: String? = nil) async throws -> String {
                let file = try await bench.playing { try await bench.process.save(last: nil, to: path) }
                return String(file.file.dropFirst(directory.utf8.count + 1))
            }
            #expect(try await save() == "take-saved.mov")
            _ = try await bench.record()
            try await bench.play(50)
            #expect(try await save() == "take-saved-2.mov")
            #expect(try await save(directory + "/goal.mov") == "goal.mov")
            let error = await MediaError.of { try await bench.process.save(last: nil, to: directory + "/goal.mov") }
            #expect(error?.code == .outputExists && error?.wayOut.contains("--overwrite") == false)
            let status = try await end(bench)
            #expect(await run.value.failure == nil)
            #expect(status.file == directory + "/take.mov")
            #expect(try names(directory) == ["goal.mov", "take-saved-2.mov", "take-saved.mov", "take.mov"])
        }
    }

    private func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }
}

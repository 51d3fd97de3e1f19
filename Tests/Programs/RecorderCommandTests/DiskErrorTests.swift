import Foundation
import Glibc
import TestSupport
import Testing

/// Disks that fail during a recording, by `Tests/Support/FaultyDisk/faultydisk.c`, which is loaded before the C
/// library.
///
/// `scripts/soak disk-errors` tries every error in each call and phase.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ["-asan", "-tsan"].allSatisfy { !(CommandLine.arguments.first ?? "").contains($0) }))
struct DiskErrorTests {
    private struct Fault: CustomTestStringConvertible {
        var call: String
        var error: Int32
        var count: Int?
        /// A part of the paths that fail; nil for the files that are being recorded.
        var path: String?
        var testDescription: String { "\(call) \(error) \(count.map(String.init) ?? "always")" }
    }

    private func library(in command: Command) throws -> String {
        let library = command.path("faultydisk.so")
        let source = Project.path("Tests/Support/FaultyDisk/faultydisk.c")
        let built = try TestSupport.Command.run("cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl")
        try #require(built.status == 0, "\(built.errors)")
        return library
    }

    /// A complete file is kept, even if its name could not be synced.
    @Test func finalize_nameCannotBeSynced_keepsTheFile() async throws {
        try await Command.inDirectory { command in
            var fault = Fault(call: "fsync", error: EFBIG, count: 1)
            fault.path = command.path("work")
            let result = try await record(fault, ["--duration", "2s"], in: command)
            #expect(result.exitCode == 74, "\(result.errors)")
            #expect(command.files(in: "work") == ["a.mov"])
            let probe = try Probe(command.path("work/a.mov"), decodes: true)
            #expect(probe.complaints.isEmpty && probe.video?.frames == 50, "\(probe.complaints)")
        }
    }

    /// Records until the disk fails, and lets `act` end the recording.
    private func record(
        _ fault: Fault, _ options: [String], in command: Command, _ act: (Running) async throws -> Void = { _ in }
    ) async throws -> Command.Result {
        var environment = [
            "LD_PRELOAD": try library(in: command), "FAULTYDISK_CALL": fault.call,
            "FAULTYDISK_ERROR": String(fault.error), "FAULTYDISK_WHILE": command.path("fail"),
            "FAULTYDISK_LOG": command.path("faults"),
        ]
        if let path = fault.path { environment["FAULTYDISK_PATH"] = path }
        if let count = fault.count { environment["FAULTYDISK_COUNT"] = String(count) }
        let running = try command.start(
            [
                "start", "k", "--foreground", "--camera", "test", "--microphone", "test", "--size", "160x120",
                "--frame-rate", "25", "-o", "a.mov",
            ] + options, environment: environment)
        try await waitUntil { running.output.hasPrefix("recording") || !running.isRunning }
        // Waits for more than the first fragment, which has one frame and may have no audio yet.
        let first = size(command)
        try await waitUntil { size(command) > first || !running.isRunning }
        #expect(FileManager.default.createFile(atPath: command.path("fail"), contents: nil))
        try await act(running)
        return try await running.result()
    }

    private func size(_ command: Command) -> Int64 {
        var facts = stat()
        return stat(command.path("work/a.recording.mov"), &facts) == 0 ? Int64(facts.st_size) : 0
    }

    private func faults(_ command: Command) -> Int {
        let text = (try? String(contentsOfFile: command.path("faults"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").count
    }

    @Test(arguments: [Fault(call: "write", error: ESTALE), Fault(call: "fdatasync", error: EIO)])
    private func record_diskFailsForGood_makesFewAttemptsAndEnds(fault: Fault) async throws {
        try await Command.inDirectory { command in
            let result = try await record(fault, ["--duration", "4s"], in: command)
            #expect(result.exitCode == 74, "\(result.errors)")
            #expect(faults(command) < 30)
            // Only the data that was safe before is in the file.
            #expect(command.files(in: "work") == ["a.recording.mov"])
            let repaired = try await command.run("repair", "a.recording.mov")
            #expect(repaired.exitCode == 0, "\(repaired.errors)")
            #expect(try Probe(command.path("work/a.mov"), decodes: true).complaints.isEmpty)
        }
    }

    @Test func record_staleDisk_endsOnTermination() async throws {
        try await Command.inDirectory { command in
            let result = try await record(Fault(call: "write", error: ESTALE), [], in: command) { running in
                try await waitUntil { faults(command) >= 3 || !running.isRunning }
                running.send(SIGTERM)
            }
            #expect(result.exitCode == 74, "\(result.errors)")
            #expect(command.files(in: "work") == ["a.recording.mov"])
        }
    }

    @Test(
        arguments: [
            Fault(call: "write", error: EIO, count: 1), Fault(call: "fdatasync", error: EIO, count: 1),
            Fault(call: "write", error: ESTALE, count: 2),
        ])
    private func record_diskFailsOnce_keepsEveryFrame(fault: Fault) async throws {
        try await Command.inDirectory { command in
            let result = try await record(fault, ["--duration", "4s"], in: command)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work") == ["a-002.mov", "a.mov"])
            let frames = try command.files(in: "work").reduce(0) { count, name in
                let probe = try Probe(command.path("work/" + name), decodes: true)
                #expect(probe.complaints.isEmpty, "\(name): \(probe.complaints)")
                return count + (probe.video?.frames ?? 0)
            }
            // The encoder reorders up to three frames, which may be in both files.
            let account = try VideoAccount([result])
            let isEachKept = (0...3).contains { account.isKept(in: frames - $0, of: 100) }
            #expect(isEachKept, "\(frames): \(result.errors)")
        }
    }

    @Test(
        arguments: [
            Fault(call: "rename", error: EFBIG, count: 1), Fault(call: "rename", error: EIO, count: 1),
            Fault(call: "ftruncate", error: EFBIG, count: 1),
        ])
    private func finalize_diskFailsOnce_keepsEveryFrame(fault: Fault) async throws {
        try await Command.inDirectory { command in
            let result = try await record(fault, ["--duration", "2s"], in: command)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work") == ["a.mov"])
            let probe = try Probe(command.path("work/a.mov"), decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            #expect(try VideoAccount([result]).isKept(in: probe.video?.frames ?? 0, of: 50), "\(result.errors)")
        }
    }

    @Test(arguments: ["write", "fsync", "fdatasync", "ftruncate", "open"])
    func record_interruptedCalls_keepsEveryFrame(call: String) async throws {
        try await Command.inDirectory { command in
            let fault = Fault(call: call, error: EINTR, count: 20)
            let result = try await record(fault, ["--duration", "2s"], in: command)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work") == ["a.mov"])
            let probe = try Probe(command.path("work/a.mov"), decodes: true)
            #expect(probe.complaints.isEmpty, "\(probe.complaints)")
            #expect(try VideoAccount([result]).isKept(in: probe.video?.frames ?? 0, of: 50), "\(result.errors)")
        }
    }
}

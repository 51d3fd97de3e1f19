import Foundation
import Glibc
import TestSupport
import Testing

/// The memory of a recorder after a peak: at most a fifth more than at its start. The test compares one process with
/// itself.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MemoryReturnTests {
    /// Encoders are replaced while frames wait, so their allocations are between those of frames.
    @Test func recording_afterAnOverload_usesLittleMoreMemoryThanBefore() async throws {
        let place = try TemporaryDirectory()
        let library = place.path("slowencoder.so")
        let source = Project.path("Tests/Support/SlowEncoder/slowencoder.c")
        let built = try TestSupport.Command.run("cc", "-shared", "-fPIC", "-O2", "-o", library, source)
        try #require(built.status == 0, "\(built.errors)")
        let slow = place.path("slow")
        try await Command.inDirectory { command in
            let recorder = try command.start(
                [
                    "run", "memory", "--camera", "test", "--microphone", "test", "--size", "1280x720", "--preset",
                    "ultrafast", "--output", "memory.mov",
                ], environment: ["LD_PRELOAD": library, "SLOWENCODER_FILE": slow])
            // The same actions happen before and after, so that only the overload differs.
            try await busy(command)
            let fresh = try await settled(recorder.processID)
            #expect(FileManager.default.createFile(atPath: slow, contents: nil))
            try await until { try await queue(command).dropped > 0 }
            let peak = try resident(recorder.processID)
            #expect(Double(peak) > 1.3 * Double(fresh), "no overload: \(fresh) and \(peak) bytes")
            try await busy(command)
            unlink(slow)
            try await until { try await queue(command).depth <= 2 }
            try await until { try resident(recorder.processID) <= fresh * 6 / 5 }
            // Meanwhile, encoders with more effort start, with memory of their own.
            let after = try await settled(recorder.processID)
            #expect(Double(after) <= 1.2 * Double(fresh), "\(fresh) bytes before, \(peak) and \(after) after")
            recorder.send(SIGINT)
            let result = try await recorder.result()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    private func busy(_ command: Command) async throws {
        try await until { try await command.run("split", "memory").exitCode == 0 }
        for arguments in [
            ["snapshot", "memory", "-o", "now.jpg", "--overwrite"], ["pause", "memory"], ["resume", "memory"],
        ] {
            let result = try await command.run(arguments)
            #expect(result.exitCode == 0, "\(arguments): \(result.errors)")
        }
    }

    /// Returns the resident bytes once a few readings are about the same.
    private func settled(_ process: Int32) async throws -> Int {
        var last: [Int] = []
        try await until {
            last = try last.suffix(7) + [resident(process)]
            return last.count == 8 && (last.max() ?? 0) - (last.min() ?? 0) < 4 << 20
        }
        return last.max() ?? 0
    }

    /// Polls twice a second, for at most a minute and a half.
    private func until(_ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(90)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "it did not come about")
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func resident(_ process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * Int(getpagesize())
    }

    private func queue(_ command: Command) async throws -> (depth: Int, dropped: Int) {
        let text = try await command.run("status", "memory", "--json").output
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let video = object?["video"] as? [String: Any]
        let dropped = (video?["dropped"] as? [String: Any])?["encoder"] as? Int
        return try #require((video?["queueDepth"] as? Int).flatMap { depth in dropped.map { (depth, $0) } }, "\(text)")
    }
}

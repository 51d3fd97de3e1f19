import Foundation
import Glibc
import TestSupport
import Testing

/// A recorder after a peak holds no more memory than one that has just begun, but for a fifth. Ratios of one process to itself.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MemoryReturnTests {
    /// Encoders are replaced while frames wait: what one takes then comes to lie between frames.
    @Test func recording_afterAnOverload_holdsLittleMoreThanBefore() async throws {
        let place = try TemporaryDirectory()
        let library = place.path("slowencoder.so")
        let source = Project.path("Tests/SlowEncoder/slowencoder.c")
        let built = try TestSupport.Command.run("cc", "-shared", "-fPIC", "-O2", "-o", library, source)
        try #require(built.status == 0, "\(built.errors)")
        let slow = place.path("slow")
        try await Command.inDirectory { command in
            let recorder = try command.start(
                [
                    "run", "memory", "--camera", "test", "--microphone", "test", "--size", "1280x720", "--preset",
                    "ultrafast", "--output", "memory.mov",
                ], environment: ["LD_PRELOAD": library, "SLOWENCODER_FILE": slow])
            // The same of what goes on before and after, so that only the overload is between them.
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
            // Encoders that work harder again come meanwhile, with memory of their own.
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

    /// Bytes in memory once a few looks have shown about the same.
    private func settled(_ process: Int32) async throws -> Int {
        var last: [Int] = []
        try await until {
            last = try last.suffix(7) + [resident(process)]
            return last.count == 8 && (last.max() ?? 0) - (last.min() ?? 0) < 4 << 20
        }
        return last.max() ?? 0
    }

    /// Looks twice a second, for a minute and a half at most.
    private func until(_ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(90)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline, "it did not come about")
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func resident(_ process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4096
    }

    private func queue(_ command: Command) async throws -> (depth: Int, dropped: Int) {
        let text = try await command.run("status", "memory", "--json").output
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let video = object?["video"] as? [String: Any]
        let dropped = (video?["dropped"] as? [String: Any])?["encoder"] as? Int
        return try #require((video?["queueDepth"] as? Int).flatMap { depth in dropped.map { (depth, $0) } }, "\(text)")
    }
}

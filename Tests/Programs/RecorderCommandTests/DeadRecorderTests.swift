import Foundation
import Glibc
import TestSupport
import Testing

/// Reports about a killed recorder, and the actions that clear them.
@Suite struct DeadRecorderTests {
    private func start(_ command: Command, _ output: String, _ more: [String] = []) async throws {
        let started = try await command.run(
            ["start", "dying", "--camera", "test", "--size", "160x120", "--frame-rate", "30", "-o", output] + more)
        try #require(started.exitCode == 0, "\(started.errors)")
    }

    private func kill(_ command: Command) throws {
        let lock = try String(contentsOfFile: command.path("run/recorder/dying.lock"), encoding: .utf8)
        let process = try #require(Int32(lock.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(Glibc.kill(process, SIGKILL) == 0)
        #expect(eventually { Glibc.kill(process, 0) != 0 })
    }

    @Test func killedRecorder_isShownAsDeadUntilItStartsAgain() async throws {
        try await Command.inDirectory { command in
            try await start(command, "first.mov")
            try kill(command)
            let file = command.path("work/first.recording.mov")
            for words in [["status"], ["status", "dying"]] {
                let status = try await command.run(words)
                #expect(status.exitCode == 1 && status.output.hasPrefix("dying died at "), "\(status)")
                #expect(status.output.contains("\(file) is unfinished"))
                #expect(status.output.contains("`recorder repair \(file)`"))
            }
            let json = try await command.run("status", "dying", "--json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(object["state"] as? String == "died" && object["file"] as? String == file)
            let list = try await command.run("list", "dying")
            #expect(list.exitCode == 0 && list.output.hasPrefix("dying died at "), "\(list)")
            let stop = try await command.run("stop", "dying")
            #expect(stop.exitCode == 1 && stop.errors.hasPrefix("recorder: dying died at "), "\(stop)")
            let metrics = try await command.run("status", "--prometheus")
            #expect(metrics.output.contains("recorder_up{name=\"dying\"} 0"))
            #expect(metrics.output.contains("recorder_ended{name=\"dying\",state=\"died\"} 1"))

            try await start(command, "second.mov", ["--hook", "died=echo \"$RECORDER_FILE\" > died.txt"])
            let running = try await command.run("status", "dying")
            #expect(running.exitCode == 0 && running.output.hasPrefix("dying  recording"), "\(running)")
            #expect(try await command.run("stop", "dying").exitCode == 0)
            #expect(try String(contentsOfFile: command.path("work/died.txt"), encoding: .utf8) == file + "\n")
            let stopped = try await command.run("status", "dying")
            #expect(stopped.exitCode == 1 && stopped.errors == "recorder: dying is not recording\n", "\(stopped)")
            #expect(command.files(in: "work").contains("first.mov"))
        }
    }

    @Test func deadRecorder_acknowledged_isForgotten() async throws {
        try await Command.inDirectory { command in
            try await start(command, "first.mov")
            try kill(command)
            for words in [["@stage"], ["dyign"], ["dying", "@stage"]] {
                let refused = try await command.run(["status"] + words + ["--acknowledge"])
                #expect(refused.exitCode == 1 && refused.output.isEmpty, "\(refused)")
            }
            let cleared = try await command.run("status", "dying", "--acknowledge")
            #expect(cleared.exitCode == 0 && cleared.output.hasPrefix("acknowledged: dying died at "), "\(cleared)")
            #expect(try await command.run("status").errors == "recorder: nothing is recording\n")
            #expect(command.files(in: "work") == ["first.recording.mov"])
        }
    }
}

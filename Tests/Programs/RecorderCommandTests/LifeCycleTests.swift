import Foundation
import Glibc
import RecorderStorage
import TestSupport
import Testing

/// A recording from `start` to `stop`, with the test sources, in real time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LifeCycleTests {
    private let testSources = ["--camera", "test", "--microphone", "test", "--size", "320x240"]

    @Test func startStatusAndStop_reportOneRecording() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "front"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            #expect(start.errors.isEmpty)
            let line = try #require(start.output.wholeMatch(of: /recording front → (\/.*\.mov) \(pid (\d+)\)\n/))
            let file = String(line.1)
            #expect(file.wholeMatch(of: /.*\/home\/Videos\/\d{4}-\d\d-\d\d\/\d\d-\d\d-\d\d-front\.mov/) != nil)
            // The first frame is in the file.
            let temporary = file.replacing(".mov", with: ".recording.mov")
            #expect(try FileManager.default.attributesOfItem(atPath: temporary)[.size] as? Int ?? 0 > 0)

            let status = try await command.run("status", "--json")
            let now = try JSONDecoder().decode(RecordingStatus.self, from: Data(status.output.utf8))
            #expect(now.state == .recording)
            #expect(now.name == "front")
            #expect(now.file == file)
            #expect(now.video?.width == 320)
            #expect(now.video.map { $0.captured > 0 } == true)
            let text = try await command.run("status", "front")
            #expect(text.output.hasPrefix("front  recording  00:00:0"))

            let stop = try await command.run("stop")
            #expect(stop.exitCode == 0)
            #expect(stop.output == file + "\n")
            #expect(stop.errorLines.count == 2)
            #expect(stop.errorLines.first?.contains(" · 320×240 · ") == true, "\(stop.errors)")
            #expect(stop.errorLines.last?.contains(" 0 written") == false)
            #expect(FileManager.default.fileExists(atPath: file))
            #expect(!FileManager.default.fileExists(atPath: temporary))
            #expect(command.files(in: "run/recorder") == ["front.lock"])

            let again = try await command.run("stop", "front")
            #expect(again.exitCode == 1)
            #expect(again.errors == "recorder: front is not recording\n")
        }
    }

    /// Runs as root only: a desktop user cannot raise priorities.
    @Test(.enabled(if: geteuid() == 0)) func recordingThreads_haveRaisedPriority() async throws {
        try await Command.inDirectory { command in
            let start = try await command.run(["start", "front"] + testSources)
            #expect(start.exitCode == 0, "\(start.errors)")
            let line = try #require(start.output.firstMatch(of: /\(pid (\d+)\)/))
            let threads = "/proc/\(line.1)/task"
            var priorities: [String: String] = [:]
            for thread in try FileManager.default.contentsOfDirectory(atPath: threads) {
                // Name and priority, fields 2 and 18 of proc(5): 20 plus the niceness, or below 0 for a real-time
                // class.
                let text = try String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
                let found = try #require(text.firstMatch(of: /\((.*)\)(?: \S+){15} (\S+)/))
                priorities[String(found.1)] = String(found.2)
            }
            for name in ["video-encode", "audio-encode", "movie-file"] { #expect(priorities[name] == "10", "\(name)") }
            for name in ["test camera", "test microphone"] { #expect(priorities[name] == "-2", "\(name)") }
            #expect(try await command.run("stop").exitCode == 0)
        }
    }

    @Test func info_finishedRecording_reportsTracksAndDropCounts() async throws {
        try await Command.inDirectory { command in
            let run = try await command.run(
                ["start", "a", "--foreground", "--duration", "1s", "--output", "a.mov"] + testSources)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("recording a → \(command.path("work"))/a.mov (pid "))
            let info = try await command.run("info", "--json", "a.mov")
            let object = try JSONSerialization.jsonObject(with: Data(info.output.utf8)) as? [String: Any]
            let summary = try #require(object)
            #expect(summary["health"] as? String == "whole")
            #expect(abs((summary["duration"] as? Double ?? 0) - 1) < 0.002)
            let tracks = try #require(summary["tracks"] as? [[String: Any]])
            #expect(tracks.compactMap { $0["codec"] as? String } == ["h264", "aac", "tmcd"])
            let ledger = try #require(summary["ledger"] as? [String: [String: Any]])
            let video = try #require(ledger["video"])
            let dropped = try #require(video["dropped"] as? [String: Int])
            let (captured, written) = (video["captured"] as? Int ?? 0, video["written"] as? Int ?? 0)
            #expect(written + dropped.values.reduce(0, +) == captured)
            #expect(tracks.first?["frameCount"] as? Int == written)
            // A camera on a busy machine reports dropped frames with its next frame, which may be after the end.
            #expect(dropped["device"] == 0 ? captured == 30 : captured >= 30 && written < 30)
            #expect(ledger["audio"]?["captured"] as? Int ?? 0 >= 48_000)
        }
    }

    /// The duration of `stop` is compared with that of status requests on the same machine at the same time.
    @Test func stop_shortRecording_isAboutAsQuickAsAStatusRequest() async throws {
        try await Command.inDirectory { command in
            _ = try await command.run(["start"] + testSources)
            let began = ContinuousClock.now
            for _ in 0..<4 { _ = try await command.run("status") }
            let questions = ContinuousClock.now - began
            let asked = ContinuousClock.now
            let stop = try await command.run("stop", "--json")
            let taken = ContinuousClock.now - asked
            let status = try JSONDecoder().decode(RecordingStatus.self, from: Data(stop.output.utf8))
            #expect(status.state == .stopping)
            let closed = Duration.seconds(try #require(status.closedIn))
            #expect(closed < questions * 4, "\(closed) of \(questions)")
            #expect(taken < questions * 8, "\(taken) of \(questions)")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func recording_signal_finalizesTheFile(signal: Int32) async throws {
        try await Command.inDirectory { command in
            let running = try command.start(["start", "--foreground", "--output", "a.mov"] + testSources)
            try await waitUntil { running.output.hasPrefix("recording") }
            running.send(signal)
            let result = try await running.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(command.files(in: "work") == ["a.mov"])
            let info = try await command.run("info", "--json", "a.mov")
            #expect(info.output.contains(#""health":"whole""#))
        }
    }

    @Test func start_twoNames_recordAtOnceAndEachNameOnlyOnce() async throws {
        try await Command.inDirectory { command in
            for name in ["a", "b"] {
                let start = try await command.run(["start", name, "--output", "\(name).mov"] + testSources)
                #expect(start.exitCode == 0, "\(start.errors)")
            }
            let second = try await command.run(["start", "a", "--output", "c.mov"] + testSources)
            #expect(second.exitCode == 75)
            #expect(second.errorLines.count == 1)
            #expect(second.errors.contains("already recording"))
            let which = try await command.run("stop")
            #expect(which.exitCode == 1)
            #expect(which.errors.contains("a, b"))
            let both = try await command.run("status")
            #expect(both.outputLines.filter { $0.hasPrefix("a  ") || $0.hasPrefix("b  ") }.count == 2)
            let stop = try await command.run("stop", "--all")
            #expect(stop.outputLines.map { $0.suffix(5) } == ["a.mov", "b.mov"])
            #expect(command.files(in: "work") == ["a.mov", "b.mov"])
        }
    }

    @Test func stop_waitsForTheHooks() async throws {
        try await Command.inDirectory { command in
            let done = command.path("work/done")
            let start = try await command.run(
                ["start", "front"] + testSources + ["--hook", "stop=sleep 4; touch '\(done)'"])
            #expect(start.exitCode == 0, "\(start.errors)")
            #expect(try await command.run("stop").exitCode == 0)
            #expect(FileManager.default.fileExists(atPath: done))
        }
    }

    @Test func hook_stopsItsRecorder_doesNotWaitForItself() async throws {
        try await Command.inDirectory { command in
            let answer = command.path("work/answer")
            let hook = "start='\(command.executablePath)' stop front >'\(answer).part'; mv '\(answer).part' '\(answer)'"
            let recorder = try command.start(["run", "front"] + testSources + ["--hook", hook, "--output", "a.mov"])
            let began = ContinuousClock.now
            #expect(try await recorder.result().exitCode == 0)
            // This is far below the time limit of a hook.
            #expect(ContinuousClock.now - began < .seconds(20))
            #expect(try String(contentsOfFile: answer, encoding: .utf8) == command.path("work/a.mov") + "\n")
        }
    }

    @Test func name_afterStop_isFreeAtOnce() async throws {
        try await Command.inDirectory { command in
            for take in 1...3 {
                let start = try await command.run(["start", "--output", "\(take).mov"] + testSources)
                #expect(start.exitCode == 0, "\(start.errors)")
                #expect(try await command.run("stop").exitCode == 0)
            }
            #expect(command.files(in: "work") == ["1.mov", "2.mov", "3.mov"])
        }
    }

    @Test func start_afterAKill_reusesTheNameAndRepairsTheFile() async throws {
        try await Command.inDirectory { command in
            let running = try command.start(["run", "--output", "a.mov"] + testSources)
            try await waitUntil { (try? command.size("work/a.recording.mov")) ?? 0 > 1000 }
            running.send(SIGKILL)
            _ = try await running.result()
            #expect(command.files(in: "run/recorder").contains("default.sock"))
            let status = try await command.run("status")
            #expect(status.exitCode == 1 && status.output.hasPrefix("default died at "), "\(status)")
            let info = try await command.run("info", "--json", "a.recording.mov")
            #expect(info.output.contains(#""health":"unfinished""#) || info.output.contains(#""health":"torn""#))

            // The unfinished file must not be overwritten, even with `--overwrite`: it is finalized under another name.
            let same = try await command.run(["start", "--output", "a.mov", "--overwrite"] + testSources)
            #expect(same.exitCode == 0, "\(same.errors)")
            #expect(try await command.run("stop").exitCode == 0)
            #expect(command.files(in: "work") == ["a-2.mov", "a.mov"])
            for name in ["a-2", "a"] {
                #expect(try await command.run("info", "\(name).mov").output.contains(" · finalized"))
            }
        }
    }

    @Test func start_existingOutput_isReplacedOnlyOnRequestAndAtTheEnd() async throws {
        try await Command.inDirectory { command in
            let old = Data("an older recording".utf8)
            let file = URL(fileURLWithPath: command.path("work/a.mov"))
            try old.write(to: file)
            let refused = try await command.run(["start", "--output", "a.mov"] + testSources)
            #expect(refused.exitCode == 73)
            #expect(try Data(contentsOf: file) == old)
            #expect(command.files(in: "work") == ["a.mov"])
            #expect(try await command.run(["start", "--output", "a.mov", "--overwrite"] + testSources).exitCode == 0)
            #expect(try Data(contentsOf: file) == old)
            #expect(try await command.run("stop").exitCode == 0)
            #expect(try Data(contentsOf: file) != old)
            #expect(command.files(in: "work") == ["a.mov"])
        }
    }

    @Test func run_oneDeviceOnly_recordsOnlyItsTrack() async throws {
        try await Command.inDirectory { command in
            for (name, camera, microphone) in [("audio", "none", "test"), ("video", "test", "none")] {
                let run = try await command.run(
                    "run", "--camera", camera, "--microphone", microphone, "--duration", "500ms", "--output",
                    "\(name).mov")
                #expect(run.exitCode == 0, "\(run.errors)")
                let info = try await command.run("info", "--json", "\(name).mov")
                #expect(info.output.contains(#""type":"video""#) == (camera == "test"))
                #expect(info.output.contains(#""type":"audio""#) == (microphone == "test"))
            }
        }
    }
}

extension Command {
    fileprivate func size(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path(name))[.size] as? Int ?? 0
    }
}

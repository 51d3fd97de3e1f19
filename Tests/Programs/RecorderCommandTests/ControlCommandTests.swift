import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderStorage

/// The commands that control a running recording: their requests, output and exit codes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ControlCommandTests {
    private func recording(_ name: String = "front", _ state: RecordingStatus.State = .recording) -> ServedRecording {
        var status = RecordingStatus(name: name, state: state)
        if state != .armed {
            status.file = "/videos/\(name).mov"
            status.duration = 62.5
        }
        return ServedRecording(status)
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func pauseAndResume_printTheRecordedTime() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            try await ServedRecording.serve(front, in: command) {
                #expect(try await command.run("pause").output == "front paused at 00:01:02\n")
                #expect(try await command.run("resume", "front").output == "front resumed at 00:01:02\n")
                let json = try await command.run("pause", "--json")
                #expect(try object(json.output)["state"] as? String == "paused")
                #expect(front.told == ["pause", "resume", "pause"])
            }
        }
    }

    @Test func splitAndSave_printThePath() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            try await ServedRecording.serve(front, in: command) {
                #expect(try await command.run("split").output == "/videos/closed.mov\n")
                #expect(try object(try await command.run("split", "--json").output)["duration"] as? Double == 2)
                #expect(try await command.run("save", "--last", "1m30s").output == "/videos/saved.mov\n")
                // The process has its own working directory, so it receives an absolute path.
                let saved = try await command.run("save", "front", "-o", "goal.mov")
                #expect(saved.output == command.path("work/goal.mov") + "\n")
                #expect(front.told == ["split", "split", "save 90.0", "save all"])
            }
        }
    }

    @Test func mark_oneWord_isTheTitle() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            try await ServedRecording.serve(front, in: command) {
                #expect(
                    try await command.run("mark", "Second half").output == "front marked at 00:01:02: Second half\n")
                #expect(try await command.run("mark", "front").exitCode == 0)
                #expect(try await command.run("mark", "front", "The end").exitCode == 0)
                #expect(try await command.run("mark").exitCode == 64)
                let unquoted = try await command.run("mark", "front", "The", "end")
                #expect(unquoted.exitCode == 64)
                #expect(unquoted.errors.contains("quoted if it has spaces"))
                #expect(front.told == ["mark Second half", "mark front", "mark The end"])
            }
        }
    }

    @Test func commands_severalRecorders_requestTheSameInstant() async throws {
        try await Command.inDirectory { command in
            let (left, right, far) = (recording("left"), recording("right"), recording("far"))
            for one in [left, right] { one.state.withLock { $0.status.group = "stage" } }
            try await ServedRecording.serve(left, right, far, in: command) {
                let paused = try await command.run("pause", "right", "left")
                #expect(paused.output == "right paused at 00:01:02\nleft paused at 00:01:02\n")
                #expect(left.moments.count == 1 && left.moments == right.moments)
                #expect(try await command.run("resume", "@stage").output.split(separator: "\n").count == 2)
                #expect(left.told == ["pause", "resume"] && far.told.isEmpty)
                #expect(try await command.run("split", "left", "far").output.split(separator: "\n").count == 2)
                #expect(try await command.run("mark", "--title", "Act II", "--all").exitCode == 0)
                #expect([left, right, far].allSatisfy { $0.told.last == "mark Act II" })
                #expect(try await command.run("status", "@stage").output.split(separator: "\n").count == 2)
                let none = try await command.run("pause", "@balcony")
                #expect(none.exitCode == 1 && none.errors.contains("no recorder in group balcony is recording"))
                #expect(try await command.run("pause", "left", "--all").exitCode == 64)
                #expect(try await command.run("mark", "--all", "Act III").exitCode == 64)
                #expect(try await command.run("mark", "a", "b", "Act III").exitCode == 64)
            }
        }
    }

    /// Each recorder gets the command, and all failures are reported.
    @Test func pause_oneOfTwoRecordersFails_pausesTheOther() async throws {
        try await Command.inDirectory { command in
            let (left, right) = (recording("left"), recording("right"))
            left.state.withLock {
                $0.error = MediaError(.invalidState, "cannot pause left", reason: "it is already paused")
            }
            try await ServedRecording.serve(left, right, in: command) {
                let result = try await command.run("pause", "left", "right")
                #expect(result.exitCode == 1)
                #expect(result.output == "right paused at 00:01:02\n")
                #expect(result.errors.contains("recorder: cannot pause left: it is already paused\n"))
            }
        }
    }

    @Test func commands_severalRecordersButNoName_areRefused() async throws {
        try await Command.inDirectory { command in
            let (front, back) = (recording("front"), recording("back"))
            try await ServedRecording.serve(front, back, in: command) {
                for words in [["pause"], ["mark", "front"], ["split"], ["save"], ["snapshot", "-o", "a.png"]] {
                    let result = try await command.run(words)
                    #expect(result.exitCode == 1)
                    #expect(result.errors == "recorder: several recorders are running; name one: back, front\n")
                }
                #expect(try await command.run("mark", "back", "front").exitCode == 0)
                #expect(front.told.isEmpty && back.told == ["mark front"])
            }
        }
    }

    @Test func commands_nothingRecording_exitWithOne() async throws {
        try await Command.inDirectory { command in
            for words in [["pause"], ["resume"], ["split"], ["save"], ["mark", "a"], ["snapshot", "-o", "a.png"]] {
                let result = try await command.run(words)
                #expect(result.exitCode == 1)
                #expect(result.errors == "recorder: nothing is recording\n")
            }
            #expect(try await command.run("pause", "front").errors == "recorder: front is not recording\n")
        }
    }

    @Test func commands_refused_printOneLineWithHowToFixIt() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            try await ServedRecording.serve(front, in: command) {
                for (code, exitCode) in [(MediaError.Code.invalidState, 1), (.diskFull, 74), (.notPermitted, 77)] {
                    front.state.withLock {
                        $0.error = MediaError(code, "cannot do it", reason: "it is so", wayOut: "do this instead")
                    }
                    for words in [["pause"], ["split"], ["save"], ["mark", "a"], ["snapshot", "-o", "a.png"]] {
                        let result = try await command.run(words)
                        #expect(result.exitCode == exitCode, "\(words[0])")
                        #expect(result.output.isEmpty)
                        #expect(result.errors == "recorder: cannot do it: it is so; do this instead\n")
                    }
                }
                #expect(command.files(in: "work").isEmpty)
            }
        }
    }

    @Test func snapshot_fileOrStandardOutput_receivesTheImage() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            try await ServedRecording.serve(front, in: command) {
                let now = try await command.run("snapshot", "-o", "now.png")
                #expect(now.output == command.path("work/now.png") + "\n")
                #expect(try String(contentsOfFile: command.path("work/now.png"), encoding: .utf8) == "a png")
                let exists = try await command.run("snapshot", "-o", "now.png", "--format", "jpeg")
                #expect(exists.exitCode == 73)
                #expect(exists.errors.contains("--overwrite"))
                let json = try await command.run(
                    "snapshot", "-o", "now.png", "--overwrite", "--format", "jpeg", "--json")
                #expect(try object(json.output)["file"] as? String == command.path("work/now.png"))
                #expect(try object(json.output)["bytes"] as? Int == 6)
                #expect(try await command.run("snapshot", "-o", "-").output == "a jpeg")
                #expect(try await command.run("snapshot", "front", "-o", "-", "--format", "png").output == "a png")
                #expect(try await command.run("snapshot", "-o", "now.gif").exitCode == 64)
                #expect(try await command.run("snapshot", "-o", "-", "--json").exitCode == 64)
                #expect(try await command.run("snapshot", "-o", "nowhere/now.png").exitCode == 73)
                #expect(command.files(in: "work") == ["now.png"])
                #expect(front.told == ["snapshot png", "snapshot jpeg", "snapshot jpeg", "snapshot png"])
            }
        }
    }

    @Test func start_armedRecorder_startsRecording() async throws {
        try await Command.inDirectory { command in
            let front = recording("front", .armed)
            try await ServedRecording.serve(front, in: command) {
                let refused = try await command.run("start", "front", "--camera", "test")
                #expect(refused.exitCode == 64)
                #expect(refused.errors.contains("omit --camera test"))
                #expect(front.told.isEmpty)
                let start = try await command.run("start", "front")
                #expect(start.output == "recording front → /videos/front.mov (pid \(getpid()))\n", "\(start.errors)")
                #expect(front.told == ["record"])
                // A recording process is busy.
                #expect(try await command.run("start", "front", "--camera", "test").exitCode == 75)
            }
        }
    }

    @Test func stop_armedRecorder_staysArmedUnlessDisarmed() async throws {
        try await Command.inDirectory { command in
            let (front, back) = (recording("front"), recording("back", .armed))
            try await ServedRecording.serve(front, back, in: command) {
                // Its name stays in use: a stop that waited for the name would kill the process after a minute.
                let stop = try await command.run("stop", "--all")
                #expect(stop.exitCode == 0)
                #expect(stop.output == "/videos/front.mov\n")
                #expect(front.told == ["stop"] && back.told.isEmpty)
                let disarm = try await command.run("stop", "back", "--disarm")
                #expect(disarm.exitCode == 0)
                #expect(disarm.output.isEmpty)
                #expect(back.told == ["disarm"])
            }
        }
    }

    @Test func stopAll_recorderThatIsStarting_stopsItToo() async throws {
        try await Command.inDirectory { command in
            let (front, back) = (recording("front", .starting), recording("back", .armed))
            front.state.withLock { $0.status.file = nil }
            try await ServedRecording.serve(front, back, in: command) {
                let status = try await command.run("status", "front")
                #expect(status.outputLines.first == "front  starting  00:01:02", "\(status.output)")
                // Unlike an armed recorder, it does not get the options' error: its name is in use.
                #expect(try await command.run("start", "front", "--camera", "test").exitCode == 75)
                #expect(try await command.run("stop", "--all").exitCode == 0)
                #expect(front.told == ["stop"] && back.told.isEmpty)
            }
        }
    }

    @Test func statusJSON_severalRecorders_isOneObjectPerLine() async throws {
        try await Command.inDirectory { command in
            try await ServedRecording.serve(recording("front"), recording("back"), in: command) {
                let all = try await command.run("status", "--json")
                #expect(all.exitCode == 0, "\(all.errors)")
                #expect(try all.outputLines.map { try object(String($0))["name"] as? String } == ["back", "front"])
            }
        }
    }

    @Test func output_controlCharacters_areReplacedOnlyOnATerminal() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            front.state.withLock {
                $0.status.file = "/videos/\u{1B}]0;forged\u{07}.mov"
                $0.status.error = "bad \u{1B}[2J\u{9B}1m"
            }
            try await ServedRecording.serve(front, in: command) {
                let script = "env XDG_RUNTIME_DIR=\(command.path("run")) \(command.executablePath) status"
                let terminal = try TestSupport.Command.run("script", "-qec", script, "/dev/null")
                #expect(terminal.text.contains("/videos/�]0;forged�.mov") && terminal.text.contains("bad �[2J�1m"))
                #expect(!terminal.text.contains("\u{1B}"))
                #expect(try await command.run("stop").output == "/videos/\u{1B}]0;forged\u{07}.mov\n")
            }
        }
    }

    @Test func stop_severalFiles_printsEachPath() async throws {
        try await Command.inDirectory { command in
            let front = recording()
            front.state.withLock {
                $0.status.segments = [.init(file: "/videos/a.mov"), .init(file: "/videos/a-002.mov")]
                $0.status.file = "/videos/a-002.mov"
            }
            try await ServedRecording.serve(front, in: command) {
                let stop = try await command.run("stop")
                #expect(stop.output == "/videos/a.mov\n/videos/a-002.mov\n")
                #expect(stop.errors.contains("in 2 files"))
            }
        }
    }

    @Test func stop_severalNames_stopsEachOnce() async throws {
        try await Command.inDirectory { command in
            let (front, back, yard) = (recording("front"), recording("back"), recording("yard"))
            try await ServedRecording.serve(front, back, yard, in: command) {
                let stop = try await command.run("stop", "front", "nosuch", "back", "front")
                #expect(stop.exitCode == 1)
                #expect(stop.output == "/videos/front.mov\n/videos/back.mov\n")
                #expect(stop.errorLines.filter { $0.contains("nosuch is not recording") }.count == 1)
                #expect(front.told == ["stop"] && back.told == ["stop"] && yard.told.isEmpty)
                let all = try await command.run("stop", "--all", "--json")
                let names = try all.outputLines.map { try object(String($0))["name"] as? String }
                #expect(names == ["yard"], "\(all.output)")
            }
        }
    }

    @Test func status_severalRecorders_isOneLineEach() async throws {
        try await Command.inDirectory { command in
            try await ServedRecording.serve(recording("front"), recording("back", .armed), in: command) {
                let lines = try await command.run("status")
                #expect(lines.outputLines == ["back  armed", "front  recording  00:01:02 → /videos/front.mov"])
                let objects = try await command.run("status", "--json")
                let states = try objects.outputLines.map { try object(String($0))["state"] as? String }
                #expect(objects.exitCode == 0 && states == ["armed", "recording"])
                #expect(try await command.run("status", "back", "--json").outputLines.count == 1)
            }
        }
    }

    // MARK: A recorder that does not answer

    @Test func status_oneRecorderDoesNotAnswer_showsTheOthers() async throws {
        try await Command.inDirectory { command in
            let silent = try BrokenRecorder("aa", in: command)
            try await ServedRecording.serve(recording("front"), recording("back", .armed), in: command) {
                let status = try await command.run("status")
                #expect(status.exitCode == 1)
                #expect(status.outputLines == ["back  armed", "front  recording  00:01:02 → /videos/front.mov"])
                #expect(status.errorLines.count == 1 && status.errors.contains("cannot talk to aa"), "\(status.errors)")
                let watching = try command.start(["status", "--watch"])
                try await waitUntil { watching.output.split(separator: "\n").count >= 4 }
                watching.send(SIGKILL)
                let watched = try await watching.result()
                #expect(watched.errors.split(separator: "cannot talk to aa").count == 2, "\(watched.errors)")
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func stopGroup_recorderDoesNotAnswer_reportsThatItMayBelongToIt() async throws {
        try await Command.inDirectory { command in
            let silent = try BrokenRecorder("aa", in: command)
            let front = recording("front")
            front.state.withLock { $0.status.group = "stage" }
            try await ServedRecording.serve(front, in: command) {
                let pause = try await command.run("pause", "@stage")
                #expect(pause.exitCode == 1 && pause.output == "front paused at 00:01:02\n", "\(pause.errors)")
                let stop = try await command.run("stop", "@stage")
                #expect(stop.exitCode == 1 && stop.output == "/videos/front.mov\n")
                #expect(stop.errors.contains("cannot tell whether aa belongs to group stage"), "\(stop.errors)")
                #expect(front.told == ["pause", "stop"])
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func stopGroup_memberByItsFileDoesNotAnswer_isAskedToo() async throws {
        try await Command.inDirectory { command in
            let files = command.path("home/.config/recorder")
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
            for (name, group) in [("aa", "stage"), ("bb", "yard")] {
                try Data("camera: test\ngroup: \(group)\n".utf8)
                    .write(to: URL(fileURLWithPath: "\(files)/\(name).yaml"))
            }
            let silent = try [BrokenRecorder("aa", in: command), BrokenRecorder("bb", in: command)]
            let front = recording("front")
            front.state.withLock { $0.status.group = "stage" }
            try await ServedRecording.serve(front, in: command) {
                let stop = try await command.run("stop", "@stage")
                #expect(stop.exitCode == 1 && stop.output == "/videos/front.mov\n")
                #expect(stop.errorLines.filter { $0.contains("cannot") }.count == 1, "\(stop.errors)")
                #expect(stop.errors.contains("cannot talk to aa"), "\(stop.errors)")
            }
            withExtendedLifetime(silent) {}
        }
    }

    @Test func reload_printsTheChanges() async throws {
        try await Command.inDirectory { command in
            let (front, back) = (recording("front"), recording("back"))
            try await ServedRecording.serve(front, back, in: command) {
                let told = try await command.run("reload", "front")
                let changes = ["segment: 10m → 5m", "camera: test → none (takes effect at the next start)"]
                #expect(told.output == changes.map { "front: \($0)\n" }.joined())
                #expect(try await command.run("reload", "back").output == "back: no changes\n")
                let json = try await command.run("reload", "back", "--json")
                #expect(json.output == "{\"changes\":[],\"name\":\"back\"}\n")
                #expect(try await command.run("reload").exitCode == 1)
                #expect(front.told == ["reload"] && back.told == ["reload", "reload"])
            }
        }
    }

    @Test func statusWatch_notRecordingYet_waits() async throws {
        try await Command.inDirectory { command in
            let watching = try command.start(["status", "front", "--watch", "--json"])
            try await waitUntil { watching.errors.contains("front is not recording yet; waiting") }
            try await ServedRecording.serve(recording(), in: command) {
                try await waitUntil { !watching.output.isEmpty }
            }
            let result = try await watching.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try object(String(result.outputLines[0]))["name"] as? String == "front")
        }
    }

    @Test func statusWatch_running_printsLinesUntilTheEnd() async throws {
        try await Command.inDirectory { command in
            let running: Running = try await {
                var running: Running?
                try await ServedRecording.serve(recording(), in: command) {
                    let watching = try command.start(["status", "--watch"])
                    running = watching
                    try await waitUntil { watching.output.split(separator: "\n").count >= 2 }
                }
                return try #require(running)
            }()
            let result = try await running.result()
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.outputLines.allSatisfy { $0 == "front  recording  00:01:02 → /videos/front.mov" })
        }
    }
}

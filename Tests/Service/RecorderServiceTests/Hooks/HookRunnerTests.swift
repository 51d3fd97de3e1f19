import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Hook commands of all kinds, which never delay the recording.
@Suite(.timeLimit(.minutes(10))) struct HookRunnerTests {
    private let directory: TemporaryDirectory
    private let log = LogLines()

    init() throws { directory = try TemporaryDirectory() }

    private func runner(
        _ commands: [HookCommands.Event: String], limit: MediaTime = MediaTime(value: 20, timescale: 1)
    ) -> HookRunner {
        var hooks = HookCommands(commands: commands)
        hooks.timeLimit = limit
        return HookRunner(
            hooks, name: .standard, log: log.logger,
            // A hook of another recorder started this one: its facts are not those of this recorder's events.
            environment: [
                "PATH": "/usr/bin:/bin", "DIR": directory.url.path, "RECORDER_FILE": "old", "RECORDER_ERROR": "old",
                "RECORDER_SIZE": "640x480",
            ])
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: directory.path(name), encoding: .utf8)) ?? ""
    }

    private let short = MediaTime(value: 300, timescale: 1000)

    @Test func command_getsVariablesAndJSONOnStandardInput() async throws {
        let runner = runner([.segment: "env > $DIR/env; cat > $DIR/json; echo said; echo cried >&2"])
        runner.run(.segment, HookInfo(file: "/a b/ü.mov", seconds: 1.5, bytes: 12))
        await runner.finish()
        let environment = Set(text("env").split(separator: "\n").map(String.init))
        #expect(environment.isSuperset(of: ["RECORDER_EVENT=segment", "RECORDER_NAME=default"]))
        #expect(environment.isSuperset(of: ["RECORDER_FILE=/a b/ü.mov", "RECORDER_SECONDS=1.5", "RECORDER_BYTES=12"]))
        #expect(!environment.contains { $0.hasPrefix("RECORDER_ERROR") })
        #expect(environment.contains("RECORDER_SIZE=640x480"))
        let object = try JSONSerialization.jsonObject(with: Data(text("json").utf8)) as? [String: Any]
        #expect(object.map { Set($0.keys) } == ["event", "name", "time", "file", "seconds", "bytes"])
        #expect(object?["file"] as? String == "/a b/ü.mov")
        #expect(log.lines == ["info: hook segment: said", "info: hook segment: cried", "info: hook segment: done"])
    }

    /// Runs as root only: no other user may lower a niceness again.
    @Test(.enabled(if: geteuid() == 0)) func command_recordingWithHigherPriority_hasUsualPriority() {
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        let before = getpriority(thread, 0)
        setpriority(thread, 0, -5)
        defer { setpriority(thread, 0, before) }
        let deadline = MonotonicClock().nanoseconds + 10_000_000_000
        let outcome = HookProcess.run(
            "until [ $(nice) = 0 ]; do :; done; nice", environment: ["PATH": "/usr/bin:/bin"], input: []
        ) { deadline }
        #expect(outcome.end == .exited(0) && outcome.lines == ["0"])
    }

    @Test func command_variablesOfTheServiceManager_areRemoved() async {
        let own = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"]
        let environment = Dictionary(uniqueKeysWithValues: own.map { ($0, "1") } + [("PATH", "/usr/bin:/bin")])
        let runner = HookRunner(
            HookCommands(commands: [.start: "env"]), name: .standard, log: log.logger, environment: environment)
        runner.run(.start)
        await runner.finish()
        #expect(log.contains("PATH=/usr/bin:/bin"))
        #expect(own.allSatisfy { !log.contains($0) })
    }

    @Test func event_withoutCommand_startsNothing() async {
        let runner = runner([:])
        runner.run(.start)
        await runner.finish()
        #expect(log.lines == [])
    }

    @Test func commands_severalEvents_runInOrder() async {
        let runner = runner([.start: "sleep 0.1; echo a >> $DIR/order", .stop: "echo b >> $DIR/order"])
        for event in [HookCommands.Event.start, .stop, .start, .stop] { runner.run(event) }
        await runner.finish()
        #expect(text("order") == "a\nb\na\nb\n")
    }

    @Test func command_fails_isLoggedAndTheNextRuns() async {
        let runner = runner([.start: "exit 3", .segment: "kill -9 $$", .stop: "no-such-command"])
        for event in [HookCommands.Event.start, .segment, .stop] { runner.run(event) }
        await runner.finish()
        #expect(log.lines.contains("warning: hook start: failed with exit status 3"))
        #expect(log.lines.contains("warning: hook segment: ended by signal 9"))
        #expect(log.lines.contains("warning: hook stop: failed with exit status 127"))
    }

    @Test func command_hangs_isEndedWithItsChildren() async throws {
        let runner = runner(
            [.start: "echo $$ > $DIR/group; (trap '' TERM; sleep 9000) & trap '' TERM; sleep 9000; wait"],
            limit: MediaTime(value: 2, timescale: 1))
        let clock = MonotonicClock()
        let begun = clock.nanoseconds
        runner.run(.start)
        // The runner does not wait for it.
        #expect(eventually { directory.names.contains("group") })
        #expect(log.lines == [])
        await runner.finish()
        #expect(clock.nanoseconds - begun < 30_000_000_000)
        #expect(log.contains("its time limit"))
        let group = try #require(pid_t(text("group").trimmingCharacters(in: .newlines)))
        // Only zombies that init has not reaped yet may remain.
        #expect(eventually { kill(-group, 0) != 0 || !isAlive(group: group) })
    }

    /// Returns true if the process group has a member that is not a zombie.
    private func isAlive(group: pid_t) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { pid_t($0) }.contains { process in
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let name = stat.lastIndex(of: ")")
            else { return false }
            let fields = stat[name...].split(separator: " ")
            return fields.count > 3 && fields[1] != "Z" && pid_t(fields[3]) == group
        }
    }

    @Test func command_obeysSIGTERM_canLogBeforeItExits() async {
        let runner = runner(
            [.start: "trap 'echo bye; exit 0' TERM; sleep 60 & wait"], limit: MediaTime(value: 2, timescale: 1))
        let clock = MonotonicClock()
        let begun = clock.nanoseconds
        runner.run(.start)
        await runner.finish()
        // It does not wait for the background process.
        #expect(clock.nanoseconds - begun < 30_000_000_000)
        #expect(log.lines.contains("info: hook start: bye"))
        #expect(log.contains("its time limit"))
    }

    @Test func backgroundProcess_ofACommand_keepsRunning() async {
        let runner = runner([.stop: "(until [ -e $DIR/go ]; do sleep 0.05; done; touch $DIR/late) & echo started"])
        runner.run(.stop)
        await runner.finish()
        #expect(log.lines.contains("info: hook stop: done"))
        #expect(FileManager.default.createFile(atPath: directory.path("go"), contents: nil))
        #expect(eventually { directory.names.contains("late") })
    }

    @Test func output_endless_isReadAndTruncated() async {
        let runner = runner([.start: "head -c 20000000 /dev/zero | tr '\\0' 'x\\n'; echo; printf '\\033[31mred'"])
        runner.run(.start)
        await runner.finish()
        #expect(log.lines.contains("warning: hook start: output beyond 64 KiB is omitted"))
        #expect(log.lines.contains("info: hook start: done"))
        #expect(log.lines.reduce(0) { $0 + $1.utf8.count } < 70_000)

        let endless = self.runner([.start: "yes"], limit: short)
        endless.run(.start)
        await endless.finish()
        #expect(log.contains("its time limit"))
    }

    @Test func output_controlCharacters_doNotReachTheLog() async {
        let runner = runner([.start: "printf 'a\\033[31mb\\r\\n'"])
        runner.run(.start)
        await runner.finish()
        #expect(log.lines.first == "info: hook start: a\u{FFFD}[31mb\u{FFFD}")
    }

    @Test func input_commandDoesNotRead_doesNotBlock() async {
        let facts = HookInfo(error: String(repeating: "x", count: 1_000_000))
        for command in ["exec <&-; sleep 0.2", "true", "sleep 0.3", "exec 0</dev/null; sleep 0.1"] {
            let runner = runner([.stop: command])
            runner.run(.stop, facts)
            await runner.finish()
        }
        #expect(log.lines == Array(repeating: "info: hook stop: done", count: 4))
    }

    @Test func input_long_arrivesCompletely() async {
        let runner = runner([.stop: "sleep 0.2; wc -c"])
        runner.run(.stop, HookInfo(error: String(repeating: "x", count: 1_000_000)))
        await runner.finish()
        let count = log.lines.first?.split(separator: " ").last.flatMap { Int($0) }
        #expect(count.map { $0 > 1_000_000 } == true, "\(log.lines)")
    }

    @Test func queue_commandHangs_isBounded() async {
        let runner = runner([.start: "sleep 60", .segment: "true"], limit: short)
        runner.run(.start)
        for _ in 0..<40 { runner.run(.segment) }
        #expect(runner.thrownAway >= 40 - HookRunner.longestQueue)
        #expect(log.contains("are already waiting"))
        await runner.finish()
        // After the end, no command is accepted.
        let (lines, thrownAway) = (log.lines, runner.thrownAway)
        runner.run(.segment)
        await runner.finish()
        #expect(log.lines == lines)
        #expect(runner.thrownAway == thrownAway)
    }

    @Test func finish_stopHookHangs_endsAfterTheTimeLimit() async {
        let runner = runner([.start: "sleep 60", .stop: "sleep 60"], limit: MediaTime(value: 1, timescale: 1))
        runner.run(.start)
        runner.run(.stop)
        let clock = MonotonicClock()
        let begun = clock.nanoseconds
        await runner.finish()
        #expect(clock.nanoseconds - begun < 30_000_000_000)
        #expect(log.contains("hook stop: skipped") || log.contains("hook stop: ended at its time limit"))
    }

    @Test func update_otherCommands_runsThemInstead() async {
        let runner = runner([.start: "echo old"])
        runner.update(HookCommands(commands: [.stop: "echo new"]))
        runner.run(.start)
        runner.run(.stop)
        await runner.finish()
        #expect(log.lines == ["info: hook stop: new", "info: hook stop: done"])
    }

    @Test func command_openDescriptors_areNotInherited() async throws {
        let file = open(directory.path("secret"), O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let runner = runner([.start: "ls /proc/self/fd"])
        runner.run(.start)
        await runner.finish()
        // These are its own three descriptors, and the one that lists them.
        #expect(log.lines.count { Int($0.split(separator: " ").last ?? "") != nil } == 4, "\(log.lines)")
    }
}

import FileSystem
import Foundation
import MediaTypes
import RealTime
import TestSupport

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Finished files of a recorder, a catalogue, a real rclone, and a copier that can run to its end.
final class CopyBench: Sendable {
    let directory: TemporaryDirectory
    let state: StateDirectory
    let runtime: RuntimeDirectory
    let front: RecordingName
    let log = LogLines()
    let catalogue: RecordingCatalogue
    /// The file that lists the calls of `rclone`, one per line.
    private let calls: String

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        runtime = RuntimeDirectory(path: directory.path("run"))
        front = try RecordingName(parsing: "front")
        catalogue = RecordingCatalogue(front, in: state)
        calls = directory.path("calls")
        for name in ["movies", "bin", "run", "there"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: true)
        }
        try wrap(before: "", after: "")
        try configure("")
    }

    /// Makes a finished file with unique bytes below `movies` and enters it.
    @discardableResult
    func record(_ name: String, bytes: Int = 5000) throws -> String {
        let path = directory.path("movies/\(name)")
        try FileManager.default.createDirectory(
            atPath: path.parentDirectory, withIntermediateDirectories: true)
        var generator = SystemRandomNumberGenerator()
        let words = (0..<(bytes / 8 + 1)).map { _ in generator.next() }
        try words.withUnsafeBytes { Data($0.prefix(bytes)) }.write(to: URL(fileURLWithPath: path))
        try catalogue.add(path, root: directory.path("movies"))
        return path
    }

    /// Writes rclone's configuration.
    func configure(_ text: String) throws {
        try text.write(to: directory.file("rclone.conf"), atomically: true, encoding: .utf8)
    }

    /// Replaces `rclone` by a script that logs its command and last argument, and then runs the real one.
    ///
    /// - Parameters:
    ///   - before: shell commands; `$command` is rclone's.
    ///   - after: likewise.
    func wrap(before: String, after: String) throws {
        let script = """
            #!/bin/bash
            command=
            for word; do
                case $word in copyto | moveto | lsjson | cat | backend) command=$word && break ;; esac
            done
            echo "$command ${@: -1}" >>'\(calls)'
            \(before)
            /usr/bin/rclone "$@"
            status=$?
            \(after)
            exit $status

            """
        let path = directory.path("bin/rclone")
        try script.write(toFile: path, atomically: true, encoding: .utf8)
        guard chmod(path, 0o755) == 0 else { throw TooLate() }
    }

    /// The number of calls of this rclone command.
    func calls(_ command: String) -> [String] {
        ((try? String(contentsOfFile: calls, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix(command + " ") }
    }

    var environment: [String: String] {
        [
            "PATH": directory.path("bin") + ":/usr/bin:/bin", "HOME": directory.url.path,
            "RCLONE_CONFIG": directory.path("rclone.conf"),
        ]
    }

    var names: CopyNames { CopyNames(path: runtime.copyNames) }

    var there: String { directory.path("there") }

    func settings(_ remote: String? = nil, limit: Int64? = nil, hours: String? = nil) throws -> CopySettings {
        CopySettings(
            remote: try CopyRemote(parsing: remote ?? there), limit: limit,
            hours: try hours.map(CopyHours.init(parsing:)))
    }

    /// The events that the hooks received: `copied NAME` or `copy-failed NAME`, one per line.
    var told: [String] {
        ((try? String(contentsOfFile: directory.path("hooks"), encoding: .utf8)) ?? "").split(separator: "\n")
            .map(String.init)
    }

    private var hooks: HookRunner {
        let command = "echo \"$RECORDER_EVENT ${RECORDER_FILE##*/}\" >>'\(directory.path("hooks"))'"
        return HookRunner(
            HookCommands(commands: [.copied: command, .copyFailed: command]), name: front, log: log.logger,
            environment: environment)
    }

    func copier(_ settings: CopySettings, stop: CopyStop = CopyStop(), minute: Int = 0) -> Copier {
        var surroundings = Copier.Surroundings()
        surroundings.environment = environment
        surroundings.minute = { minute }
        return Copier(
            catalogue, statePath: runtime.copierState(front), names: names, settings: { settings }, hooks: hooks,
            log: log.logger, stop: stop, surroundings: surroundings)
    }

    /// Uploads all pending files.
    func copyAll(_ settings: CopySettings) { copier(settings).run(once: true) }

    /// Runs a copier in the background until the result is stopped.
    func begin(_ settings: CopySettings, minute: Int = 0) throws -> Running {
        let stop = CopyStop()
        let copier = copier(settings, stop: stop, minute: minute)
        return Running(stop: stop, thread: try NamedThread("copier") { _ = copier.run() })
    }

    struct Running {
        let stop: CopyStop
        let thread: NamedThread

        func end() {
            stop.wish()
            thread.join()
        }
    }

    func backlog(_ settings: CopySettings) throws -> Int64 {
        try catalogue.backlog(of: settings.remote?.text ?? "").files
    }

    func account(_ settings: CopySettings) -> CopyAccount? {
        CopyWatch(front, in: state, runtime: runtime).account(settings)
    }

    /// Returns true if the uploaded file equals the recorded one.
    func isCopied(_ name: String, as copy: String? = nil) -> Bool {
        guard let own = FileManager.default.contents(atPath: directory.path("movies/\(name)")) else { return false }
        return FileManager.default.contents(atPath: there + "/" + (copy ?? name)) == own
    }
}

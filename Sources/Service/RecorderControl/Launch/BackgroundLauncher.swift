import CLinux
import CommandInterface
import FileSystem
import Foundation
import MediaTypes
import RealTime
package import RecorderStorage

/// Starts a capture process that continues to run after its starter and the terminal have ended.
package struct BackgroundLauncher: Sendable {
    package struct Started: Sendable {
        package let processID: Int32
        /// The recording's file; nil if the process is armed and does not record yet.
        package let file: String?
        /// The older recordings that will be deleted; nil if there are no retention rules.
        package let retention: RetentionAccount?
        package let repaired: [RepairedRecording]
        /// A problem in spite of which the process has started; nil without one.
        package let warning: String?
    }

    /// The number of the descriptor that the process uses for its end of the pipe.
    static let reportDescriptor: Int32 = 3

    private let executable: String
    private let log: String
    private let name: RecordingName
    /// The maximum wait for the process's report, in nanoseconds: longer than a capture process waits for a device.
    private let patience: Int64 = 40_000_000_000

    /// Creates a launcher for one recorder.
    package init(_ name: RecordingName) {
        self.name = name
        executable = ProcessText.executable ?? "/proc/self/exe"
        log = StateDirectory().log(name)
    }

    /// Starts the process; returns when the first sample is in the file.
    ///
    /// - Parameter arguments: The arguments of `recorder run`, without the program's name.
    /// - Throws: The error that the process reports, with its exit code.
    package func start(_ arguments: [String]) async throws(StartError) -> Started {
        let process: Int32
        let pipe: Int32
        do { (process, pipe) = try spawn(arguments) } catch {
            throw StartError(error.description, ExitCode(for: RecordingFailure(.control, error)).rawValue)
        }
        let answer = await blockingCall("await-start") {
            Self.read(pipe, until: MonotonicClock().nanoseconds + patience)
        }
        close(pipe)
        let report = answer.text.flatMap { try? JSONDecoder().decode(StartReport.self, from: Data($0)) }
        if let report, report.file != nil || report.isArmed == true {
            return Started(
                processID: process, file: report.file, retention: report.retention, repaired: report.repaired ?? [],
                warning: report.warning)
        }
        if let error = report?.error {
            throw StartError(error, report?.exitCode ?? ExitCode.failed.rawValue, repaired: report?.repaired ?? [])
        }
        if !answer.isOver { kill(process, SIGTERM) }
        throw StartError(
            "cannot start \(name): its process \(answer.isOver ? "ended" : "did not report for 40 s"); see \(log)",
            ExitCode.failed.rawValue)
    }

    private func spawn(_ arguments: [String]) throws(MediaError) -> (process: Int32, pipe: Int32) {
        var ends: [Int32] = [0, 0]
        guard clinux_pipe(&ends) == 0 else { throw MediaError(errno: errno, "cannot start \(name)") }
        defer { close(ends[1]) }
        let output = openLog()
        defer { close(output) }
        // The last descriptor is number `reportDescriptor`.
        var launch = ProgramLaunch(
            ["recorder"] + arguments + ["--report-descriptor", String(Self.reportDescriptor)],
            descriptors: [.file("/dev/null", O_RDONLY), .copy(output), .copy(output), .copy(ends[1])])
        launch.path = executable
        // The process is neither a service nor a hook, even if one of these starts it.
        launch.environment = HookInfo.removed(from: ServiceVariables.removed(from: ProcessText.environment))
        launch.hasOwnSession = true
        do throws(MediaError) { return (try launch.start("cannot start \(executable)"), ends[0]) } catch {
            close(ends[0])
            throw error
        }
    }

    /// Opens the log, and empties it if it exceeds a mebibyte. If the log cannot be opened, the process runs without
    /// one.
    private func openLog() -> Int32 {
        let directory = log.parentDirectory
        _ = FolderContents.create(directory, mode: 0o700)
        let file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        var kind = stat()
        // This user's log is emptied, but not a file that another user created.
        if file >= 0, fstat(file, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG, kind.st_uid == geteuid(),
            kind.st_nlink == 1, kind.st_size > 1 << 20
        {
            ftruncate(file, 0)
        }
        return file >= 0 ? file : open("/dev/null", O_WRONLY | O_CLOEXEC)
    }

    /// Reads one line. `text` is nil if no line arrived; `isOver` is true if the other end of the pipe was closed.
    private static func read(_ pipe: Int32, until deadline: Int64) -> (text: [UInt8]?, isOver: Bool) {
        var text: [UInt8] = []
        while true {
            let left = max(0, deadline - MonotonicClock().nanoseconds) / 1_000_000
            var wanted = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = poll(&wanted, 1, Int32(clamping: left))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return (nil, false) }
            var part = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(pipe, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return (text.isEmpty ? nil : text, true) }
            text += part.prefix(count)
            if text.last == UInt8(ascii: "\n") { return (text, false) }
        }
    }
}

/// The reason why a background recording did not begin, with the message and the exit code of its process.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String
    package let exitCode: Int32
    /// The recordings that the process repaired before it failed.
    package let repaired: [RepairedRecording]

    init(_ description: String, _ exitCode: Int32, repaired: [RepairedRecording] = []) {
        self.description = description
        self.exitCode = exitCode
        self.repaired = repaired
    }

    init(_ failure: RecordingFailure) {
        self.init(failure.description, ExitCode(for: failure).rawValue)
    }
}

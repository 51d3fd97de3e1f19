import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// Runs rclone, one call at a time. A call returns when rclone exits. If the copier is stopped, or if no data is
/// transferred for too long, the call terminates rclone.
///
/// Blocks. Only one thread may use it, and that thread must live as long as the process. rclone is killed when the
/// thread that started it ends (prctl(2), PR_SET_PDEATHSIG). Thus, if the copier is killed, rclone does not continue to
/// send.
struct RcloneProgram {
    /// The result of a call.
    struct End {
        let status: Int32
        /// The program's error messages, oldest first.
        let errors: [String]
    }

    /// Maximum time without sending or receiving, in nanoseconds.
    static let patience: Int64 = 120_000_000_000
    private static let secondsToConnect = 15
    /// Maximum time between SIGTERM and the end of rclone, in nanoseconds. After this time rclone gets SIGKILL.
    private static let lastWords: Int64 = 500_000_000

    private let environment: [String: String]
    private let stop: CopyStop
    private let clock = MonotonicClock()

    init(environment: [String: String], stop: CopyStop) {
        self.environment = ServiceVariables.removed(from: environment)
        self.stop = stop
    }

    /// Runs one command.
    ///
    /// - Parameters:
    ///   - words: The command, its options and its paths.
    ///   - silence: Maximum time without progress, in nanoseconds.
    ///   - file: The size of the file that is sent, and the maximum time without progress after its last byte, in
    ///     nanoseconds.
    ///   - output: Receives rclone's output, in parts.
    ///   - progress: Called with the number of transferred bytes.
    /// - Throws: `stopped`, or an error if rclone cannot run or stalls.
    func run(
        _ words: [String], action: String, silence: Int64 = patience, file: (size: Int64, silence: Int64)? = nil,
        output: (ArraySlice<UInt8>) -> Void = { _ in }, progress: (Int64) -> Void = { _ in }
    ) throws(CopyFailure) -> End {
        guard !stop.isWished else { throw .stopped }
        let child = try start(words, silence: max(silence, file?.silence ?? 0), action)
        defer { child.close() }
        _ = child.write([])
        var heard = RcloneWords()
        var watch = TransferWatch(silence: silence, file: file, at: clock.nanoseconds)
        var terminated: Int64?
        var isKilled = false
        while true {
            // When the program ends, its pipes are closed, and this also ends the wait.
            let isEnding = terminated != nil
            child.wait(milliseconds: isEnding ? 50 : 500, forInput: false, orUntil: isEnding ? -1 : stop.descriptor)
            // Checks first whether rclone has ended, so that its output is read completely afterwards.
            let status = child.reap()
            child.read { part in
                watch.recordOutput(at: clock.nanoseconds)
                output(part)
            }
            child.readErrors { heard.take($0) }
            let now = clock.nanoseconds
            let before = watch.sent
            watch.record(sent: heard.bytes, read: file == nil ? nil : child.bytesRead, at: now)
            if watch.sent > before { progress(watch.sent) }
            if let status {
                guard !stop.isWished else { throw .stopped }
                guard terminated == nil else { throw Self.stoodStill(action) }
                heard.finish()
                return End(status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F), errors: heard.errors)
            }
            if let terminated {
                guard now - terminated >= Self.lastWords else { continue }
                if !isKilled { child.signal(SIGKILL) }
                isKilled = true
                // The process is in an uninterruptible system call and cannot be killed.
                guard now - terminated < 4 * Self.lastWords else {
                    throw stop.isWished ? .stopped : Self.stoodStill(action)
                }
            } else if stop.isWished || watch.isStalled(at: now) {
                terminated = now
                child.signal(SIGTERM)
            }
        }
    }

    private func start(_ words: [String], silence: Int64, _ action: String) throws(CopyFailure) -> ChildProcess {
        guard let rclone = find("rclone") else { throw RcloneFailure.notInstalled }
        let dies = find("setpriv").map { [$0, "--pdeathsig", "KILL", "--"] } ?? []
        let manners = [
            "--use-json-log", "--stats", "1s", "--stats-log-level", "NOTICE", "--retries", "1", "--low-level-retries",
            "2", "--contimeout", "\(Self.secondsToConnect)s", "--timeout", "\(max(1, silence / 1_000_000_000))s",
        ]
        do throws(MediaError) {
            return try ChildProcess(
                dies + [rclone] + manners + words, environment: environment, keepsErrorsApart: true, action: action)
        } catch { throw CopyFailure(.remote, error) }
    }

    private func find(_ name: String) -> String? {
        let directories = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return directories.lazy.map { "\($0)/\(name)" }.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }

    private static func stoodStill(_ action: String) -> CopyFailure {
        CopyFailure(
            .remote,
            MediaError(
                .ioFailure, action, reason: "no data was transferred for a while", wayOut: "it is retried automatically"
            ))
    }
}

import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// Runs rclone: one call after the other, each to its end, to the copier's end, or until it has stood still for too long.
///
/// Blocks; one thread, which lives as long as the process: where its parent's thread ends, rclone ends too (prctl(2),
/// PR_SET_PDEATHSIG), so that a copier that is killed leaves nobody behind who goes on sending.
struct RcloneProgram {
    /// What a call ended with.
    struct End {
        let status: Int32
        /// What it complained of, the last one last.
        let errors: [String]
    }

    /// How long a call may stand still, in nanoseconds: nothing sent, nothing received.
    static let patience: Int64 = 120_000_000_000
    private static let secondsToConnect = 15
    /// From TERM to KILL.
    private static let lastWords: Int64 = 500_000_000

    private let environment: [String: String]
    private let stop: CopyStop
    private let clock = MonotonicClock()

    init(environment: [String: String], stop: CopyStop) {
        self.environment = ServiceVariables.removed(from: environment)
        self.stop = stop
    }

    /// - Parameters:
    ///   - words: the command, its options and its places.
    ///   - silence: nanoseconds for which it may stand still.
    ///   - output: takes what it prints, in parts.
    ///   - progress: learns how many bytes went over the line.
    /// - Throws: `stopped`, and where it cannot run, or stands still.
    func run(
        _ words: [String], action: String, silence: Int64 = patience, output: (ArraySlice<UInt8>) -> Void = { _ in },
        progress: (Int64) -> Void = { _ in }
    ) throws(CopyFailure) -> End {
        guard !stop.isWished else { throw .stopped }
        let child = try start(words, silence: silence, action)
        defer { child.close() }
        _ = child.write([])
        var heard = RcloneWords()
        var last = clock.nanoseconds
        var terminated: Int64?
        var isKilled = false
        while true {
            // The end of the program closes its pipes, which ends the wait too.
            let isEnding = terminated != nil
            child.wait(milliseconds: isEnding ? 50 : 500, forInput: false, orUntil: isEnding ? -1 : stop.descriptor)
            // First the end, then what it said until then.
            let status = child.reap()
            child.read { part in
                last = clock.nanoseconds
                output(part)
            }
            let before = heard.bytes
            child.readErrors { heard.take($0) }
            if heard.bytes > before {
                last = clock.nanoseconds
                progress(heard.bytes)
            }
            let now = clock.nanoseconds
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
                // In an uninterruptible call of the kernel: nobody can end it.
                guard now - terminated < 4 * Self.lastWords else {
                    throw stop.isWished ? .stopped : Self.stoodStill(action)
                }
            } else if stop.isWished || now - last > silence {
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
                .ioFailure, action, reason: "nothing came through for a while", wayOut: "it is tried again by itself"))
    }
}

import FileSystem
import Foundation
package import MediaTypes
import RealTime
import RecorderStorage

/// The result of a system program.
package struct CommandOutcome: Sendable, Hashable {
    package var status: Int32
    package var output: String
    package var errors: String

    package init(status: Int32, output: String = "", errors: String = "") {
        (self.status, self.output, self.errors) = (status, output, errors)
    }
}

/// A function that runs a program on this thread, and returns when it ends. Tests replace the function.
package typealias CommandRunner = (_ words: [String]) throws(MediaError) -> CommandOutcome

package enum CommandRun {
    /// Runs a program that is found in PATH. A program that runs for more than a minute is killed. Slurm's own commands
    /// wait up to a minute for an answer.
    ///
    /// - Throws: `notFound` if the program does not exist, or `busy` if it was killed.
    package static func run(_ words: [String]) throws(MediaError) -> CommandOutcome {
        let environment = ProcessText.environment
        let action = "cannot run \(words[0])"
        guard let program = path(words[0], environment["PATH"] ?? "/usr/bin:/bin") else {
            throw MediaError(.notFound, action, reason: "it is not installed on this machine")
        }
        let child = try ChildProcess(
            [program] + words.dropFirst(), environment: environment, keepsErrorsApart: true, action: action)
        defer { child.close() }
        let clock = MonotonicClock()
        let deadline = clock.nanoseconds + 60_000_000_000
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var status: Int32?
        while true {
            child.wait(milliseconds: 20, forInput: false)
            // For ten thousand jobs, the output has about a megabyte.
            _ = child.read(into: &output, atMost: 64 << 20)
            child.readErrors { errors += $0.prefix(max(0, 65_536 - errors.count)) }
            if let status {
                guard status & 0x7F == 0 else {
                    throw MediaError(.busy, action, reason: "it was killed by signal \(status & 0x7F)")
                }
                return CommandOutcome(
                    status: status >> 8 & 0xFF, output: String(decoding: output, as: UTF8.self),
                    errors: String(decoding: errors, as: UTF8.self))
            }
            status = child.reap()
            if status == nil, clock.nanoseconds > deadline {
                child.signal(SIGKILL)
                throw MediaError(.busy, action, reason: "it did not finish within 60 s")
            }
        }
    }

    private static func path(_ name: String, _ directories: String) -> String? {
        guard !name.contains("/") else { return name }
        return directories.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}

import CLinux
import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// Runs one command to its end or to its deadline.
enum HookProcess {
    enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        case outOfTime
        case notStarted(MediaError)
    }

    struct Outcome: Sendable, Equatable {
        var end: End
        /// The command's standard output and standard error, as lines without control characters.
        var lines: [String] = []
        var isCut = false
    }

    /// The time in nanoseconds that a command may take to end after SIGTERM. Then it gets SIGKILL. If it has not ended
    /// after the same time again, it is abandoned.
    static let patience: Int64 = 2_000_000_000
    private static let longestOutput = 65_536

    /// Runs a command: writes `input`, reads the output, and kills the command's process group at the deadline. Blocks.
    ///
    /// If the command ends in time, its background processes continue; their output is discarded.
    ///
    /// - Parameter deadline: Returns the deadline in nanoseconds of the monotonic clock; called repeatedly, because the
    ///   deadline may become earlier.
    static func run(
        _ command: String, environment: [String: String], input: [UInt8], deadline: () -> Int64
    ) -> Outcome {
        let child: ChildProcess
        do throws(MediaError) { child = try ChildProcess(command, environment: environment) } catch {
            return Outcome(end: .notStarted(error))
        }
        defer { child.close() }
        let clock = MonotonicClock()
        var rest = input[...]
        var output: [UInt8] = []
        var isCut = false
        var terminated: Int64?
        var isKilled = false
        var status: Int32?
        while status == nil {
            child.wait(milliseconds: 50, forInput: !rest.isEmpty)
            rest = child.write(rest)
            isCut = child.read(into: &output, atMost: longestOutput) || isCut
            status = child.reap()
            let now = clock.nanoseconds
            if status != nil { break }
            if let terminated {
                if !isKilled, now - terminated >= patience {
                    isKilled = true
                    child.signal(SIGKILL)
                }
                // The process is in an uninterruptible system call and cannot be killed.
                if now - terminated >= 2 * patience { break }
            } else if now >= deadline() {
                terminated = now
                child.signal(SIGTERM)
            }
        }
        // Kills processes of the command's group that SIGTERM has not ended.
        if terminated != nil, !isKilled { child.signal(SIGKILL) }
        isCut = child.read(into: &output, atMost: longestOutput) || isCut
        return Outcome(end: end(status, isOutOfTime: terminated != nil), lines: lines(output), isCut: isCut)
    }

    /// Returns how the command ended. In the status of waitpid(2), the low seven bits are the signal, and the next
    /// eight bits are the exit status.
    private static func end(_ status: Int32?, isOutOfTime: Bool) -> End {
        guard let status, !isOutOfTime else { return .outOfTime }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }

    private static func lines(_ output: [UInt8]) -> [String] {
        output.split(separator: UInt8(ascii: "\n")).map { line in
            // Logs are read on terminals, which interpret control characters.
            PlainText.line(String(decoding: line, as: UTF8.self).replacing("\t", with: " "))
        }
    }
}

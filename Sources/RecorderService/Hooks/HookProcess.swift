import CLinux
import CommandInterface
import Foundation
import MediaTypes
import RealTime

/// One run of one command, to its end or to its deadline.
enum HookProcess {
    enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        case outOfTime
        case notStarted(MediaError)
    }

    struct Outcome: Sendable, Equatable {
        var end: End
        /// What it printed, to standard output or error, in lines without control characters.
        var lines: [String] = []
        var isCut = false
    }

    /// From TERM to KILL, and from KILL to giving up, in nanoseconds.
    static let patience: Int64 = 2_000_000_000
    private static let longestOutput = 65_536

    /// Blocks. Hands over `input`, drains what is printed, and ends the command's whole process group at the deadline.
    ///
    /// What the command leaves running in the background is left alone when it ends in time; nobody reads its output then.
    ///
    /// - Parameter deadline: of the monotonic clock, asked for again and again: it may come nearer.
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
                // In an uninterruptible call of the kernel: nobody can end it.
                if now - terminated >= 2 * patience { break }
            } else if now >= deadline() {
                terminated = now
                child.signal(SIGTERM)
            }
        }
        // What the command left behind when it was told to end.
        if terminated != nil, !isKilled { child.signal(SIGKILL) }
        isCut = child.read(into: &output, atMost: longestOutput) || isCut
        return Outcome(end: end(status, isOutOfTime: terminated != nil), lines: lines(output), isCut: isCut)
    }

    /// waitpid(2): the low seven bits are the signal, the next eight the exit status.
    private static func end(_ status: Int32?, isOutOfTime: Bool) -> End {
        guard let status, !isOutOfTime else { return .outOfTime }
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
    }

    private static func lines(_ output: [UInt8]) -> [String] {
        output.split(separator: UInt8(ascii: "\n")).map { line in
            // A log is read on terminals, which obey control characters.
            PlainText.line(String(decoding: line, as: UTF8.self).replacing("\t", with: " "))
        }
    }
}

import Foundation

/// What strace(1) saw: system calls by the names of the threads that made them.
struct SystemCallCount {
    /// When, in seconds since 1970, and in which thread each call began.
    private var calls: [(time: Double, thread: Substring)] = []

    /// - Parameter log: of `strace -f -Y -ttt`: `PID<NAME> TIME CALL(…`.
    init(log: String) {
        // The end of a call that another one interrupted is a line of its own, and no further call.
        for line in log.split(separator: "\n") where !line.contains(" resumed>") {
            guard let match = line.prefixMatch(of: /\d+<(.*?)> +(\d+\.\d+) \w+\(/), let time = Double(match.2) else {
                continue
            }
            calls.append((time, match.1))
        }
    }

    /// The calls of some seconds since the first one.
    func counts(from begin: Double, to end: Double) -> [String: Int] {
        guard let start = calls.first?.time else { return [:] }
        var counts: [String: Int] = [:]
        for call in calls where call.time >= start + begin && call.time < start + end {
            counts[String(call.thread), default: 0] += 1
        }
        return counts
    }
}

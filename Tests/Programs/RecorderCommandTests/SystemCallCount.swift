import Foundation

/// System calls seen by strace(1), by name of the calling thread.
struct SystemCallCount {
    /// The start of each call, in seconds since 1970, and its thread.
    private var calls: [(time: Double, thread: Substring)] = []

    /// - Parameter log: output of `strace -f -Y -ttt`: `PID<NAME> TIME CALL(…`.
    init(log: String) {
        // The end of an interrupted call has a line of its own, and is not another call.
        for line in log.split(separator: "\n") where !line.contains(" resumed>") {
            guard let match = line.prefixMatch(of: /\d+<(.*?)> +(\d+\.\d+) \w+\(/), let time = Double(match.2) else {
                continue
            }
            calls.append((time, match.1))
        }
    }

    /// Returns the calls in a time range, in seconds since the first call.
    func counts(from begin: Double, to end: Double) -> [String: Int] {
        guard let start = calls.first?.time else { return [:] }
        var counts: [String: Int] = [:]
        for call in calls where call.time >= start + begin && call.time < start + end {
            counts[String(call.thread), default: 0] += 1
        }
        return counts
    }
}

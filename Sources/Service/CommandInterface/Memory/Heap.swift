import CLinux
import Foundation

/// Settings for the C library's heap, for commands.
package enum Heap {
    /// Makes all threads share one heap. Call it before any thread starts.
    ///
    /// For a command whose threads seldom allocate at the same time. One heap for each thread took ten megabytes for a
    /// cut of nine minutes. Not for a process with capture threads: they would wait for each other.
    package static func useOne() { clinux_use_one_heap() }

    /// Gives frames and encoder buffers mappings of their own, which return to the system when they are freed. For a
    /// recorder. Call it before any of them is allocated.
    package static func mapLargePieces() { clinux_map_large_pieces() }

    /// Returns the free pages between small allocations to the system. Holds the lock of each heap meanwhile,
    /// milliseconds for 64 MiB.
    package static func trim() { clinux_trim_heaps() }

    /// The resident memory of this process in bytes (proc(5), statm); nil if that cannot be read.
    package static var residentByteCount: Int? {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * pageSize }
    }

    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
}

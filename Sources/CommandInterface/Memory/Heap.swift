import CLinux
import Foundation

/// The C library's memory, as a command wants it.
package enum Heap {
    /// For a command whose threads seldom ask for memory at the same time: one heap in place of one for each thread, which took ten
    /// megabytes for a cut of nine minutes. Not where capture threads are: they would wait for each other. Before any thread.
    package static func useOne() { clinux_use_one_heap() }

    /// For a recorder: frames and what encoders take have mappings of their own, which go back to the system when they are freed.
    /// Before any of them.
    package static func mapLargePieces() { clinux_map_large_pieces() }

    /// Gives the free pages between small pieces back to the system. Holds each heap's lock meanwhile, milliseconds for 64 MiB.
    package static func trim() { clinux_trim_heaps() }

    /// Bytes of this process that are in memory (proc(5), statm); nil where that cannot be read.
    package static var residentByteCount: Int? {
        let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * pageSize }
    }

    private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
}

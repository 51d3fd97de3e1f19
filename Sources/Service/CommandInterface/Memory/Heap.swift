import CLinux
import FileSystem

/// Settings for the C library's heap, for commands.
package enum Heap {
    /// Makes all threads share one heap. Call it before any thread starts.
    ///
    /// Use it for a command whose threads seldom allocate at the same time: separate heaps would cost some 10 MB, as
    /// measured when a movie of nine minutes was cut. Do not use it in a process with capture threads, because its
    /// threads would wait for each other.
    package static func useOne() { clinux_use_one_heap() }

    /// Gives each frame and encoder buffer its own mapping, which returns to the system when the memory is freed. A
    /// recorder calls this before it allocates any of them.
    package static func mapLargePieces() { clinux_map_large_pieces() }

    /// Returns the free pages between small allocations to the system. Meanwhile it holds the lock of each heap, for
    /// some milliseconds per 64 MiB.
    package static func trim() { clinux_trim_heaps() }

    /// The resident memory of this process in bytes; nil if it cannot be read.
    package static var residentByteCount: Int? { ProcessMemory.current?.resident }
}

import CLinux

/// The C library's memory, as a command wants it.
package enum Heap {
    /// For a command whose threads seldom ask for memory at the same time: one heap in place of one for each thread, which took ten
    /// megabytes for a cut of nine minutes. Not where capture threads are: they would wait for each other. Before any thread.
    package static func useOne() { clinux_use_one_heap() }
}

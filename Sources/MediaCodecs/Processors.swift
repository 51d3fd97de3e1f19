import CLinux

/// The processors that this process may use (sched_getaffinity(2)).
package enum Processors {
    package static var available: Int { max(1, Int(clinux_available_processors())) }
}

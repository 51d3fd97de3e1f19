import CLinux

/// Calls that Swift's Glibc module leaves out. They are in a file of their own, because `PathCalls.swift` exposes
/// Glibc's types to other modules.
enum LinuxCalls {
    static func statvfs(_ path: UnsafePointer<CChar>, _ values: UnsafeMutablePointer<statvfs>) -> Int32 {
        clinux_statvfs(path, values)
    }

    /// The variables of this process, up to a null pointer; nil if there are none.
    static var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { clinux_environment() }

    /// Fails with EEXIST instead of replacing a file (renameat2(2), RENAME_NOREPLACE).
    static func renameExclusively(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
        clinux_rename_exclusive(path, target)
    }
}

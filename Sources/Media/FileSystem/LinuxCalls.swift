import CLinux

/// Calls that Swift's Glibc module leaves out. They are not in `PathCalls.swift`, because that file exposes Glibc's
/// types to other modules.
enum LinuxCalls {
    static func statvfs(_ path: UnsafePointer<CChar>, _ values: UnsafeMutablePointer<statvfs>) -> Int32 {
        clinux_statvfs(path, values)
    }

    /// The environment variables of this process, up to a null pointer; nil if there are none.
    static var environment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { clinux_environment() }

    /// Renames a file. Fails with EEXIST instead of replacing another file (renameat2(2), RENAME_NOREPLACE).
    static func renameExclusively(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
        clinux_rename_exclusive(path, target)
    }
}

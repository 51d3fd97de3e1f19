import CLinux

/// Calls that Swift's Glibc module leaves out, apart from the file that shows Glibc's types to other modules.
enum LinuxCalls {
    static func statvfs(_ path: UnsafePointer<CChar>, _ values: UnsafeMutablePointer<statvfs>) -> Int32 {
        clinux_statvfs(path, values)
    }

    static func renameExclusively(_ path: UnsafePointer<CChar>, _ target: UnsafePointer<CChar>) -> Int32 {
        clinux_rename_exclusive(path, target)
    }
}

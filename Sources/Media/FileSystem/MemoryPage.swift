import Glibc

/// A page of memory: the unit of mappings and of some of the kernel's counts. It has 4 KiB on most machines, but up to
/// 64 KiB on arm64.
package enum MemoryPage {
    /// The size on this system, in bytes.
    package static let byteCount = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Returns a number of bytes, rounded up to full pages.
    package static func roundedUp(_ byteCount: Int, pageSize: Int = MemoryPage.byteCount) -> Int {
        (byteCount + pageSize - 1) / pageSize * pageSize
    }
}

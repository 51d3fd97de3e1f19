/// The memory of this process in bytes, as the kernel counts it (proc(5), statm).
package struct ProcessMemory: Sendable, Hashable {
    /// The address space.
    package let size: Int
    /// The part in physical memory.
    package let resident: Int
    /// The part that RLIMIT_DATA limits, plus the stack.
    package let data: Int

    /// The memory now; nil if it cannot be read.
    package static var current: ProcessMemory? {
        FileContents.bytes(of: "/proc/self/statm").flatMap { ProcessMemory(statm: $0) }
    }

    /// Reads the contents of statm, which counts in pages. Returns nil if the contents are invalid.
    init?(statm: [UInt8], pageSize: Int = MemoryPage.byteCount) {
        let counts = statm.split { $0 == 0x20 || $0 == 0x0A }.map { Int(String(decoding: $0, as: UTF8.self)) }
        guard counts.count > 5, let size = counts[0], let resident = counts[1], let data = counts[5] else { return nil }
        (self.size, self.resident, self.data) = (size &* pageSize, resident &* pageSize, data &* pageSize)
    }
}

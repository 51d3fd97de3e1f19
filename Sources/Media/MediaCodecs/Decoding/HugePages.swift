import FileSystem
import Glibc

/// Zeroed memory in huge pages (madvise(2), MADV_HUGEPAGE). The kernel allocates each huge page as a whole.
///
/// On a system without huge pages, or with larger huge pages, the memory has small pages.
struct HugePages {
    /// The size of a huge page in bytes, on systems whose small pages have 4 KiB.
    static let size = 2 << 20

    /// The first byte, at a multiple of `size`.
    let start: UnsafeMutableRawPointer
    /// The size of the mapping. It is a multiple of a small page, so that its pages contain no other memory.
    let byteCount: Int

    /// Maps at least this number of bytes. Returns nil if there is no memory.
    ///
    /// - Parameter pageSize: The size of a small page. munmap(2) accepts only multiples of it.
    init?(byteCount: Int, pageSize: Int = MemoryPage.byteCount) {
        let mapped = MemoryPage.roundedUp(byteCount, pageSize: pageSize)
        guard
            let memory = mmap(
                nil, mapped + Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
            memory != MAP_FAILED
        else { return nil }
        (start, self.byteCount) = (memory.alignedUp(toMultipleOf: Self.size), mapped)
        let before = start - memory
        if before > 0 { munmap(memory, before) }
        if before < Self.size { munmap(start + mapped, Self.size - before) }
        madvise(start, mapped, MADV_HUGEPAGE)
    }

    func free() { munmap(start, byteCount) }
}

import Foundation
import Glibc
import Testing

@testable import FileSystem

/// The memory of a process, on systems with pages of any size.
@Suite struct ProcessMemoryTests {
    private static let statm = Array("1000 200 50 30 0 400 0\n".utf8)

    @Test(arguments: [4096, 16_384, 65_536]) func statm_pagesOfAnySize_areCountedInBytes(pageSize: Int) throws {
        let memory = try #require(ProcessMemory(statm: Self.statm, pageSize: pageSize))
        #expect(memory.size == 1000 * pageSize && memory.resident == 200 * pageSize && memory.data == 400 * pageSize)
    }

    @Test(arguments: ["", "1000 200", "a b c d e f g\n", "1000 200 50 30 0 -\n"])
    func statm_invalid_isNil(text: String) {
        #expect(ProcessMemory(statm: Array(text.utf8)) == nil)
    }

    /// The kernel reports the same number in kilobytes, whatever the size of a page (proc(5), status).
    @Test func current_addressSpace_isTheKernelsInKilobytes() throws {
        let before = try #require(ProcessMemory.current).size
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
        let size = try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) << 10
        let after = try #require(ProcessMemory.current).size
        // Other tests allocate at the same time.
        let slack = 256 << 20
        #expect(size >= min(before, after) - slack && size <= max(before, after) + slack)
        #expect(size.isMultiple(of: MemoryPage.byteCount))
    }

    @Test(arguments: [4096, 16_384, 65_536]) func roundedUp_pagesOfAnySize_areFull(pageSize: Int) {
        let counts = [0, 1, pageSize - 1, pageSize, pageSize + 1].map { MemoryPage.roundedUp($0, pageSize: pageSize) }
        #expect(counts == [0, pageSize, pageSize, pageSize, 2 * pageSize])
    }
}

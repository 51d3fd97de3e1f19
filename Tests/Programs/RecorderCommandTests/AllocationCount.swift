import Foundation
import TestSupport
import Testing

/// The heap allocations of each thread of a recorder, counted by `Tests/Support/AllocationCount/allocationcount.c`,
/// which is loaded before the C library.
struct AllocationCount {
    private let place: TemporaryDirectory
    private var library: String { place.path("allocationcount.so") }
    private var table: URL { place.file("counts") }

    /// Builds the library. Each recorder needs its own.
    init(in place: TemporaryDirectory) throws {
        self.place = place
        let source = Project.path("Tests/Support/AllocationCount/allocationcount.c")
        let built = try TestSupport.Command.run("cc", "-shared", "-fPIC", "-O2", "-o", library, source)
        try #require(built.status == 0, "\(built.errors)")
    }

    /// Environment variables for the recorder.
    var environment: [String: String] { ["LD_PRELOAD": library, "ALLOCATIONCOUNT_FILE": table.path] }

    /// Returns the current counts of allocations, and of locks by the program itself, by thread name.
    func read() throws -> [String: (allocations: Int, locks: Int)] {
        // `struct slot`: thread, allocations, bytes, frees and locks in 64 bits each, then the name in 24 bytes.
        let slotSize = 64
        let bytes = [UInt8](try Data(contentsOf: table))
        var counts: [String: (allocations: Int, locks: Int)] = [:]
        for start in stride(from: 0, to: bytes.count - slotSize + 1, by: slotSize) {
            let name = String(decoding: bytes[(start + 40)..<(start + slotSize)].prefix { $0 != 0 }, as: UTF8.self)
            guard !name.isEmpty else { continue }
            func number(_ offset: Int) -> Int {
                Int(
                    clamping: bytes.withUnsafeBytes {
                        $0.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
                    })
            }
            let sum = counts[name] ?? (0, 0)
            counts[name] = (sum.allocations + number(8), sum.locks + number(32))
        }
        return counts
    }
}

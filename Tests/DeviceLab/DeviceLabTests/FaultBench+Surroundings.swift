import Foundation
import Glibc
import TestSupport
import Testing

/// Faults of a recorder's environment: its clock, and the disk with its lists.
extension FaultBench {
    /// Returns every movie on the disk whose name contains `part`, sorted.
    func movies(_ part: String = ".mov", on disk: LabDisk? = nil) -> [String] {
        let mount = (disk ?? self.disk).mount
        let names = FileManager.default.enumerator(atPath: mount)?.allObjects.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".mov") && $0.contains(part) }.map { "\(mount)/\($0)" }.sorted()
    }

    /// Expects each movie of the first disk on the second one, byte for byte, wherever it was moved.
    func judgeCopies() {
        guard let mirrorDisk else { return }
        let copies = Dictionary(
            movies(on: mirrorDisk).map { (URL(fileURLWithPath: $0).lastPathComponent, $0) },
            uniquingKeysWith: { one, _ in one })
        for path in movies() where !account.strangers.contains(Self.identity(path)) {
            let copy = copies[URL(fileURLWithPath: path).lastPathComponent]
            #expect(copy.map { LabCommand.run("cmp \(path) \($0)") == 0 } == true, "\(path) and \(copy ?? "nothing")")
        }
    }

    /// Sets the clock back. A split during that time creates a file with the wrong date and runs retention.
    func setClockBack(for seconds: Double) throws {
        var (right, monotonic) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &right)
        clock_gettime(CLOCK_MONOTONIC, &monotonic)
        // The kernel refuses a time that would put its own start before 1970.
        var wrong = timespec(tv_sec: monotonic.tv_sec + 3600, tv_nsec: 0)
        try #require(clock_settime(CLOCK_REALTIME, &wrong) == 0, "cannot set the clock")
        sleep(seconds / 2)
        #expect(try recorder.post("split") == 200, "\(lastMessages)")
        sleep(seconds / 2)
        let begun = monotonic
        clock_gettime(CLOCK_MONOTONIC, &monotonic)
        right.tv_sec += monotonic.tv_sec - begun.tv_sec
        try #require(clock_settime(CLOCK_REALTIME, &right) == 0, "cannot set the clock")
        #expect(try recorder.post("split") == 200, "\(lastMessages)")
    }

    func fillStateDisk(for seconds: Double) throws {
        try stateDisk.fill(leaving: 0)
        sleep(seconds / 2)
        #expect(try recorder.post("split") == 200, "\(lastMessages)")
        sleep(seconds / 2)
        stateDisk.makeRoom()
    }
}

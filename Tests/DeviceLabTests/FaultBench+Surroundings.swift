import Foundation
import Glibc
import TestSupport
import Testing

/// What may happen around a recorder: to its clock, and to the disk that it keeps its lists on.
extension FaultBench {
    /// Every movie on the disk whose name contains this, in order.
    func movies(_ part: String = ".mov") -> [String] {
        let names = FileManager.default.enumerator(atPath: disk.mount)?.allObjects.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".mov") && $0.contains(part) }.map { "\(disk.mount)/\($0)" }.sorted()
    }

    /// A split while the clock is wrong gives a file the wrong date, and lets the retention look.
    func setClockBack(for seconds: Double) throws {
        var (right, monotonic) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &right)
        clock_gettime(CLOCK_MONOTONIC, &monotonic)
        // The kernel refuses what would put its own start before 1970.
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

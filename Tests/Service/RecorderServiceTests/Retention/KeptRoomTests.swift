import MediaTypes
import Testing

@testable import RecorderStorage

/// The warning that kept recordings leave too little room. The reserve is 100 bytes.
@Suite struct KeptRoomTests {
    private func warning(
        kept: Int64 = 500, deletable: Int64 = 0, hour: Int64 = 0, free: Int64?,
        _ rules: RetentionRules = RetentionRules(age: MediaTime(value: 3600, timescale: 1))
    ) -> String? {
        var room = KeptRoom(mount: "/disk")
        (room.kept, room.deletable, room.hour) = (kept, deletable, hour)
        return room.warning(rules, reserve: 100, free: free)
    }

    @Test func warning_lessThanTwiceTheReserve_namesTheDisk() {
        #expect(warning(free: 200) == nil)
        #expect(warning(free: 199)?.contains("on /disk") == true)
        #expect(warning(deletable: 1, free: 199) == nil)
    }

    @Test func warning_withoutRules_countsOnlyFreeSpace() {
        #expect(warning(deletable: 1000, free: 199, RetentionRules()) != nil)
    }

    @Test func warning_keepFreeCannotBeReached_comesEarlier() {
        let rules = RetentionRules(freeSpace: 400)
        #expect(warning(deletable: 100, free: 399, rules) != nil)
        #expect(warning(deletable: 100, free: 400, rules) == nil)
    }

    /// Retention deletes nothing before `keep-size` is reached, so the disk has to hold all of it.
    @Test func warning_keepSizeDoesNotFit_comesEarlier() {
        let rules = RetentionRules(totalSize: 1000)
        #expect(warning(deletable: 600, free: 499, rules)?.contains("keep-size (1.0 kB)") == true)
        #expect(warning(deletable: 600, free: 500, rules) == nil)
        #expect(warning(deletable: 600, free: 499, RetentionRules(totalSize: 1000, freeSpace: 300)) == nil)
    }

    @Test func warning_lessThanAnHour_comesEarlier() {
        #expect(warning(deletable: 300, hour: 1000, free: 799)?.contains("less than an hour of recording") == true)
        #expect(warning(deletable: 300, hour: 1000, free: 800) == nil)
        #expect(warning(deletable: 5000, hour: 1000, free: 1099, RetentionRules()) != nil)
    }

    @Test func hour_recentFiles_isTheirRate() {
        func recording(_ size: Int64, _ duration: Double?) -> FinishedRecording {
            FinishedRecording(
                number: 1, path: "/a.mov", identity: .init(inode: 1, size: size, modified: 1),
                moment: Moment(wall: 1, uptime: 1, boot: ""), root: nil, account: .init(duration: duration))
        }
        #expect(KeptRoom.hour([recording(1000, 60), recording(3000, 60), recording(900, nil)]) == 120_000)
        #expect(KeptRoom.hour([recording(1000, 0), recording(1000, .nan), recording(1000, -5)]) == 0)
        #expect(KeptRoom.hour([recording(.max, 1)]) == .max)
    }

    @Test func warning_nothingKeptOrSpaceUnknown_isNone() {
        #expect(warning(kept: 0, free: 0) == nil)
        #expect(warning(free: nil) == nil)
    }

    @Test func warning_numbersAtTheirLimits_doNotTrap() {
        #expect(warning(kept: .max, deletable: .max, free: .max) == nil)
        #expect(warning(deletable: -5, free: 0, RetentionRules(freeSpace: .max)) != nil)
    }
}

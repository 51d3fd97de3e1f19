import Testing

@testable import RecorderStorage

/// The warning that kept recordings leave too little room. The reserve is 100 bytes.
@Suite struct KeptRoomTests {
    private func warning(
        kept: Int64 = 500, deletable: Int64 = 0, free: Int64?, _ rules: RetentionRules = RetentionRules(totalSize: 1000)
    ) -> String? {
        var room = KeptRoom(mount: "/disk")
        (room.kept, room.deletable) = (kept, deletable)
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

    @Test func warning_nothingKeptOrSpaceUnknown_isNone() {
        #expect(warning(kept: 0, free: 0) == nil)
        #expect(warning(free: nil) == nil)
    }

    @Test func warning_numbersAtTheirLimits_doNotTrap() {
        #expect(warning(kept: .max, deletable: .max, free: .max) == nil)
        #expect(warning(deletable: -5, free: 0, RetentionRules(freeSpace: .max)) != nil)
    }
}

import Foundation
import MediaTypes
import Testing

@Suite struct LedgerTests {
    private var full: Ledger {
        var ledger = Ledger()
        ledger.captured = 100
        ledger.written = 70
        for (index, cause) in DropCause.allCases.enumerated() { ledger[dropped: cause] = Int64(index + 1) }
        return ledger
    }

    @Test func ledger_anySample_isWrittenPausedRepeatedDroppedOrPending() {
        let ledger = full
        // 1 to 7, of which the fifth is a pause and the sixth are repeated frames, which are no drops.
        #expect(ledger.droppedInAll == 17 && ledger[dropped: .paused] == 5 && ledger[dropped: .repeated] == 6)
        #expect(ledger.captured == ledger.written + ledger.droppedInAll + 5 + 6 + ledger.pending)
        #expect(ledger.pending == 2)
        #expect(DropCause.allCases.filter { !$0.isDrop } == [.paused, .repeated])
    }

    @Test func ledger_anyCause_hasItsOwnCount() {
        for cause in DropCause.allCases {
            var ledger = Ledger()
            ledger[dropped: cause] = 5
            #expect(DropCause.allCases.filter { ledger[dropped: $0] != 0 } == [cause])
        }
    }

    @Test func coding_anyCause_isKeptByName() throws {
        let data = try JSONEncoder().encode(full)
        #expect(try JSONDecoder().decode(Ledger.self, from: data) == full)
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let dropped = try #require(object["dropped"] as? [String: Int])
        #expect(Set(dropped.keys) == ["device", "queue", "encoder", "corrupt", "paused", "disk"])
        #expect(object["paused"] as? Int == 5 && dropped["paused"] == 0)
        #expect(object["repeated"] as? Int == 6)
    }

    @Test func coding_withoutRepeatedFrames_hasTheKeysOfEarlierVersions() throws {
        let data = try JSONEncoder().encode(Ledger())
        let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(Set(object.keys) == ["captured", "written", "dropped", "paused"])
    }

    @Test func decoding_ledgerOfAnEarlierVersion_findsPausesAmongTheDrops() throws {
        let json = #"{"captured":9,"written":3,"dropped":{"disk":1,"paused":5}}"#
        let ledger = try JSONDecoder().decode(Ledger.self, from: Data(json.utf8))
        #expect(ledger[dropped: .paused] == 5 && ledger.droppedInAll == 1 && ledger.pending == 0)
    }

    @Test func decoding_unknownCause_isIgnored() throws {
        let json = #"{"captured":3,"written":1,"dropped":{"disk":1,"goblins":1}}"#
        let ledger = try JSONDecoder().decode(Ledger.self, from: Data(json.utf8))
        #expect(ledger[dropped: .disk] == 1 && ledger.captured == 3)
    }

    @Test func sum_twoLedgers_addsEveryCount() {
        let sum = full + full
        #expect(sum.captured == 200 && sum.written == 140 && sum.droppedInAll == 34)
        for cause in DropCause.allCases { #expect(sum[dropped: cause] == 2 * full[dropped: cause]) }
    }

    @Test(arguments: [Int64.max, .min]) func sums_ofAnyNumbers_areClamped(extreme: Int64) {
        var ledger = Ledger()
        (ledger.captured, ledger.written, ledger.eased) = (extreme, extreme == .max ? .min : .max, extreme)
        for cause in DropCause.allCases { ledger[dropped: cause] = extreme }
        #expect(ledger.droppedInAll == extreme)
        #expect((ledger + ledger).captured == extreme && (ledger + ledger)[dropped: .disk] == extreme)
        // More was written and dropped than captured, or less than nothing.
        ledger.captured = extreme == .max ? -2 : 0
        ledger.written = extreme
        #expect(ledger.pending == (extreme == .max ? .min : .max))
    }
}

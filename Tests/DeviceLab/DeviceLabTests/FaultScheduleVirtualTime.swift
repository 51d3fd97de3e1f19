import Testing

/// The schedule of a soak: a value that needs no device.
@Suite struct FaultScheduleVirtualTime {
    @Test func schedule_sameSeed_givesTheSamePlan() {
        let plan = FaultSchedule(seed: 7, seconds: 1800)
        #expect(plan == FaultSchedule(seed: 7, seconds: 1800))
        #expect(plan.entries != FaultSchedule(seed: 8, seconds: 1800).entries)
        // A shorter soak is the beginning of a longer one.
        #expect(FaultSchedule(seed: 7, seconds: 200).entries == Array(plan.entries.prefix(9)))
    }

    @Test func schedule_faults_comeEveryTwentySecondsAndLeaveTime() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let times = FaultSchedule(seed: seed, seconds: 1800).entries.map(\.time)
            #expect(times.count == 89)
            for (index, time) in times.enumerated() {
                let planned = Double(index + 1) * 20
                #expect((planned...(planned + 2)).contains(time))
            }
        }
        #expect(FaultSchedule(seed: 1, seconds: 39).entries.isEmpty)
    }

    private func kinds(_ entries: some Sequence<FaultSchedule.Entry>) -> Set<Substring> {
        Set(entries.map { "\($0.fault)".prefix { $0 != "(" } })
    }

    @Test func schedule_ordinarySeeds_coverEveryKind() {
        let entries = FaultSoak.ordinarySeeds.flatMap {
            FaultSchedule(seed: $0, seconds: 60 * FaultSoak.ordinaryMinutes).entries
        }
        #expect(kinds(entries).count == Fault.kindCount)
    }

    @Test func schedule_everyRound_hasEachKindOnce() {
        let count = Fault.kindCount
        let entries = FaultSchedule(seed: 3, seconds: 20 * Double(2 * count + 1)).entries
        #expect(entries.count == 2 * count)
        for round in [entries.prefix(count), entries.suffix(count)] {
            #expect(kinds(round).count == count)
        }
    }
}

import Testing

/// A few minutes of faults in virtual time; `scripts/soak faults` runs more of them.
@Suite(.serialized) struct FaultSoakVirtualTime {
    @Test(arguments: FaultSoak.seeds(FaultSoak.ordinarySeeds))
    func recording_faultEveryTwentySeconds_isIntactCountedAndInSync(seed: UInt64) throws {
        try FaultSoak(seed: seed, minutes: FaultSoak.ordinaryMinutes, claps: 1).run()
    }

    @Test func recording_unchangedConfigurationReloaded_isIntact() throws {
        try FaultSoak([.hangUp(segmentSeconds: 90), .hangUp(segmentSeconds: 90)], claps: 1).run()
    }
}

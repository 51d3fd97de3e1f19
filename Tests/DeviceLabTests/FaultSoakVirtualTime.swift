import Testing

/// A few minutes of faults in virtual time; `scripts/soak faults` asks for more of them.
@Suite(.serialized) struct FaultSoakVirtualTime {
    @Test(arguments: FaultSoak.seeds(FaultSoak.ordinarySeeds))
    func everythingIsWholeCountedAndInSyncAfterAFaultEveryTwentySeconds(seed: UInt64) throws {
        try FaultSoak(seed: seed, minutes: 3, claps: 1).run()
    }
}

import Testing

/// The fault soak with the real clock.
@Suite(.serialized) struct FaultSoakRealTime {
    @Test(arguments: FaultSoak.seeds([2]))
    func recording_faultEveryTwentySeconds_isIntactCountedAndInSync(seed: UInt64) throws {
        try FaultSoak(seed: seed, minutes: 1, claps: 5).run()
    }
}

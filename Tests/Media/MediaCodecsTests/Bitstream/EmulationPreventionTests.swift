import Testing

@testable import MediaCodecs

@Suite struct EmulationPreventionTests {
    @Test func removed_threeAfterTwoZeros_isLeftOut() {
        let unit: [UInt8] = [0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 3, 0, 3]
        #expect(EmulationPrevention.removed(from: unit[...]) == [0, 0, 1, 0, 0, 0, 0, 3, 0, 3])
    }

    @Test func removed_partOfAUnit_ignoresTheZerosBefore() {
        let unit: [UInt8] = [0, 0, 3, 1]
        #expect(EmulationPrevention.removed(from: unit.dropFirst(2)) == [3, 1])
    }
}

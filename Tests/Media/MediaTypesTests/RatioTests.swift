import Testing

@testable import MediaTypes

@Suite struct RatioTests {
    @Test(arguments: [
        (Ratio(93_207, 65_536), Ratio(64, 45)), (Ratio(65_536, 65_536), Ratio(1, 1)),
        (Ratio(131_072, 65_536), Ratio(2, 1)),
    ])
    func coded_numberAbove65535_isTheNearestRatio(_ ratio: Ratio, _ expected: Ratio) {
        let coded = ratio.coded
        let exact = Double(ratio.numerator) / Double(ratio.denominator)
        #expect(abs(Double(coded.numerator) / Double(coded.denominator) - exact) < 1e-8 * exact)
        #expect(max(coded.numerator, coded.denominator) <= 65_535)
        #expect(ratio.nearest(upTo: 1000) == expected)
    }

    @Test func coded_smallNumbers_staysAsItIs() {
        #expect(Ratio(40, 33).coded == Ratio(40, 33))
        // Not in its lowest terms, but as it is stored.
        #expect(Ratio(1280, 720).coded == Ratio(1280, 720))
    }

    @Test(arguments: [Ratio(.max, 1), Ratio(1, .max), Ratio(.max, .max), Ratio(.max, .max - 1), Ratio(65_536, 1)])
    func coded_extremeRatio_staysInRange(_ ratio: Ratio) {
        let coded = ratio.coded
        #expect((1...65_535).contains(coded.numerator) && (1...65_535).contains(coded.denominator))
    }
}

import MediaTypes
import TestSupport
import Testing

@Suite struct DriftEstimatorTests {
    /// Returns the error of the estimated offset after an hour, in seconds, and the estimated rate.
    private func estimate(rate: Double, delay: (Double, inout SeededRandom) -> Double) -> (error: Double, rate: Double)
    {
        var random = SeededRandom(seed: 7)
        var estimator = DriftEstimator(.network)
        var count = 0.0
        while count < 3600 {
            count += 0.1
            estimator.record(count * rate + delay(count, &random), at: count)
        }
        return (estimator.offset(at: count) - count * rate, estimator.rate)
    }

    @Test(arguments: [-200e-6, 0, 200e-6]) func driftEstimator_jitterOfANetwork_followsTheLeastDelayed(rate: Double) {
        let result = estimate(rate: rate) { _, random in 0.004 + Double.random(in: 0..<0.06, using: &random) }
        #expect(result.error > 0 && result.error < 0.012)
        #expect(abs(result.rate - rate) < 3e-6)
    }

    @Test func driftEstimator_congestionOfAMinute_movesLittle() {
        let result = estimate(rate: 100e-6) { count, random in
            Double.random(in: 0..<0.01, using: &random) + (count > 3500 && count < 3560 ? 0.2 : 0)
        }
        #expect(abs(result.error) < 0.01)
    }
}

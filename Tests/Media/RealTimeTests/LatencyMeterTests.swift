import RealTime
import Testing

@Suite struct LatencyMeterTests {
    @Test func measure_severalThreads_countsEverything() throws {
        let meter = LatencyMeter()
        let threads = try (0..<4).map { index in
            try NamedThread("measure-\(index)") { for _ in 0..<5000 { meter.measure {} } }
        }
        for thread in threads { thread.join() }
        let histogram = meter.histogram
        #expect(histogram.count == 20_000)
        #expect(histogram.counts.reduce(0, +) == 20_000)
        #expect(histogram.longest > 0 && histogram.longest <= histogram.sum)
    }

    @Test func measure_resultOrError_isPassedOn() {
        let meter = LatencyMeter()
        #expect(meter.measure { 7 } == 7)
        #expect(throws: Failure.self) { try meter.measure { () throws(Failure) in throw Failure() } }
        #expect(meter.histogram.count == 2)
        #expect(LatencyMeter().histogram == LatencyHistogram())
    }

    private struct Failure: Error {}
}

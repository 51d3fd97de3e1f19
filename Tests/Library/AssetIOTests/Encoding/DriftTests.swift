import Foundation
import MediaTypes
import Testing

@testable import AssetIO

/// Tests with days of audio in simulated time: they measure how far audio drifts from the time when it was captured.
@Suite struct DriftTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var jitter: DriftingDevice.Jitter
        var drift: @Sendable (Double) -> Double
        /// The length of the simulation, and its block size.
        var hours = 24.0
        var blockFrames = 28_800
        var testDescription: String { "\(name), \(jitter)" }
    }

    static func constant(_ ppm: Double, _ jitter: DriftingDevice.Jitter) -> Case {
        Case(name: "\(ppm) ppm", jitter: jitter, drift: { _ in ppm * 1e-6 })
    }

    static let days: [Case] = [
        constant(200, .usb), constant(-200, .server), constant(1000, .card), constant(-1000, .usb),
        // A room that warms and cools by day and night, and a device that warms up within a quarter of an hour.
        Case(name: "30 ppm in four hours", jitter: .usb, drift: { 30e-6 * sin($0 * 2 * .pi / 14_400) }),
        Case(
            name: "warming up", jitter: .server, drift: { 80e-6 - 40e-6 * exp(-$0 / 900) }, hours: 1, blockFrames: 960),
        Case(name: "50 ppm", jitter: .wild, drift: { _ in 50e-6 }, hours: 1, blockFrames: 960),
    ]

    @Test(arguments: days) func timeline_driftForADay_staysWithinFiveMilliseconds(_ day: Case) {
        var device = DriftingDevice(blockFrames: day.blockFrames, jitter: day.jitter, drift: day.drift)
        var timeline = AudioTimeline(sampleRate: 48_000)
        var worst = 0.0
        var worstRate = 0.0
        while true {
            let block = device.next()
            let (place, _) = timeline.admit(block)
            guard block.time >= 60 else { continue }
            worst = max(worst, abs(place - block.time))
            guard block.time >= 300 else { continue }
            let ppm = timeline.clock.driftPPM ?? .infinity
            worstRate = max(worstRate, abs(ppm - day.drift(block.time) * 1e6))
            if block.time > day.hours * 3600 { break }
        }
        #expect(worst < 0.005, "off by \(worst) s")
        #expect(worstRate < 15, "the measured drift is wrong by \(worstRate) ppm")
        #expect(timeline.gapCount == 0)
    }

    /// Blocks of real sizes, including the first minute: never worse than without a correction, except for what jitter
    /// hides.
    @Test(arguments: [
        constant(200, .usb), constant(-200, .server), constant(1000, .usb), constant(-1000, .server),
        constant(20, .usb),
    ])
    func timeline_firstMinute_isNoWorseThanUncorrected(_ minute: Case) throws {
        var device = DriftingDevice(blockFrames: 960, jitter: minute.jitter, drift: minute.drift)
        var timeline = AudioTimeline(sampleRate: 48_000)
        var worst = 0.0
        var fastest = 0.0
        var first: Double?
        for _ in 0..<3000 {
            let block = device.next()
            let (place, correction) = timeline.admit(block)
            if first == nil { first = place }
            worst = max(worst, abs(place - block.time))
            fastest = max(fastest, abs(correction.surplus))
        }
        let uncorrected = abs(minute.drift(0)) * 60
        #expect(worst < max(0.006, uncorrected / 4) + abs(first ?? 0), "off by \(worst) s")
        #expect(fastest <= 1500e-6)
        let clock = timeline.clock
        #expect(abs((clock.driftPPM ?? .infinity) - minute.drift(0) * 1e6) < 20)
        #expect(abs(clock.syncOffset ?? .infinity) < 0.005)
    }

    @Test func timeline_noDrift_correctsNothing() {
        var device = DriftingDevice(blockFrames: 960, jitter: .card) { _ in 0 }
        var timeline = AudioTimeline(sampleRate: 48_000)
        for _ in 0..<30_000 { #expect(timeline.admit(device.next()).correction == .init()) }
    }

    @Test func timeline_driftReverses_changesTheRatioSlowly() {
        // The drift reverses completely, and the timestamps jump by 15 ms every ten seconds.
        var device = DriftingDevice(blockFrames: 960, jitter: .wild) { $0 < 60 ? 1000e-6 : -1000e-6 }
        var timeline = AudioTimeline(sampleRate: 48_000)
        var before = 0.0
        var steepest = 0.0
        for number in 0..<9000 {
            var block = device.next()
            if number / 500 % 2 == 1 { block.measured += 0.015 }
            let surplus = timeline.admit(block).correction.surplus
            steepest = max(steepest, abs(surplus - before))
            before = surplus
        }
        // Within 20 ms.
        #expect(steepest <= 4.0001e-6 && steepest > 2e-6)
    }

    @Test func timeline_afterAGap_keepsTheMeasuredDrift() throws {
        var device = DriftingDevice(blockFrames: 960, jitter: .usb) { _ in 300e-6 }
        var timeline = AudioTimeline(sampleRate: 48_000)
        for _ in 0..<6000 { _ = timeline.admit(device.next()) }
        device.lose(5)
        let block = device.next()
        let (place, correction) = timeline.admit(block)
        #expect(abs(correction.silence - 5 * 48_000) < 144 && abs(place - block.time) < 0.002)
        #expect(abs(try #require(timeline.clock.driftPPM) - 300) < 10)
        // The rate is right at once, not only after a minute.
        var worst = 0.0
        for _ in 0..<3000 {
            let block = device.next()
            worst = max(worst, abs(timeline.admit(block).place - block.time))
        }
        #expect(worst < 0.003 && timeline.gapCount == 1, "off by \(worst) s")
    }

    @Test func timeline_unreportedLoss_isCorrected() {
        var device = DriftingDevice(blockFrames: 960, jitter: .usb) { _ in -100e-6 }
        var timeline = AudioTimeline(sampleRate: 48_000)
        for _ in 0..<6000 { _ = timeline.admit(device.next()) }
        // Shorter than a gap.
        device.lose(0.02)
        var last = 0.0
        for _ in 0..<4000 {
            let block = device.next()
            last = abs(timeline.admit(block).place - block.time)
        }
        #expect(last < 0.002 && timeline.gapCount == 0, "off by \(last) s")
    }

    @Test func timeline_lateBlocks_areIgnored() {
        // One block in three is up to 35 ms late.
        var device = DriftingDevice(blockFrames: 960, jitter: .card) { _ in 50e-6 }
        var random = SplitMix(state: 7)
        var timeline = AudioTimeline(sampleRate: 48_000)
        var worst = 0.0
        for number in 0..<30_000 {
            var block = device.next()
            if number % 3 == 1 { block.measured += random.next(0...0.035) }
            worst = max(worst, abs(timeline.admit(block).place - block.time))
        }
        #expect(worst < 0.002, "off by \(worst) s")
    }

    @Test func timeline_driftBeyondCorrection_hasGaps() {
        var device = DriftingDevice(blockFrames: 4800, jitter: .usb) { _ in -3000e-6 }
        var timeline = AudioTimeline(sampleRate: 48_000)
        var worst = 0.0
        var fastest = 0.0
        for _ in 0..<2000 {
            let block = device.next()
            let (place, correction) = timeline.admit(block)
            worst = max(worst, abs(place - block.time))
            fastest = max(fastest, correction.surplus)
        }
        #expect(worst < 0.042 && timeline.gapCount > 3 && fastest <= 1500e-6)
    }
}

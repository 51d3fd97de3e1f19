import AssetIO
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// Alignment of recordings by the machine's clock if they share one, otherwise by the wall clocks, within their known
/// uncertainty, along their whole length.
struct ClockAlignmentTests {
    private let epoch = 1_800_000_000.0

    /// - Parameters:
    ///   - offset: wall clock minus the machine's clock.
    ///   - rate: relative rate of the machine's clock; positive if it is faster than the wall clock.
    private func recording(
        _ boot: String, start: Double, offset: Double = 0, rate: Double = 0, duration: Double = 600,
        uncertainty: Double? = nil, pauses: [RecordingClock.Pause] = []
    ) -> ClockAlignment.Recording {
        let end = start + duration + pauses.reduce(0) { $0 + $1.duration }
        let wall = (Array(stride(from: start, to: end, by: 60)) + [end]).map { moment in
            RecordingClock.WallTime(
                at: moment, wall: epoch + start + offset + (moment - start) / (1 + rate), uncertainty: uncertainty)
        }
        return ClockAlignment.Recording(
            clock: RecordingClock(boot: boot, start: start, wall: wall, pauses: pauses), duration: duration)
    }

    private func pause(_ time: Double, _ duration: Double) -> RecordingClock.Pause {
        .init(time: time, duration: duration)
    }

    private func place(_ alignment: ClockAlignment, _ index: Int, _ time: Double) -> Double {
        alignment.maps[index].target(of: MediaTime(seconds: time)).seconds
    }

    private func account(_ alignment: ClockAlignment) -> String { alignment.account(of: ["a.mov", "b.mov"]) }

    @Test func alignment_sameBoot_isExactDespiteWallClocks() throws {
        let alignment = try ClockAlignment([
            recording("a", start: 100.5, offset: 7), recording("a", start: 98, offset: -900, rate: 300e-6),
        ])
        #expect(alignment.offsets == [2.5, 0] && alignment.isOneBoot)
        #expect(alignment.maps.map(\.shift) == [MediaTime(seconds: 2.5), .zero])
        #expect(account(alignment) == "in sync by the machine's own clock")
    }

    @Test func alignment_twoMachines_usesWallClocksAndAddsUncertainties() throws {
        let alignment = try ClockAlignment([
            recording("a", start: 100, offset: 0, uncertainty: 0.004),
            recording("b", start: 5, offset: 96.25, uncertainty: 0.010),
        ])
        #expect(alignment.offsets.map { ($0 * 1e6).rounded() } == [0, 1_250_000])
        #expect(alignment.uncertainty.map { abs($0 - 0.014) < 1e-9 } == true)
        #expect(account(alignment) == "in sync within 14.0 ms by the wall clocks, along the whole length")
    }

    @Test func alignment_clocksDrift_keepsEveryTimeInSync() throws {
        // Both machines' clocks are wrong: the movie follows the first one.
        let alignment = try ClockAlignment([
            recording("a", start: 100, rate: -40e-6, duration: 7200, uncertainty: 0.004),
            recording("b", start: 5000, offset: -4890, rate: 60e-6, duration: 7000, uncertainty: 0.001),
        ])
        #expect(alignment.maps[0].shift == .zero)
        for moment in stride(from: 0.0, through: 6000, by: 100) {
            // True time since the start of the second recording.
            let (a, b) = ((10 + moment) * (1 - 40e-6), moment * (1 + 60e-6))
            #expect(abs(place(alignment, 0, a) - place(alignment, 1, b)) < 0.0001, "\(moment)")
        }
        #expect(
            account(alignment)
                == "in sync within 5.0 ms by the wall clocks, along the whole length; "
                + "the clock of b.mov ran 100.0 ppm fast relative to the first recording's")
    }

    @Test func alignment_twoOfOneBootAndAnother_keepsTheTwoExactlyInSync() throws {
        var random = SeededRandom(seed: 3)
        var (one, other) = (recording("b", start: 50, rate: 80e-6), recording("b", start: 57.25, rate: 80e-6))
        for index in one.clock.wall.indices {
            one.clock.wall[index].wall += Double.random(in: -0.001...0.001, using: &random)
        }
        other.clock.wall = Array(other.clock.wall.prefix(1))
        let alignment = try ClockAlignment([recording("a", start: 9000, offset: -8950), one, other])
        for moment in stride(from: 8.0, to: 590, by: 7) {
            #expect(abs(place(alignment, 1, moment) - place(alignment, 2, moment - 7.25)) < 2e-9)
        }
    }

    @Test func alignment_wallClockWithoutUncertainty_isReported() throws {
        let alignment = try ClockAlignment([
            recording("a", start: 100), recording("b", start: 5, offset: 95, uncertainty: 0.01),
        ])
        #expect(alignment.uncertainty == nil && account(alignment).contains("with unknown accuracy"))
    }

    @Test func alignment_wallClockKnownOnlyAtStart_isReported() throws {
        var torn = recording("b", start: 5, offset: 95, uncertainty: 0.01)
        torn.clock.wall = Array(torn.clock.wall.prefix(1))
        let alignment = try ClockAlignment([recording("a", start: 100, uncertainty: 0.01), torn])
        #expect(
            account(alignment)
                == "in sync within 20.0 ms by the wall clocks, at the beginning: no later clock readings in b.mov"
        )
    }

    @Test func alignment_wallClockSet_isReportedAndIgnored() throws {
        var set = recording("b", start: 5, offset: 95, uncertainty: 0.01)
        for index in set.clock.wall.indices where index > 5 { set.clock.wall[index].wall += 60 }
        let alignment = try ClockAlignment([recording("a", start: 100, uncertainty: 0.01), set])
        #expect(abs(place(alignment, 1, 590) - 590) < 1e-3)
        #expect(
            account(alignment).hasSuffix("the wall clock of b.mov was set by 60.000 s meanwhile, which was compensated")
        )
    }

    @Test func gap_recordingsThatDoNotOverlap_isTheTimeBetweenThem() throws {
        let apart = try ClockAlignment([recording("a", start: 2000), recording("a", start: 100)])
        #expect(apart.gap == ClockAlignment.Gap(before: 1, after: 0, seconds: 1300))
        // A third recording continues meanwhile.
        let joined = try ClockAlignment([
            recording("a", start: 2000), recording("a", start: 100), recording("a", start: 650, duration: 1400),
        ])
        #expect(joined.gap == nil)
        // The next file of the same recorder.
        #expect(try ClockAlignment([recording("a", start: 100), recording("a", start: 700.5)]).gap == nil)
    }

    // MARK: Pauses

    @Test func alignment_pausedRecording_placesTheRestByTheClock() throws {
        let alignment = try ClockAlignment([
            recording("a", start: 100), recording("a", start: 101, pauses: [pause(10, 30), pause(20, 0.5)]),
        ])
        #expect([5, 9.999, 10, 19.5, 20, 100].map { place(alignment, 1, $0) } == [6, 10.999, 41, 50.5, 51.5, 131.5])
        #expect(alignment.leftOut == 0)
    }

    @Test func alignment_allPausedTogether_omitsThatTime() throws {
        // One second more of the first pause, and two of the second one, belong to the other recording.
        let alignment = try ClockAlignment([
            recording("a", start: 100, pauses: [pause(10, 30)]), recording("a", start: 100, pauses: [pause(11, 31)]),
        ])
        #expect(abs(alignment.leftOut - 29) < 1e-9)
        #expect(abs(place(alignment, 0, 10) - 11) < 1e-9 && abs(place(alignment, 0, 12) - 13) < 1e-9)
        #expect(abs(place(alignment, 1, 10.9) - 10.9) < 1e-9 && abs(place(alignment, 1, 11) - 13) < 1e-9)
        #expect(account(alignment).hasSuffix("; 29.0 s without any recording are left out"))
    }

    @Test func alignment_pausedAfterOthersEnded_leavesNoGap() throws {
        let alignment = try ClockAlignment([
            recording("a", start: 100, pauses: [pause(10, 30)]), recording("a", start: 95, duration: 10),
        ])
        #expect(alignment.leftOut == 30 && place(alignment, 0, 11) == 16)
    }

    @Test(arguments: 0..<50) func alignment_anyPauses_mapsIncreaseMonotonically(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func odd() -> Double {
            [-1, 0, 1e-12, 0.5, 10, 599.9999, 600, 1e9, 1e300, Double.random(in: 0...700, using: &random)]
                .randomElement(using: &random) ?? 0
        }
        let recordings = ["a", "b", "b"].map { boot in
            let pauses = (0..<Int.random(in: 0...20, using: &random)).map { _ in pause(odd(), odd()) }
            var made = recording(boot, start: 100, rate: Double.random(in: -400e-6...400e-6, using: &random))
            made.clock.pauses = pauses
            return made
        }
        // Impossible pauses are ignored, so none of these recordings is refused.
        let alignment = try ClockAlignment(recordings)
        try #require(alignment.maps.count == recordings.count)
        for index in recordings.indices {
            let places = stride(from: 0.0, through: 700, by: 0.5).map { place(alignment, index, $0) }
            #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 > 0.499 })
        }
    }

    // MARK: Unusable clocks

    @Test func alignment_twoMachinesWithoutWallClock_isRefused() {
        var silent = recording("b", start: 2)
        silent.clock.wall = []
        #expect(throws: ClockAlignment.Refusal.withoutTime) { try ClockAlignment([recording("a", start: 1), silent]) }
        #expect(throws: ClockAlignment.Refusal.withoutTime) { try ClockAlignment([]) }
    }

    /// A file may contain any text.
    @Test(arguments: ["", "{}", "[]", #"{"boot":"a","start":"soon","wall":[]}"#, #"{"boot":"a","wall":[]}"#])
    func recordingClock_unusableText_isNil(text: String) {
        #expect(RecordingClock([MetadataItem(key: MetadataItem.clockKey, value: text)]) == nil)
    }

    @Test func recordingClock_writtenAndRead_isUnchanged() {
        let written = RecordingClock(
            boot: "a", start: 12345.678901234, group: "stage", wall: [.init(at: 1, wall: 2, uncertainty: nil)],
            pauses: [.init(time: 1.5, duration: 2)])
        #expect(RecordingClock([written.metadataItem]) == written)
        #expect(RecordingClock([MetadataItem(key: "title", value: "x")]) == nil)
    }
}

import MediaTypes
import TestSupport
import Testing

@testable import MovieCommands

/// The wall clock between its readings, for readings of all kinds.
struct WallLineTests {
    private typealias Look = RecordingClock.WallTime

    private let epoch = 1_800_000_000.0

    /// Returns readings each minute of a clock with changing rates.
    private func looks(_ random: inout SeededRandom, _ count: Int, jitter: Double = 0) -> [Look] {
        var (at, offset) = (Double.random(in: 0...1e6, using: &random), epoch)
        return (0..<count).map { _ in
            defer {
                let step = Double.random(in: 20...70, using: &random)
                at += step
                offset += step * Double.random(in: -400e-6...400e-6, using: &random)
            }
            let error = Double.random(in: -jitter...jitter, using: &random)
            return Look(at: at, wall: at + offset + error, uncertainty: 0.002)
        }
    }

    @Test(arguments: 0..<50) func wallLine_jitteryReadings_increasesAndMatchesEachReading(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let looks = looks(&random, Int.random(in: 1...200, using: &random), jitter: 0.0005)
        let line = try #require(WallLine(looks, base: epoch))
        #expect(line.step == 0 && line.uncertainty == 0.002)
        for look in looks { #expect(abs(line.wall(at: look.at) - (look.wall - epoch)) < 0.002) }
        let (first, last) = (looks[0].at - 100, looks[looks.count - 1].at + 100)
        let moments = stride(from: first, through: last, by: (last - first) / 1000).map { $0 }
        for (one, next) in zip(moments, moments.dropFirst()) {
            let rate = (line.wall(at: next) - line.wall(at: one)) / (next - one)
            #expect(rate > 0.999 && rate < 1.001)
            // The inverse matches as well.
            #expect(abs(line.time(atWall: line.wall(at: one)) - one) < 1e-6)
        }
    }

    @Test func wallLine_noDrift_hasOneBend() throws {
        var random = SeededRandom(seed: 7)
        let looks = (0..<100).map { minute in
            let error = Double.random(in: -0.00005...0.00005, using: &random)
            return Look(at: Double(minute) * 60, wall: epoch + Double(minute) * 60 + error, uncertainty: 0.01)
        }
        #expect(try #require(WallLine(looks, base: epoch)).bends.count == 1)
    }

    private func line(_ offsets: [Double], uncertainties: [Double?] = []) throws -> WallLine {
        let looks = offsets.enumerated().map { index, offset in
            Look(
                at: Double(index) * 60, wall: epoch + Double(index) * 60 + offset,
                uncertainty: uncertainties.isEmpty ? nil : uncertainties[index])
        }
        return try #require(WallLine(looks, base: epoch))
    }

    @Test func wallLine_clockSet_keepsTheRate() throws {
        // The clock was set an hour ahead by hand, and runs at a rate again afterwards.
        let line = try line([0, 0.006, 0.012, 3600.012, 3600.018])
        #expect(abs(line.step - 3600) < 1e-6)
        #expect(abs(line.wall(at: 120) - 120.012) < 1e-6)
        #expect(abs(line.wall(at: 180) - 180.012) < 1e-6)
        #expect(abs(line.wall(at: 240) - 240.018) < 1e-6)
        // The clock is set back and ahead again.
        let twice = try self.line([0, -50, 0, 0])
        #expect(abs(twice.wall(at: 180) - 180) < 1e-6 && abs(twice.step) == 50)
    }

    @Test func wallLine_clockSet_prefersTheSideWithUncertainty() throws {
        let years = -1_700_000_000.0
        let line = try line([years, years, years, 0, 0], uncertainties: [nil, nil, nil, 0.01, 0.02])
        #expect(abs(line.wall(at: 0)) < 1e-6 && line.uncertainty == 0.02)
        // Without an uncertainty, the longer side wins. With equal lengths, the first one wins.
        #expect(abs(try self.line([years, 0, 0]).wall(at: 0)) < 1e-6)
        #expect(abs(try self.line([5, 0]).wall(at: 60) - 65) < 1e-6)
    }

    @Test func wallLine_impossibleRate_isIgnored() throws {
        // More than 600 ppm: 38 ms in each minute.
        let readings = (0..<10).map { Double($0) * 0.038 }
        let line = try line(readings)
        #expect(abs(line.wall(at: 540) - 540) < 1e-6 && line.step > 0.03)
    }

    @Test func wallLine_impossibleReadings_areIgnored() throws {
        let good = [Look(at: 60, wall: epoch + 60.01), Look(at: 0, wall: epoch)]
        let bad = [
            Look(at: .nan, wall: epoch), Look(at: 30, wall: .nan), Look(at: .infinity, wall: epoch),
            Look(at: 1e300, wall: epoch), Look(at: 30, wall: -5), Look(at: 30, wall: 1e300), good[0], good[1],
        ]
        #expect(WallLine(good + bad, base: epoch) == WallLine(good, base: epoch))
        #expect(WallLine(bad.dropLast(2), base: epoch) == nil && WallLine([]) == nil)
        // Two readings at one time cause no division by zero.
        let twins = [good[0], Look(at: 60, wall: epoch + 90), good[1]]
        let line = try #require(WallLine(twins, base: epoch))
        #expect(line.wall(at: 70).isFinite && line.wall(at: 60) > line.wall(at: 59))
    }

    @Test func wallLine_readingsCloseTogether_giveNoRate() throws {
        // A reading that was late by 0.9 ms, a tenth of a second before the next.
        let looks = [Look(at: 0, wall: epoch), Look(at: 0.1, wall: epoch + 0.1009), Look(at: 0.2, wall: epoch + 0.2)]
        #expect(try #require(WallLine(looks, base: epoch)).bends.count == 1)
    }
}

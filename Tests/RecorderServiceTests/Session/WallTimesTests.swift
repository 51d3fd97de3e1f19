import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderService

/// Every file says what relates it to others.
@Suite(.timeLimit(.minutes(1))) struct WallTimesTests {
    private func times(_ clock: ManualClock) -> WallTimes {
        var foundations = SessionFoundations()
        foundations.clock = clock
        foundations.wallClock = { Date(timeIntervalSince1970: 1_800_000_000 + Double(clock.nanoseconds) / 1e9) }
        foundations.wallError = { 0.003 }
        return WallTimes(foundations)
    }

    @Test func theClockIsLookedAtAboutOnceAMinute() {
        let clock = ManualClock()
        let times = times(clock)
        for _ in 0..<600 {
            times.tick(at: clock.nanoseconds)
            clock.advance(by: 500_000_000)
        }
        let seen = times.since(-1)
        #expect(seen.map(\.at) == [0, 60, 120, 180, 240])
        #expect(seen.allSatisfy { abs($0.wall - $0.at - 1_800_000_000) < 1e-5 && $0.uncertainty == 0.003 })
        #expect(times.since(120).map(\.at) == [180, 240])
    }

    @Test func aYearOfThemIsBounded() {
        let clock = ManualClock()
        let times = times(clock)
        for _ in 0..<(366 * 24 * 60) {
            times.tick(at: clock.nanoseconds)
            clock.advance(by: 60_000_000_000)
        }
        let seen = times.since(-1)
        #expect(seen.count <= WallTimes.most && seen.count >= WallTimes.most / 4)
        #expect(seen.first?.at == 0 && seen.map(\.at) == seen.map(\.at).sorted())
    }

    @Test func aFileSaysWhenItBeganAndWhatTheWallClockSaidUntilItsEnd() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.group = "stage" }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            let file = bench.files.all[0]
            let begun = try #require(RecordingClock(file.plan.metadata))
            #expect(abs(begun.start - file.opening.start.seconds) < 1e-6)
            #expect(begun.group == "stage" && begun.wall.count == 1 && !begun.boot.isEmpty)
            _ = try await bench.end(run, at: bench.now + 500)
            let items = file.plan.closingMetadata?() ?? []
            let ended = try #require(RecordingClock(items))
            #expect(ended.start == begun.start && ended.wall.count >= 2)
            let wallStart = try #require(ended.wallStart)
            #expect(abs(wallStart - 1_800_000_000 - begun.start) < 1e-5)
        }
    }

    /// What was left out before is not missing from the clock.
    @Test func aFileBehindAPauseBeganWhenItBegan() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            _ = try bench.process.pause()
            bench.play(to: bench.now + 1000)
            _ = try bench.process.resume()
            bench.play(to: bench.now + 200)
            let before = bench.now
            _ = try await bench.playing(Task { try await bench.process.split() })
            let second = try #require(bench.files.all.last)
            let clock = try #require(RecordingClock(second.plan.metadata))
            #expect(clock.start - second.opening.start.seconds > 0.9)
            #expect(clock.start * 1000 > Double(before) - 500)
            _ = try await bench.end(run, at: bench.now + 200)
        }
    }
}

import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The times in each file that relate it to other recordings.
@Suite(.timeLimit(.minutes(10))) struct WallTimesTests {
    private func times(_ clock: ManualClock) -> WallTimes {
        var foundations = SessionFoundations()
        foundations.memory = .none
        foundations.clock = clock
        foundations.wallClock = { Date(timeIntervalSince1970: 1_800_000_000 + Double(clock.nanoseconds) / 1e9) }
        foundations.wallError = { 0.003 }
        return WallTimes(foundations)
    }

    @Test func wallTimes_isReadOnceAMinute() {
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

    @Test func wallTimes_aYear_isBounded() {
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

    @Test func file_storesItsStartAndWallTimesUntilItsEnd() async throws {
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
            let items = file.plan.closingMetadata?(.positiveInfinity) ?? []
            let ended = try #require(RecordingClock(items))
            #expect(ended.start == begun.start && ended.wall.count >= 2)
            let wallStart = try #require(ended.wallStart)
            #expect(abs(wallStart - 1_800_000_000 - begun.start) < 1e-5)
        }
    }

    @Test func file_severalPauses_storesItsOwnOnly() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            func pause(for length: Int) throws -> Int {
                defer { bench.play(to: bench.now + 400) }
                let moment = bench.now
                _ = try bench.process.pause()
                bench.play(to: moment + length)
                _ = try bench.process.resume()
                return moment
            }
            let moments = [try pause(for: 1000), try pause(for: 333)]
            let first = try #require(bench.files.all.first)
            _ = try await bench.split()
            let begun = try #require(RecordingClock(first.plan.metadata))
            #expect(begun.pauses.isEmpty)
            // A pause after the first file's end does not belong to that file.
            let third = try pause(for: 500)
            let second = try #require(bench.files.all.last)
            _ = try await bench.end(run, at: bench.now + 200)
            func pauses(_ file: FakeFile) throws -> [RecordingClock.Pause] {
                let items = file.plan.closingMetadata?(try #require(file.end)) ?? []
                return try #require(RecordingClock(items)).pauses
            }
            func expect(_ pauses: [RecordingClock.Pause], _ start: Double, _ moments: [Int], _ lengths: [Double]) {
                #expect(pauses.count == moments.count, "\(pauses)")
                var earlier = 0.0
                for (pause, (moment, length)) in zip(pauses, zip(moments, lengths)) {
                    #expect(abs(pause.duration - length) < 1e-6, "\(pauses)")
                    #expect(abs(pause.time - (Double(moment) / 1000 - start - earlier)) < 1e-6, "\(pauses)")
                    earlier += length
                }
            }
            expect(try pauses(first), begun.start, moments, [1, 0.333])
            let start = try #require(RecordingClock(second.plan.metadata)).start
            expect(try pauses(second), start, [third], [0.5])
        }
    }

    /// Each item is written once, so that a crash loses nothing that the file already contains.
    @Test func passingClock_whileTheFileGrows_returnsNewItemsOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            try await bench.play { bench.process.status.state == .recording }
            let file = try #require(bench.files.all.first)
            let begun = try #require(RecordingClock(file.plan.metadata))
            let ask = try #require(file.plan.passingClock)
            var told = try #require(ask())
            #expect(told.boot == begun.boot && told.start == begun.start && told.wall.first == begun.wall.first)
            _ = try bench.process.pause()
            bench.play(to: bench.now + 1000)
            _ = try bench.process.resume()
            bench.play(to: bench.now + 400)
            let news = try #require(ask())
            #expect(news.pauses.map(\.duration) == [1])
            told.add(news)
            #expect(ask() == nil)
            _ = try await bench.end(run, at: bench.now + 200)
            if let last = ask() { told.add(last) }
            let end = try #require(file.end)
            let ended = try #require(RecordingClock(file.plan.closingMetadata?(end) ?? []))
            #expect(told.pauses == ended.pauses && told.wall == Array(ended.wall.dropLast()))
        }
    }

    /// Time left out before the file does not shift its clock.
    @Test func file_afterAPause_storesItsCaptureStart() async throws {
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
            _ = try await bench.split()
            let second = try #require(bench.files.all.last)
            let clock = try #require(RecordingClock(second.plan.metadata))
            #expect(clock.start - second.opening.start.seconds > 0.9)
            #expect(clock.start * 1000 > Double(before) - 500)
            _ = try await bench.end(run, at: bench.now + 200)
        }
    }
}

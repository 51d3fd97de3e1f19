import FakeDevices
import Foundation
import MediaTypes
import RealTime
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Files that end by a rule.
@Suite(.timeLimit(.minutes(10))) struct SegmentRuleTests {
    private func record(
        _ directory: String, milliseconds end: Int, packetSize: Int = 10, wall: Date = Date(timeIntervalSince1970: 0),
        _ configure: (inout RecordingConfiguration) -> Void
    ) async throws -> (CaptureBench, RecordingStatus) {
        let bench = CaptureBench(
            directory, encoders: FakeEncoders(group: 50, packetSize: packetSize), wall: wall, configure)
        let run = bench.run()
        try await bench.ready()
        bench.play(to: end)
        let outcome = try await bench.end(run, at: end)
        #expect(outcome.failure == nil && outcome.status.isExact)
        let shown = bench.files.all.flatMap(\.shown)
        #expect(shown == Array(stride(from: 1000, to: Int64(end), by: 40)))
        #expect(bench.files.all.allSatisfy { $0.isWhole })
        return (bench, outcome.status)
    }

    @Test func segments_byDuration_haveThatLength() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, status) = try await record(directory, milliseconds: 9000) {
                $0.segments.duration = milliseconds(3000)
            }
            // A keyframe is requested at exactly that time.
            #expect(bench.files.all.map { $0.opening.start } == [1000, 4000, 7000].map { milliseconds($0) })
            #expect(status.segments.map(\.duration) == [3, 3, 2])
            #expect(status.segments.map(\.file) == ["", "-002", "-003"].map { directory + "/take\($0).mov" })
            #expect(status.duration == 8)
        }
    }

    @Test func segments_bySize_haveThatSize() async throws {
        try await withTemporaryDirectory { directory in
            let (bench, _) = try await record(directory, milliseconds: 9000, packetSize: 1000) {
                $0.segments.size = 50_000
            }
            #expect(bench.files.all.count >= 4)
            for file in bench.files.all.dropLast() {
                #expect(file.bytesWritten >= 50_000 && file.bytesWritten < 60_000)
            }
        }
    }

    @Test func segments_aligned_endOnTheClock() async throws {
        try await withTemporaryDirectory { directory in
            // The recording begins at a second that is 7 after a multiple of ten.
            let midnight = Calendar.current.startOfDay(for: Date(timeIntervalSince1970: 1_800_000_000))
            let (bench, _) = try await record(
                directory, milliseconds: 25_000, wall: midnight.addingTimeInterval(3600 + 6)
            ) {
                $0.segments.duration = milliseconds(10_000)
                $0.segments.isAligned = true
                $0.output = directory + "/take-%H%M%S.mov"
            }
            #expect(bench.files.all.map { $0.opening.start } == [1000, 4000, 14_000, 24_000].map { milliseconds($0) })
            #expect(
                bench.files.all.map { $0.path }
                    == ["010007", "010010", "010020", "010030"].map { directory + "/take-\($0).mov" })
        }
    }

    @Test func segments_clockSetBack_keepTheirLength() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) {
                $0.segments.duration = milliseconds(2000)
                $0.output = directory + "/%Y%m%d-%H%M%S.mov"
            }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 4000)
            bench.wallOffset.withLock { $0.addTimeInterval(-86_400) }
            bench.play(to: 9000)
            bench.wallOffset.withLock { $0.addTimeInterval(86_400) }
            bench.play(to: 12_000)
            let outcome = try await bench.end(run, at: 12_000)
            #expect(outcome.failure == nil && outcome.status.isExact)
            let paths = bench.files.all.compactMap { $0.path }
            #expect(paths.count == 6 && Set(paths).count == 6)
            #expect(outcome.status.segments.allSatisfy { $0.duration == 2 || $0.duration == 1 })
            #expect(outcome.status.duration == 11)
        }
    }
}

import CommandInterface
import FakeDevices
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The events of a session in the journal, each with the facts that its hook gets.
@Suite(.timeLimit(.minutes(10))) struct SessionEventTests {
    @Test func recording_beginningAndEnd_areLoggedOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory)
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 3000)
            let outcome = try await bench.end(run, at: 3000)
            let file = directory + "/take.mov"
            for event in [HookCommands.Event.start, .segment, .stop] {
                #expect(bench.log.facts(of: .hook(event)).compactMap { $0["file"] } == [file], "\(event)")
            }
            let segment = try #require(bench.log.facts(of: .hook(.segment)).first)
            let stop = try #require(bench.log.facts(of: .hook(.stop)).first)
            #expect(segment["seconds"] == outcome.status.segments.first?.duration.map { "\($0)" })
            #expect(stop["seconds"] != nil && stop["error"] == nil)
            #expect(bench.log.lines.contains("info: recording to \(file)"))
        }
    }

    @Test func armedRecordings_eachEnd_isLogged() async throws {
        try await withTemporaryDirectory { directory in
            let bench = CaptureBench(directory) { $0.isArmed = true }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 2000)
            for round in 1...2 {
                _ = try await bench.record()
                bench.play(to: bench.now + 1000)
                _ = try await bench.stopRecording()
                #expect(bench.log.facts(of: .hook(.start)).count == round)
                #expect(bench.log.facts(of: .hook(.stop)).count == round)
            }
            _ = try await bench.end(run, at: bench.now)
            #expect(bench.log.facts(of: .hook(.stop)).count == 2)
        }
    }

    @Test func activity_beginningAndEnd_areLoggedWithTheFile() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/take.mov"
            // Each second reaches a threshold of 0, and none reaches 100.
            let bench = CaptureBench(directory) {
                $0.activity.threshold = 0
            } reloader: { () throws(RecordingFailure) in
                var configuration = RecordingConfiguration()
                configuration.output = file
                configuration.activity.threshold = 100
                configuration.activity.hold = milliseconds(1000)
                return configuration
            }
            let run = bench.run()
            try await bench.ready()
            bench.play(to: 1500)
            try await waitUntil { bench.started.withLock { $0.count } == 1 }
            try await bench.play { !bench.log.facts(of: .hook(.activity)).isEmpty }
            let begun = bench.log.facts(of: .hook(.activity))
            #expect(begun.count == 1 && begun[0]["file"] == file && begun[0]["activity"] == "0")
            #expect(bench.log.facts(of: .hook(.activityEnd)).isEmpty)
            _ = try await bench.process.reload()
            try await bench.play { !bench.log.facts(of: .hook(.activityEnd)).isEmpty }
            #expect(bench.log.facts(of: .hook(.activityEnd)).compactMap { $0["file"] } == [file])
            _ = try await bench.end(run, at: bench.now)
        }
    }

    @Test func keptRecordings_leaveTooLittleRoom_isLoggedWithTheWarning() async throws {
        try await withTemporaryDirectory { directory in
            let (kept, moment) = (directory + "/kept.mov", Moment(wall: 1_800_000_000, uptime: 1000, boot: "a"))
            try Data(count: 100).write(to: URL(fileURLWithPath: kept))
            let state = StateDirectory(environment: ["XDG_STATE_HOME": directory + "/state"])
            let retention = Retention(
                RecordingConfiguration().name, in: state, log: LogLines().logger, moment: { moment },
                freeSpace: { _ in 250 })
            try retention.catalogue.add(kept, at: moment)
            let entry = try #require(try retention.catalogue.entry(kept))
            try retention.catalogue.record(RecordingPin(since: 1), of: entry)
            let bench = CaptureBench(directory, retention: retention)
            let run = bench.run()
            try await bench.ready()
            try await bench.play { !bench.log.facts(of: .hook(.keptFull)).isEmpty }
            let warning = try #require(retention.kept?.warning)
            #expect(bench.log.facts(of: .hook(.keptFull)).compactMap { $0["error"] } == [warning])
            #expect(bench.log.lines.contains("warning: \(warning)"))
            _ = try await bench.end(run, at: bench.now)
        }
    }
}

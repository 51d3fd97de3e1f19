import CommandInterface
import Foundation
import Logging
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The difference between a recorder that was stopped and one that died.
@Suite struct RecorderEndsTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let directory: TemporaryDirectory
    private let state: StateDirectory
    private let runtime: RuntimeDirectory
    private let ends: RecorderEnds
    private let front: RecordingName

    init() throws {
        directory = try TemporaryDirectory()
        state = StateDirectory(environment: ["XDG_STATE_HOME": directory.url.path])
        runtime = RuntimeDirectory(path: directory.path("run"))
        ends = RecorderEnds(in: state, runtime)
        front = try RecordingName(parsing: "front")
    }

    private func failure(_ code: MediaError.Code) -> RecordingFailure {
        RecordingFailure(.recording, MediaError(code, "cannot continue \(directory.path("a.mov"))", reason: "test"))
    }

    private func leaveUnfinished(_ name: String) throws -> String {
        let path = directory.path(name)
        try Data([1]).write(to: URL(fileURLWithPath: path))
        try UnfinishedRecordings(front, in: state).add(path)
        return path
    }

    @Test func recorder_endNotNoted_died() throws {
        #expect(ends.end(of: front) == nil && ends.names.isEmpty)
        #expect(ends.begin(front, log: log) == nil)
        let file = try leaveUnfinished("a b.recording.mov")
        let end = try #require(ends.end(of: front))
        #expect(end.state == .died && end.file == file && end.ended != nil)
        #expect(end.wayOut.contains("`recorder start front` or `recorder repair '\(file)'`"))
        #expect(end.text.hasPrefix("front died at ") && end.text.contains("\(file) is unfinished"))
        #expect(ends.all == [end])
        // This form is for clients that must not see directories.
        #expect(!JSONText.line(end.withoutDirectories).contains(directory.url.path))
    }

    @Test func recorder_thatHoldsItsName_hasNotEnded() throws {
        _ = ends.begin(front, log: log)
        let lock = try InstanceLock(front, in: runtime)
        #expect(ends.end(of: front) == nil)
        withExtendedLifetime(lock) {}
    }

    @Test func recorder_inAnotherRuntimeDirectory_hasNotEnded() throws {
        let other = RuntimeDirectory(path: directory.path("other"))
        let lock = try #require(try ends.lock(front, log: log))
        _ = ends.begin(front, isLocked: true, log: log)
        _ = try leaveUnfinished("a.recording.mov")
        let fromThere = RecorderEnds(in: state, other)
        #expect(fromThere.end(of: front) == nil && fromThere.all.isEmpty && fromThere.isRunning(front))
        #expect(fromThere.prometheusText().contains("recorder_up{name=\"front\"} 1\n"))
        try KnownRecorders(in: state, other).check(front)
        // The commands say where it is. The directory does not exist, so only a signal reaches the process.
        let elsewhere = try #require(fromThere.elsewhere(front))
        #expect(
            elsewhere.text
                == "front is recording (pid \(getpid())), and its runtime directory is \(runtime.path); "
                + "`kill \(getpid())` stops it")
        try runtime.prepare()
        let running = RunningRecordings(in: other, environment: ["XDG_STATE_HOME": directory.url.path])
        for name in [front, nil] {
            let error = #expect(throws: OptionError.self) { try running.choose(name) }
            #expect(
                error?.description.hasSuffix(
                    "; `RECORDER_RUNTIME_DIRECTORY=\(runtime.path) recorder stop front` stops it") == true)
        }
        // No second process may use the recorder's lists.
        let refusal = #expect(throws: MediaError.self) { try fromThere.lock(front, log: log) }
        #expect(refusal?.code == .busy)
        #expect(refusal?.description.contains("already recording (pid \(getpid())), and its runtime") == true)
        withExtendedLifetime(lock) {}
    }

    @Test func recorder_killedInAnotherRuntimeDirectory_died() throws {
        var lock = try ends.lock(front, log: log)
        _ = ends.begin(front, isLocked: lock != nil, log: log)
        lock = nil
        let other = RecorderEnds(in: state, RuntimeDirectory(path: directory.path("other")))
        #expect(other.end(of: front)?.state == .died && other.elsewhere(front) == nil)
        lock = try other.lock(front, log: log)
        #expect(lock != nil && other.begin(front, isLocked: true, log: log)?.state == .died)
    }

    /// A process of version 0.1 has no lock in the state directory. It locks the file that it writes, like any version.
    @Test func recorder_ofAVersionWithoutThisLock_runsWhileItWrites() throws {
        let file = open(try leaveUnfinished("a.recording.mov"), O_RDONLY)
        try Data(#"{"began":"2025-11-29T12:00:00Z"}"#.utf8).write(to: URL(fileURLWithPath: state.ending(front)))
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        #expect(ends.end(of: front) == nil && ends.isRunning(front))
        #expect(ends.begin(front, isLocked: true, log: log) == nil)
        close(file)
        #expect(ends.end(of: front)?.state == .died)
    }

    @Test func stateDirectory_notWritable_allowsTheStartWithoutALock() throws {
        try Data().write(to: directory.file("file"))
        let ends = RecorderEnds(in: StateDirectory(environment: ["XDG_STATE_HOME": directory.path("file")]), runtime)
        #expect(try ends.lock(front, log: log) == nil)
    }

    @Test func recorder_thatWasStopped_hasNoEndToShow() throws {
        _ = ends.begin(front, log: log)
        ends.end(front, nil, hasReported: true, log: log)
        #expect(ends.end(of: front) == nil)
        // An unfinished file that its own process could not finalize is reported as well.
        let file = try leaveUnfinished("a.recording.mov")
        #expect(ends.end(of: front)?.state == .failed && ends.end(of: front)?.file == file)
    }

    @Test(arguments: [(MediaError.Code.diskFull, RecorderEnd.State.diskFull), (.ioFailure, .failed)])
    func recorder_thatFailed_reportsWhy(code: MediaError.Code, state: RecorderEnd.State) throws {
        _ = ends.begin(front, log: log)
        ends.end(front, failure(code), hasReported: true, log: log)
        let end = try #require(ends.end(of: front))
        #expect(end.state == state && end.ended != nil && end.error.contains("cannot continue") && end.file == nil)
        #expect(end.wayOut.hasPrefix("`recorder start front` records again"))
        let metrics = ends.prometheusText()
        #expect(metrics.contains("recorder_up{name=\"front\"} 0\n"))
        #expect(metrics.contains("recorder_ended{name=\"front\",state=\"\(state.rawValue)\"} 1\n"))
        #expect(metrics.contains("recorder_ended{name=\"front\",state=\"died\"} 0\n"))
        // A start that failed was reported to its caller at once.
        ends.end(front, failure(code), hasReported: false, log: log)
        #expect(ends.end(of: front)?.error == end.error)
        _ = ends.begin(front, log: log)
        ends.end(front, failure(code), hasReported: false, log: log)
        #expect(ends.end(of: front) == nil)
    }

    @Test func end_acknowledged_isForgottenUntilTheNextOne() throws {
        _ = ends.begin(front, log: log)
        _ = try leaveUnfinished("a.recording.mov")
        try ends.acknowledge(front)
        #expect(ends.end(of: front) == nil && ends.all.isEmpty)
        #expect(ends.begin(front, log: log) == nil)
        #expect(ends.end(of: front)?.state == .died)
        // The next start learns how the previous process ended.
        #expect(ends.begin(front, log: log)?.state == .died)
    }

    @Test func recorder_ofAVersionWithoutNotes_diedWhereItsFileIsUnfinished() throws {
        let file = try leaveUnfinished("old.recording.mov")
        #expect(ends.end(of: front)?.state == .died && ends.end(of: front)?.file == file)
        try FileManager.default.removeItem(atPath: file)
        #expect(ends.end(of: front) == nil)
    }

    @Test func lists_ofARecorderWithAnotherStateDirectory_areReportedAsMissing() throws {
        let lock = try InstanceLock(front, in: runtime)
        let known = KnownRecorders(in: state, runtime)
        try known.check(front)
        let error = #expect(throws: OptionError.self) { try known.checkLists(of: front) }
        #expect(error?.description.contains("its list of recordings is not in \(state.path)") == true)
        _ = ends.begin(front, log: log)
        try known.checkLists(of: front)
        withExtendedLifetime(lock) {}
    }

    @Test func group_ofDeadRecorders_isThatOfTheirFiles() async throws {
        let files = directory.path("recorder")
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        for name in ["b", "a"] {
            try "group: stage\n".write(toFile: "\(files)/\(name).yaml", atomically: true, encoding: .utf8)
        }
        let running = RunningRecordings(in: runtime, environment: ["XDG_CONFIG_HOME": directory.url.path])
        let names = try await running.named([.recorder(front), .group("stage"), .recorder(front)])
        #expect(names.map(\.description) == ["front", "a", "b"])
        #expect(try await running.named([]) == [])
        // An unknown group is not the same as no group, which would mean all recorders.
        await #expect(throws: OptionError.self) { try await running.named([.group("hall")]) }
    }

    @Test func prometheusText_recorderThatWasStopped_isOnlyThereIfNamed() throws {
        _ = ends.begin(front, log: log)
        ends.end(front, nil, hasReported: true, log: log)
        #expect(ends.names == [front] && !ends.prometheusText().contains("front"))
        #expect(ends.prometheusText([front]).contains("recorder_up{name=\"front\"} 0\n"))
    }

    @Test func commands_recorderThatDied_reportHowItEnded() async throws {
        _ = ends.begin(front, log: log)
        let running = RunningRecordings(in: runtime, environment: ["XDG_STATE_HOME": directory.url.path])
        try runtime.prepare()
        let error = #expect(throws: OptionError.self) { try running.choose(front) }
        #expect(error?.description.hasPrefix("front died") == true)
        try KnownRecorders(in: state, runtime).check(front)
    }
}

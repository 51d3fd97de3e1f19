import AssetIO
import Capture
import Glibc
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The parts of a session that own its state: values, to which a test gives the time.
@Suite struct RecordingProgressTests {
    private let first = MirroredRecording(OutputLocation(path: "/a/1.mov"), OutputLocation(path: "/b/1.mov"))
    private let error = MediaError(errno: EIO, "cannot write a.mov")

    @Test func end_deadlineWithoutPackets_isOverdueOnce() {
        var end = EndProgress()
        let begins = [end.begin(), end.begin()]
        #expect(begins == [true, false])
        let early = end.isOverdue(at: 100)
        end.wait(until: 100)
        let answers = [99, 100, 101].map { end.isOverdue(at: $0) }
        #expect([early] + answers == [false, false, true, false])
        #expect(end.deadline == nil)
    }

    @Test func end_dispatchedInTime_isNeverOverdue() {
        var end = EndProgress()
        end.wait(until: 100)
        end.recordDispatched()
        let isOverdue = end.isOverdue(at: 100)
        #expect(!isOverdue)
    }

    @Test func failedFiles_dueAttempts_areTakenOnce() {
        var files = FailedFiles()
        let file = CutShortFile(number: 1, error: error)
        files.retry(file)
        files.retry(file.later(than: 0))
        let delay = FileRetry.shortestDelay
        let looks: [(now: Int64, all: Bool)] = [(0, false), (delay - 1, false), (0, true), (.max, true)]
        let taken: [[Int64]] = looks.map { look in files.takeDue(at: look.now, all: look.all).map(\.due) }
        #expect(taken == [[.min], [], [delay], []])
    }

    @Test func begin_nextRecording_keepsOnlyFilesThatWaitToBeFinalized() {
        var progress = RecordingProgress()
        progress.failed.recordFailed(1)
        progress.failed.retry(CutShortFile(number: 2, error: error))
        progress.mirrored.add(3, first)
        progress.end.recordDispatched()
        progress.begin()
        let (failed, due) = (progress.failed.takeFailed(), progress.failed.takeDue(at: 0, all: true))
        #expect(failed == [] && due.map(\.number) == [2])
        #expect(progress.mirrored[3] == nil)
        #expect(!progress.end.isDispatched)
    }

    @Test func mirrored_manyIncompleteFiles_forgetsTheOldest() {
        var files = MirroredFiles()
        for number in 1...101 { files.add(number, first) }
        let known = [1, 2, 101].map { files[$0] != nil }
        #expect(known == [false, true, true])
    }

    @Test func mirrored_conditions_returnTheOneBefore() {
        var files = MirroredFiles()
        files.add(1, first)
        #expect(files.has("/b/1.mov", 1, 1))
        #expect(!files.has("/a/1.mov", 1, 1))
        #expect(!files.has("/a/1.mov", 2, 0))
        let before = [files.record(.opening, 1, 1), files.record(.complete, 1, 1), files.record(.lost, 1, 0)]
        #expect(before == [nil, .opening, nil])
    }

    @Test func mirrored_finishedFileThatWasMoved_hasNoFirstCopyLeft() {
        var files = MirroredFiles()
        files.add(1, first)
        files.recordWhole("/a/1.mov", 1, 0)
        #expect(files.open == [first])
        let before = files.finish(1, .init(ending: .stopped), isElsewhere: true)
        #expect(before?.whole == [0: "/a/1.mov"])
        #expect(files[1]?.whole == [:])
        #expect(files.open == [])
    }

    @Test func diskWatches_lookThatHangs_isTheOnlyOne() {
        var disks = DiskWatches(reserve: 100)
        let second: Int64 = 1_000_000_000
        let during = [0, 10].map { disks.beginLook(at: $0 * second) }
        disks.endLook()
        let after = disks.beginLook(at: 20 * second)
        #expect(during + [after] == [true, false, true])
        let tidies = [0, 60, 61].map { disks.isTidyDue(at: $0 * second) }
        #expect(tidies == [true, false, true])
        #expect(disks.judge(1, free: 150, reserve: 100) == .low(free: 150))
        #expect(disks.judge(0, free: 150, reserve: 200) == .full(free: 150))
    }

    @Test func diskWatches_deletionsThatLast_areTheOnlyOnesAndRepeatedOnce() {
        var disks = DiskWatches(reserve: 100)
        let begins = (0..<10).map { _ in disks.beginTidy() }
        let repeats = [disks.endTidy(), disks.endTidy()]
        #expect(begins == [true] + [Bool](repeating: false, count: 9))
        #expect(repeats == [true, false])
        let again = disks.beginTidy()
        var completions = [disks.beginCompletion(), disks.beginCompletion()]
        disks.endCompletion()
        completions.append(disks.beginCompletion())
        #expect(again)
        #expect(completions == [true, false, true])
    }

    @Test func diskWatches_deletionsThatHang_delayTheEndByTwoSeconds() {
        var disks = DiskWatches(reserve: 100)
        let idle = disks.awaitsTidy(at: 0)
        _ = disks.beginTidy()
        let second: Int64 = 1_000_000_000
        let answers = [10, 11, 12, 13].map { disks.awaitsTidy(at: $0 * second) }
        #expect([idle] + answers == [false, true, true, false, false])
    }

    @Test func memory_returnThatLasts_isTheOnlyOne() {
        var memory = MemoryWatch()
        let times = [0, 1, 2, 3].map { $0 * MemoryWatch.interval }
        var answers = times[0...2].map { memory.begin(at: $0, isCalm: true) }
        memory.end()
        answers.append(memory.begin(at: times[3], isCalm: true))
        #expect(answers == [false, true, false, true])
    }

    @Test func devices_takenToClose_areReturnedOnce() throws {
        var devices = SessionDevices(opener: FakeOpener())
        let closed = devices.takeAll()
        devices = try devices.opened(RecordingConfiguration())
        let camera = devices.takeCamera()
        let counts = [closed, devices.takeAll(), devices.takeAll()].map { $0?.count }
        #expect(camera?.summary == nil)
        #expect(counts == [nil, 0, nil])
        let areAllFailed = [MediaType.audio, .video].map { devices.recordFailure(of: $0, among: [.video, .audio]) }
        #expect(areAllFailed == [false, true])
    }

    @Test func exposure_ofAConfiguration_isThatOfItsControls() throws {
        func exposure(_ controls: String...) throws -> Double? {
            var configuration = RecordingConfiguration()
            configuration.controls = try controls.map { try RecorderStorage.CameraControl(parsing: $0) }
            return configuration.exposure?.seconds
        }
        #expect(try exposure() == nil && exposure("exposure_auto=1", "gain=2") == nil)
        #expect(try exposure("exposure_time_absolute=80000") == 8)
        #expect(try exposure("AnalogueGain=2.5", "ExposureTime=12000000") == 12)
    }
}

import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Uploads of real files with a real rclone; the remote is a directory.
@Suite(.timeLimit(.minutes(10))) struct CopierTests {
    private let bench: CopyBench

    init() throws { bench = try CopyBench() }

    @Test func upload_severalFiles_sendsTheOldestFirst() throws {
        let names = ["2026-11-21/b.mov", "2026-11-21/a.mov", "2026-11-22/c.mov"]
        for name in names { try bench.record(name) }
        let settings = try bench.settings()
        #expect(try bench.backlog(settings) == 3)
        bench.copyAll(settings)
        for name in names { #expect(bench.isCopied(name)) }
        #expect(bench.calls("moveto") == names.map { "moveto \(bench.there)/\($0)" })
        #expect(try bench.backlog(settings) == 0)
        bench.copyAll(settings)
        #expect(bench.calls("copyto").count == 3)
    }

    @Test func upload_fileAlreadyOnTheRemote_isNeitherReplacedNorResent() throws {
        try bench.record("same.mov")
        try bench.record("taken.mov")
        try FileManager.default.copyItem(
            at: bench.directory.file("movies/same.mov"), to: bench.directory.file("there/same.mov"))
        try Data(count: 5000).write(to: bench.directory.file("there/taken.mov"))
        bench.copyAll(try bench.settings())
        #expect(bench.calls("copyto") == ["copyto \(bench.there)/taken-2.mov.partial"])
        #expect(bench.isCopied("taken.mov", as: "taken-2.mov"))
        #expect(FileManager.default.contents(atPath: bench.there + "/taken.mov") == Data(count: 5000))
        #expect(bench.log.contains("already copied \(bench.directory.path("movies/same.mov"))"))
    }

    /// Another recorder is sending a file of the same name to the same directory.
    @Test func upload_nameInUse_waitsAndGetsANumber() throws {
        try bench.record("a.mov")
        var other: ByteLock? = try bench.names.reserve(bench.there + "/a.mov", stop: CopyStop())
        #expect(other != nil)
        let running = try bench.begin(try bench.settings())
        #expect(eventually { CopierState(at: bench.runtime.copierState(bench.front))?.state == .sending })
        try Data(count: 5000).write(to: bench.directory.file("there/a.mov"))
        other = nil
        #expect(eventually { bench.isCopied("a.mov", as: "a-2.mov") })
        running.end()
        #expect(FileManager.default.contents(atPath: bench.there + "/a.mov") == Data(count: 5000))
    }

    @Test func reserve_nameInUse_isNilUntilItIsReleased() throws {
        let names = bench.names
        var first = try names.reserveIfFree("s3:b/a.mov")
        #expect(first != nil)
        #expect(try names.reserveIfFree("s3:b/a.mov") == nil)
        #expect(try names.reserveIfFree("s3:b/b.mov") != nil)
        first = nil
        #expect(try names.reserveIfFree("s3:b/a.mov") != nil)
    }

    @Test func upload_completePartialFile_isOnlyRenamed() throws {
        try bench.record("a.mov")
        try FileManager.default.copyItem(
            at: bench.directory.file("movies/a.mov"), to: bench.directory.file("there/a.mov.partial"))
        bench.copyAll(try bench.settings())
        #expect(bench.isCopied("a.mov"))
        #expect(bench.calls("copyto").isEmpty)
    }

    @Test func upload_truncatedPartialFile_isSentAgain() throws {
        try bench.record("a.mov")
        try Data(count: 4000).write(to: bench.directory.file("there/a.mov.partial"))
        bench.copyAll(try bench.settings())
        #expect(bench.calls("copyto") == ["copyto \(bench.there)/a.mov.partial"])
        #expect(bench.isCopied("a.mov"))
    }

    @Test func upload_fileChangedMeanwhile_isSentAgain() throws {
        let path = try bench.record("a.mov")
        try bench.wrap(
            before: "",
            after: "[ $command != copyto ] || [ -e '\(path).done' ] || { echo more >>'\(path)'; touch '\(path).done'; }"
        )
        bench.copyAll(try bench.settings())
        #expect(bench.calls("copyto").count == 2)
        #expect(bench.isCopied("a.mov"))
    }

    @Test func upload_fileThatAlwaysFails_doesNotBlockOthers() throws {
        for name in ["bad.mov", "b.mov", "c.mov"] { try bench.record(name) }
        // A directory has the partial file's name.
        try FileManager.default.createDirectory(
            atPath: bench.there + "/bad.mov.partial/x", withIntermediateDirectories: true)
        let settings = try bench.settings()
        let running = try bench.begin(settings)
        #expect(eventually { bench.isCopied("b.mov") && bench.isCopied("c.mov") })
        let isNoted = try eventually { try bench.backlog(settings) == 1 }
        #expect(isNoted)
        #expect(eventually { Set(bench.told) == ["copy-failed bad.mov", "copied b.mov", "copied c.mov"] })
        running.end()
        #expect(try bench.catalogue.uncopied(after: 0, count: 9).map(\.remoteName) == ["bad.mov"])
        #expect(bench.account(settings)?.error?.contains("bad.mov") == true)
    }

    @Test func upload_failedFileLeavesTheCatalogue_becomesIdle() throws {
        try bench.record("bad.mov")
        try FileManager.default.createDirectory(
            atPath: bench.there + "/bad.mov.partial/x", withIntermediateDirectories: true)
        let running = try bench.begin(try bench.settings())
        let state = bench.runtime.copierState(bench.front)
        #expect(eventually { CopierState(at: state)?.nextTry != nil })
        try bench.catalogue.remove(bench.catalogue.recordings)
        #expect(eventually { CopierState(at: state)?.state == .idle })
        #expect(CopierState(at: state)?.error == nil)
        running.end()
    }

    @Test func upload_deletedFile_isForgotten() throws {
        let path = try bench.record("gone.mov")
        try bench.record("here.mov")
        try FileManager.default.removeItem(atPath: path)
        let settings = try bench.settings()
        bench.copyAll(settings)
        #expect(try bench.catalogue.recordings.map(\.remoteName) == ["here.mov"])
        #expect(try bench.backlog(settings) == 0)
        #expect(bench.log.contains("gone.mov"))
    }

    @Test func upload_diskNotMounted_waitsForIt() throws {
        let path = try bench.record("a.mov")
        try FileManager.default.removeItem(atPath: path)
        // Pretends that the file's disk was mounted there.
        try Database(bench.catalogue.path).execute("UPDATE place SET mount = '/nowhere/usb'")
        let settings = try bench.settings()
        let running = try bench.begin(settings)
        #expect(eventually { bench.log.contains("its disk is not mounted") })
        running.end()
        #expect(try bench.backlog(settings) == 1)
    }

    /// The disk of `copy-to` is not mounted.
    @Test func upload_remoteDiskNotMounted_sendsNothing() throws {
        try bench.record("a.mov")
        let settings = try bench.settings()
        bench.copyAll(settings)
        try Database(bench.catalogue.path).execute("UPDATE remote_mount SET path = '\(bench.there)'")
        try bench.record("b.mov")
        let error = bench.copier(settings).run(once: true)
        #expect(error?.description.contains("nothing is mounted at \(bench.there)") == true)
        #expect(try bench.backlog(settings) == 1)
        #expect(!bench.isCopied("b.mov"))
    }

    @Test(arguments: [false, true]) func upload_remoteDirectoryMissing_isNotCreated(isNamed: Bool) throws {
        try bench.record("a.mov")
        let missing = bench.directory.path("mnt/nas")
        try bench.configure("[disk]\ntype = alias\nremote = \(missing)\n")
        let settings = try bench.settings(isNamed ? "disk:" : ":local:" + missing)
        let error = bench.copier(settings).run(once: true)
        #expect(error?.description.contains("create it with `mkdir -p \(missing)`") == true)
        #expect(!bench.directory.names.contains("mnt"))
        #expect(try bench.backlog(settings) == 1)
    }

    @Test func upload_anotherRemote_sendsAllFiles() throws {
        for name in ["a.mov", "b.mov"] { try bench.record(name) }
        bench.copyAll(try bench.settings())
        try FileManager.default.createDirectory(at: bench.directory.file("other"), withIntermediateDirectories: true)
        let other = try bench.settings(bench.directory.path("other"))
        #expect(try bench.backlog(other) == 2)
        bench.copyAll(other)
        #expect(try bench.backlog(other) == 0)
        #expect(try bench.backlog(bench.settings()) == 2)
        bench.copyAll(try bench.settings())
        #expect(bench.calls("copyto").count == 4)
    }

    @Test func upload_finishedFile_isSentAtOnce() throws {
        let settings = try bench.settings()
        let running = try bench.begin(settings)
        #expect(eventually { CopierState(at: bench.runtime.copierState(bench.front))?.state == .idle })
        // A name that never recorded leaves no catalogue.
        #expect(!bench.catalogue.isThere)
        try bench.record("a.mov")
        // This is far below the minute after which the copier looks anyway.
        let isThere = eventually(within: 20) { bench.isCopied("a.mov") }
        #expect(isThere)
        running.end()
    }

    @Test func upload_stoppedDuringAFile_endsAtOnce() throws {
        try bench.record("a.mov", bytes: 5_000_000)
        let settings = try bench.settings(limit: 100_000)
        let running = try bench.begin(settings)
        #expect(eventually { (CopierState(at: bench.runtime.copierState(bench.front))?.sending?.sent ?? 0) > 0 })
        // The rest of the file would take 50 s, and is not uploaded.
        running.end()
        #expect(try bench.backlog(settings) == 1)
        bench.copyAll(try bench.settings())
        #expect(bench.isCopied("a.mov"))
    }

    @Test func upload_outsideItsHours_sendsNothing() throws {
        try bench.record("a.mov")
        let settings = try bench.settings(hours: "22:00-06:00")
        let running = try bench.begin(settings, minute: 12 * 60)
        #expect(eventually { CopierState(at: bench.runtime.copierState(bench.front))?.state == .outsideHours })
        running.end()
        #expect(bench.calls("copyto").isEmpty)
        let night = try bench.begin(settings, minute: 23 * 60)
        #expect(eventually { bench.isCopied("a.mov") })
        night.end()
    }

    @Test func upload_rcloneMissing_reportsHowToInstallIt() throws {
        try bench.record("a.mov")
        try FileManager.default.removeItem(at: bench.directory.file("bin/rclone"))
        var surroundings = Copier.Surroundings()
        surroundings.environment = ["PATH": bench.directory.path("bin")]
        let (settings, stop) = (try bench.settings(), CopyStop())
        let copier = Copier(
            bench.catalogue, statePath: bench.runtime.copierState(bench.front), names: bench.names,
            settings: { settings }, hooks: nil, log: bench.log.logger, stop: stop, surroundings: surroundings)
        let thread = try NamedThread("copier") { copier.run() }
        #expect(eventually { bench.log.contains("rclone is not installed; `apt install rclone`") })
        stop.wish()
        thread.join()
    }
}

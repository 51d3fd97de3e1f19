import FileSystem
import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import ArchiveService

@Suite struct RunDirectoryTests {
    /// The same files are written and read if the plan's name is not UTF-8.
    @Test func runDirectory_planNameIsNotUTF8_isReadBack() throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(ofPlan: PathText.text(Array(place.path("plan-").utf8) + [0xE9]))
        try directory.make()
        var options = RunOptions()
        options.replaces = true
        try options.save(directory)
        #expect(RunOptions.load(directory)?.replaces == true)
        // The options of an earlier version.
        #expect(RunOptions.load(directory)?.replacesIncomplete == nil)
        directory.record(waitsFor: "a recorder")
        #expect(directory.waitsFor == "a recorder")
        let journal = SlurmJournal(directory)
        let submission = SlurmJournal.Submission(job: 7, tasks: [1, 2], isJoin: nil)
        try journal.add(submission)
        #expect(journal.read() == [submission])
        let accounting = Accounting(directory, host: "here")
        try accounting.append(accounting.line(.begun, task: 1))
        var reader = Accounting.Reader(directory)
        #expect(reader.next().map(\.task) == [1])
    }

    private func isRefused(_ body: () throws -> Void) -> Bool {
        do { try body() } catch let error as MediaError {
            return error.code == .notPermitted
        } catch {
            return false
        }
        return false
    }

    /// Otherwise another user could put links in it.
    @Test(arguments: ["", "/logs", "/accounting", "/slurm"]) func make_othersCanWrite_isRefused(folder: String) throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(ofPlan: place.path("a.plan"))
        try directory.make()
        #expect(chmod(directory.path + folder, 0o775) == 0)
        #expect(isRefused { try directory.make() })
        #expect(chmod(directory.path + folder, 0o755) == 0)
        try directory.make()
    }

    @Test func checkOwner_anotherUser_isRefused() {
        var facts = stat()
        facts.st_mode = S_IFDIR | 0o755
        facts.st_uid = geteuid() &+ 1
        #expect(isRefused { try FileMetadata.checkOwner(facts, "/a.plan.d", action: "cannot use it") })
        facts.st_uid = 0
        #expect(!isRefused { try FileMetadata.checkOwner(facts, "/a.plan.d", action: "cannot use it") })
    }

    /// The files to which a run appends, and the file that cancels it.
    @Test func append_nameIsALink_isRefused() throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(ofPlan: place.path("a.plan"))
        try directory.make()
        let target = place.path("target")
        let accounting = Accounting(directory, host: "here")
        for path in [
            directory.accounting + "/here.jsonl", directory.slurm + "/submissions.jsonl", directory.log(1),
            directory.cancelled,
        ] { #expect(symlink(target, path) == 0) }
        #expect(throws: MediaError.self) { try accounting.append(accounting.line(.begun, task: 1)) }
        #expect(throws: MediaError.self) { try SlurmJournal(directory).add(.init(job: 7, tasks: [1], isJoin: nil)) }
        #expect(throws: MediaError.self) { try ProcessStarter(plan: place.path("a.plan"), niceness: 0).start(1) }
        #expect(throws: MediaError.self) { try directory.cancel() }
        #expect(!place.names.contains("target"))
    }

    @Test func append_nameIsAFIFO_isRefusedAtOnce() throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(ofPlan: place.path("a.plan"))
        try directory.make()
        #expect(mkfifo(directory.accounting + "/here.jsonl", 0o600) == 0)
        let accounting = Accounting(directory, host: "here")
        #expect(isRefused { try accounting.append(accounting.line(.begun, task: 1)) })
    }

    /// The user has moved the logs to another disk.
    @Test func make_folderIsAnOwnLink_isUsed() throws {
        let place = try TemporaryDirectory()
        let directory = RunDirectory(ofPlan: place.path("a.plan"))
        try directory.make()
        #expect(rmdir(directory.accounting) == 0)
        try FileManager.default.createDirectory(at: place.file("elsewhere"), withIntermediateDirectories: true)
        #expect(symlink(place.path("elsewhere"), directory.accounting) == 0)
        try directory.make()
        let accounting = Accounting(directory, host: "here")
        try accounting.append(accounting.line(.begun, task: 1))
        #expect(FolderContents.names(in: place.path("elsewhere")) == ["here.jsonl"])
    }
}

import Foundation
import TestSupport
import Testing

/// Real file systems that fill up, fail or turn read-only during a recording: it ends with the cause, and synced data
/// is kept.
@Suite(.serialized) struct DiskTroubleVirtualTime {
    private func movie(_ disk: LabDisk) -> String { disk.mount + "/movie.mov" }
    private func recording(_ disk: LabDisk) -> String { disk.mount + "/movie.recording.mov" }

    private func record(_ disk: LabDisk, seconds: Int = 120) throws -> Command {
        let words = [
            Program.recorder, "run", "lab", "--camera", "test", "--microphone", "test", "--size", "640x480", "--preset",
            "ultrafast", "--crf", "1", "--duration", "\(seconds)s", "--reserve", "0", "--output", movie(disk),
        ]
        return try Command.run(words)
    }

    /// Copies the remaining file to a healthy disk, repairs it there, and checks it.
    private func checkWhatIsLeft(_ disk: LabDisk) throws {
        let copy = disk.place.path("movie.recording.mov")
        try FileManager.default.copyItem(atPath: recording(disk), toPath: copy)
        let repair = try Program.run(Program.recorder, ["repair", copy])
        #expect(repair.status == 0, "\(repair.errors)")
        let movie = MovieMeasure(url: disk.place.file("movie.mov"))
        let complaints = try movie.decodingErrors()
        #expect(complaints == "", "\(complaints)")
        #expect(try movie.duration("v") > 1)
    }

    @Test func recording_fullDisk_endsAndKeepsSyncedData() throws {
        let disk = try LabDisk(size: 8, backing: 32)
        defer { disk.remove() }
        // This space is freed later.
        let filler = disk.mount + "/filler"
        #expect(LabCommand.run("dd if=/dev/zero of=\(filler) bs=1M count=2") == 0)
        let result = try record(disk)
        #expect(result.status == 74, "\(result.errors)")
        #expect(result.errors.contains("ENOSPC"), "\(result.errors)")
        try checkWhatIsLeft(disk)
        // The repair works on the disk itself too, once there is space for the index.
        try FileManager.default.removeItem(atPath: filler)
        let repair = try Program.run(Program.recorder, ["repair", recording(disk)])
        #expect(repair.status == 0, "\(repair.errors)")
        #expect(try MovieMeasure(url: URL(fileURLWithPath: movie(disk))).decodingErrors() == "")
    }

    @Test func recording_mediumSmallerThanItsFileSystem_keepsSyncedData() throws {
        // The file system assumes 64 MiB; the medium ends at 8.
        let disk = try LabDisk(size: 64, backing: 8)
        defer { disk.remove() }
        let result = try record(disk)
        #expect(result.status == 74, "\(result.errors)")
        // Either the file system reports the error first, or the device below it.
        #expect(["ENOSPC", "EIO", "EROFS"].contains { result.errors.contains($0) }, "\(result.errors)")
        try disk.reopen()
        try checkWhatIsLeft(disk)
    }

    private func checkAccount(_ messages: String) throws {
        let account = try #require(RecorderAccount.all(in: messages).last, "\(messages)")
        #expect(account.isExact(frameRate: 30) && account.captured > 60, "\(account.line)")
    }

    @Test func recording_diskTurnsReadOnly_endsAndKeepsSyncedData() throws {
        let disk = try LabDisk(size: 64, backing: 80)
        defer { disk.remove() }
        // ext4 does this by itself after a serious error.
        let trouble = LabCommand("sleep 5; mount -o remount,abort \(disk.mount)")
        let result = try record(disk)
        trouble.end()
        #expect(result.status == 74, "\(result.errors)")
        #expect(result.errors.contains("EROFS") || result.errors.contains("EIO"), "\(result.errors)")
        #expect(result.errors.contains(recording(disk)), "\(result.errors)")
        try checkAccount(result.errors)
        try disk.reopen()
        try checkWhatIsLeft(disk)
    }

    @Test func recording_diskRemoved_reportsItAndContinues() throws {
        let disk = try LabDisk(size: 64, backing: 80)
        defer { disk.remove() }
        let trouble = LabCommand("sleep 5; umount -l \(disk.mount)")
        let result = try record(disk, seconds: 15)
        trouble.end()
        // The recording continues in the directory below the former mount point; the file on the disk is complete.
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("\(movie(disk)) any more: it was moved while"), "\(result.errors)")
        #expect(result.errors.contains("finished \(disk.mount)/movie-002.mov"), "\(result.errors)")
        try checkAccount(result.errors)
    }
}

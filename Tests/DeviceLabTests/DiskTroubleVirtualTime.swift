import Foundation
import TestSupport
import Testing

/// Real file systems that fill up, fail and turn read-only under a recording: it ends with the cause, and what was
/// synced stays.
@Suite(.serialized) struct DiskTroubleVirtualTime {
    /// A file system of its own for one test, and the trouble it gets into.
    private struct Disk {
        let place: TemporaryDirectory
        var mount: String { place.path("disk") }
        var movie: String { mount + "/movie.mov" }
        var recording: String { mount + "/movie.recording.mov" }

        /// - Parameters:
        ///   - size: of the file system, in MiB.
        ///   - backing: what there really is beneath it, in MiB; beyond that writes fail.
        init(size: Int, backing: Int) throws {
            place = try TemporaryDirectory()
            let script = """
                set -e
                mkdir \(place.path("disk")) \(place.path("backing"))
                mount -t tmpfs -o size=\(backing)m tmpfs \(place.path("backing"))
                truncate -s \(size)M \(place.path("backing"))/image
                mkfs.ext4 -q -m 0 -O ^has_journal \(place.path("backing"))/image
                mount -o loop \(place.path("backing"))/image \(place.path("disk"))
                """
            try #require(LabCommand.run(script) == 0, "cannot make a file system")
        }

        /// Mounts it anew, as after a restart: only what had reached the medium is there.
        func reopen() throws {
            let script = """
                umount \(place.path("disk"))
                mount -o loop,ro \(place.path("backing"))/image \(place.path("disk"))
                """
            try #require(LabCommand.run(script) == 0, "cannot mount the file system again")
        }

        func remove() {
            _ = LabCommand.run("umount \(place.path("disk")); umount \(place.path("backing"))")
        }
    }

    private func record(_ disk: Disk) throws -> Command {
        let words = [
            Program.recorder, "run", "lab", "--camera", "test", "--microphone", "test", "--size", "640x480", "--preset",
            "ultrafast", "--crf", "1", "--duration", "120s", "--output", disk.movie,
        ]
        return try Command.run(words)
    }

    /// Copies what is left to a healthy disk, repairs it there, and looks at it.
    private func checkWhatIsLeft(_ disk: Disk) throws {
        let copy = disk.place.path("movie.recording.mov")
        try FileManager.default.copyItem(atPath: disk.recording, toPath: copy)
        let repair = try Program.run(Program.recorder, ["repair", copy])
        #expect(repair.status == 0, "\(repair.errors)")
        let movie = MovieMeasure(url: disk.place.file("movie.mov"))
        let complaints = try movie.decodingErrors()
        #expect(complaints == "", "\(complaints)")
        #expect(try movie.duration("v") > 1)
    }

    @Test func aFullDiskEndsTheRecordingAndKeepsWhatWasSynced() throws {
        let disk = try Disk(size: 8, backing: 32)
        defer { disk.remove() }
        // Room that somebody frees later.
        let filler = disk.mount + "/filler"
        #expect(LabCommand.run("dd if=/dev/zero of=\(filler) bs=1M count=2") == 0)
        let result = try record(disk)
        #expect(result.status == 74, "\(result.errors)")
        #expect(result.errors.contains("ENOSPC"), "\(result.errors)")
        try checkWhatIsLeft(disk)
        // On the disk itself too, as soon as there is room for the index.
        try FileManager.default.removeItem(atPath: filler)
        let repair = try Program.run(Program.recorder, ["repair", disk.recording])
        #expect(repair.status == 0, "\(repair.errors)")
        #expect(try MovieMeasure(url: URL(fileURLWithPath: disk.movie)).decodingErrors() == "")
    }

    @Test func aMediumThatEndsBeforeItsSizeEndsTheRecordingAndKeepsWhatWasSynced() throws {
        // The file system believes in 64 MiB, the medium ends at 8.
        let disk = try Disk(size: 64, backing: 8)
        defer { disk.remove() }
        let result = try record(disk)
        #expect(result.status == 74, "\(result.errors)")
        // The file system says so first, or the device beneath it.
        #expect(["ENOSPC", "EIO", "EROFS"].contains { result.errors.contains($0) }, "\(result.errors)")
        try disk.reopen()
        try checkWhatIsLeft(disk)
    }

    @Test func aDiskThatTurnsReadOnlyEndsTheRecordingAndKeepsWhatWasSynced() throws {
        let disk = try Disk(size: 64, backing: 80)
        defer { disk.remove() }
        // What ext4 does by itself after an error that it does not trust.
        let trouble = LabCommand("sleep 5; mount -o remount,abort \(disk.mount)")
        let result = try record(disk)
        trouble.end()
        #expect([74, 77].contains(result.status), "\(result.errors)")
        #expect(result.errors.contains("EROFS") || result.errors.contains("EIO"), "\(result.errors)")
        try disk.reopen()
        try checkWhatIsLeft(disk)
    }
}

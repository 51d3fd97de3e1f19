import Foundation
import TestSupport
import Testing

/// A file system for one test, and its faults.
struct LabDisk {
    let place: TemporaryDirectory
    var mount: String { place.path("disk") }
    private var filler: String { mount + "/filler" }
    private var backing: String { place.path("backing") }

    /// - Parameters:
    ///   - size: size of the file system, in MiB.
    ///   - backing: real size of the medium, in MiB; writes beyond it fail.
    init(size: Int, backing space: Int) throws {
        place = try TemporaryDirectory()
        let script = """
            set -e
            mkdir \(mount) \(backing)
            mount -t tmpfs -o size=\(space)m tmpfs \(backing)
            truncate -s \(size)M \(backing)/image
            mkfs.ext4 -q -m 0 -O ^has_journal \(backing)/image
            mount -o loop \(backing)/image \(mount)
            """
        try #require(LabCommand.run(script) == 0, "cannot make a file system")
    }

    /// Fills the disk except for this many MiB.
    func fill(leaving: Int) throws {
        let script = """
            set -e
            free=$(df --output=avail -B1M \(mount) | tail -n 1)
            fallocate -l $((free - \(leaving) - 1))M \(filler)
            [ \(leaving) -gt 0 ] || dd if=/dev/zero of=\(filler)-rest bs=4k || true
            """
        try #require(LabCommand.run(script) == 0, "cannot fill the file system")
    }

    func makeRoom() { _ = LabCommand.run("rm -f \(filler) \(filler)-rest") }

    /// Mounts it again, as after a restart: only data that had reached the medium is there.
    func reopen() throws {
        let script = """
            umount \(mount)
            mount -o loop,ro \(backing)/image \(mount)
            """
        try #require(LabCommand.run(script) == 0, "cannot mount the file system again")
    }

    /// Disables the disk, as ext4 does after a serious error: no more data reaches it.
    func take() throws {
        try #require(LabCommand.run("mount -o remount,abort \(mount)") == 0, "cannot take the disk away")
    }

    /// Checks and mounts it again, for which every program must have closed its files there.
    func putBack() throws {
        let script = """
            umount \(mount) || exit 1
            e2fsck -p \(backing)/image || [ $? -lt 4 ] || exit 1
            mount -o loop \(backing)/image \(mount)
            """
        try #require(LabCommand.run(script) == 0, "cannot put the disk back")
    }

    func remove() {
        _ = LabCommand.run("umount \(mount); umount \(backing)")
    }
}
